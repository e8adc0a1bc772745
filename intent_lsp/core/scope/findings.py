"""Findings on patterns and scopes, without their positions in a file (scope section 3).

Invariant: a finding never changes what a pattern matches.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope import suggestions
from intent_lsp.core.scope.pattern import EXACT, NameComparison, Pattern, compile_pattern
from intent_lsp.core.scope.scope import Scope, compile_scopes
from intent_lsp.core.scope.survey import ScopeSurvey, covered, reaches


class PatternFinding(Struct, frozen=True, kw_only=True):
    """A problem with one pattern of an intent's scope.

    `replacement` is the whole pattern to write instead, or None if there is no suggestion. `same`:
    the replacement matches the same files as the pattern, and the pattern has no other problem.
    """

    code: FileCode
    severity: Severity
    message: str
    replacement: str | None = None
    same: bool = False


class ScopeFinding(Struct, frozen=True, kw_only=True):
    """A problem with an intent's scope, or with one pattern of it.

    `pattern_index` is that pattern's place in the scope, or None if the finding concerns the whole
    scope. `other` is the intent whose scope overlaps, or None if the finding is no overlap.
    `replacement` are the globs that a fix writes in the place of the pattern; () removes the
    pattern. None if there is no fix.
    """

    intent_id: IntentId
    pattern_index: int | None
    code: FileCode
    severity: Severity
    message: str
    other: IntentId | None = None
    replacement: tuple[str, ...] | None = None


def pattern_findings(
    pattern: str, is_directory: Callable[[str], bool]
) -> tuple[PatternFinding, ...]:
    """Return the findings on one pattern as written, the most severe first.

    `is_directory` is called with a path relative to the root, without a trailing `/`, and returns
    whether a directory is there.
    """
    compiled = compile_pattern(pattern)
    if compiled.refusal is not None:
        return (
            _finding(
                FileCode.BAD_GLOB, f"This pattern is not used and owns no file: {compiled.refusal}."
            ),
        )
    wrong = (*_dead(compiled, is_directory), *_meant(compiled, is_directory))
    # Beside another mistake, it is for a person to say what was meant.
    return (*wrong, *(replace(hint, same=not wrong) for hint in _hints(compiled)))


def reaches_control_plane(pattern: str) -> bool:
    """Whether the pattern can match a path of the root's own control plane (see `reaches`)."""
    return reaches(compile_pattern(pattern))


def file_findings(intents: Intents) -> tuple[ScopeFinding, ...]:
    """Return the findings that depend on the intents file alone, not on the files of the root.

    They are about patterns over a limit of the whole file, patterns whose files another pattern of
    the same intent matches already, and patterns that can match the control plane.
    """
    scopes = compile_scopes([intent.owned_scope for intent in intents])
    return tuple(_file_findings(intents, scopes))


def tree_findings(
    intents: Intents,
    files: Sequence[WorkspacePath],
    reading: NameComparison = EXACT,
    *,
    whole: bool = True,
) -> tuple[ScopeFinding, ...]:
    """Return the findings on scopes, given the files of the root.

    They are those of `file_findings`, those about patterns of open intents that match no file, and
    those about pairs of open intents that own the same file. `reading` is how names are compared.
    `whole`: `files` are all files of the root; if not, a message names `at least` so many shared
    files.
    """
    scopes = compile_scopes([intent.owned_scope for intent in intents], reading)
    survey = ScopeSurvey(intents, scopes, reading)
    survey.walk(files)
    return (
        *_file_findings(intents, scopes),
        *_unmatched(intents, scopes, survey),
        *_overlaps(intents, survey, whole=whole),
    )


def _finding(code: FileCode, message: str, replacement: str | None = None) -> PatternFinding:
    return PatternFinding(
        code=code, severity=_SEVERITIES[code], message=message, replacement=replacement
    )


UNMATCHED_SHOWN: Final = 100
"""The most patterns of a file that are reported to match no file. The last counts the rest."""

_SEVERITIES = {
    FileCode.BAD_GLOB: Severity.ERROR,
    FileCode.DEAD_GLOB: Severity.WARNING,
    FileCode.GLOB_HINT: Severity.HINT,
    FileCode.WIDE_GLOB: Severity.WARNING,
    FileCode.SCOPE_MATCHES_NOTHING: Severity.HINT,
    FileCode.COVERED_GLOB: Severity.HINT,
    FileCode.SCOPE_CONTROL_PLANE: Severity.WARNING,
    FileCode.SCOPE_OVERLAP: Severity.INFORMATION,
}


def _dead(pattern: Pattern, is_directory: Callable[[str], bool]) -> Iterator[PatternFinding]:
    """Yield a finding if the pattern matches nothing, has such an alternative, or is no path here.

    No path here is a URI, a path that begins with a drive or with `~/`, and the like; also
    `/usr/…`, if `is_directory` does not find `usr` below the root.
    """
    glob = pattern.spelling.glob
    found = suggestions.foreign(pattern, is_directory)
    if found is not None:
        fault, cure = found
        yield _finding(FileCode.DEAD_GLOB, f"This pattern {fault}." + _meaning(cure), cure)
    elif not glob:
        yield _nothing(pattern)
    elif not pattern.rows:
        bare = suggestions.without_dots(glob)
        written = None if bare is None else suggestions.as_written(pattern, bare)
        why = f"This pattern matches nothing: {suggestions.impossible(pattern)}."
        yield _finding(FileCode.DEAD_GLOB, why + _meaning(written), written)
    elif count := len(pattern.dead_parts):
        dead = "One" if count == 1 else f"{count:,}"
        yield _finding(
            FileCode.DEAD_GLOB, f"{dead} of the alternatives in the braces can match no file."
        )


def _nothing(pattern: Pattern) -> PatternFinding:
    """Return the finding on a pattern without a glob: blank, a comment, or only `/` or `!`."""
    text = pattern.text.strip()
    why = "This pattern names no file."
    cure = "**" if text and not pattern.exclusion else None
    if text.startswith("#"):
        why, cure = "A pattern that begins with `#` is a comment and matches nothing.", f"\\{text}"
    return _finding(FileCode.DEAD_GLOB, why + _meaning(cure), cure)


def _meant(pattern: Pattern, is_directory: Callable[[str], bool]) -> Iterator[PatternFinding]:
    """Yield findings if the pattern probably matches other files than meant, or every file."""
    glob = pattern.spelling.glob
    effect = "excludes" if pattern.exclusion else "owns"
    directories = suggestions.bare_directories(pattern, is_directory)
    if directories:
        cure = f"{glob}/**" if len(directories) == len(pattern.rows) else None
        directory = directories[0]
        yield _doubt(
            pattern, f"`{directory}` is a directory; this pattern {effect} no file in it.", cure
        )
    escaped = suggestions.escaped_brackets(glob, is_directory)
    if escaped is not None:
        yield _doubt(
            pattern,
            "Brackets match one of the characters in them, but here a directory's name has them.",
            escaped,
        )
    split = suggestions.split_globstar(glob)
    if split is not None:
        yield _doubt(pattern, "`**` next to other characters means the same as `*`.", split)
    if suggestions.negated_member(pattern):
        yield _doubt(
            pattern, "A `!` in braces is a character of the file's name, it excludes nothing.", None
        )
    depths = [suggestions.everything_below(row) for row in pattern.rows]
    least = min((depth for depth in depths if depth is not None), default=None)
    if least is not None:
        files = "every file of the root"
        if least:
            deep = "directory" if least == 1 else "directories"
            files += f" that is {least} {deep} deep or more"
        yield _finding(FileCode.WIDE_GLOB, f"This pattern {effect} {files}.")


def _doubt(pattern: Pattern, message: str, cure: str | None) -> PatternFinding:
    written = None if cure is None else suggestions.as_written(pattern, cure)
    return PatternFinding(
        code=FileCode.GLOB_HINT,
        severity=Severity.WARNING,
        message=message + _meaning(written),
        replacement=written,
    )


def _hints(pattern: Pattern) -> Iterator[PatternFinding]:
    """Yield findings on parts of the pattern that are ignored: a leading `/`, outer white space."""
    read = suggestions.as_written(pattern, pattern.spelling.glob)
    if not pattern.spelling.glob:
        return
    if pattern.spelling.rooted:
        yield _finding(
            FileCode.GLOB_HINT,
            f"The leading `/` is ignored, since patterns begin at the root: read as `{read}`.",
            read,
        )
    if pattern.spelling.trimmed:
        yield _finding(
            FileCode.GLOB_HINT,
            f"White space around the pattern is left out: it is read as `{read}`.",
            read,
        )


def _meaning(cure: str | None) -> str:
    return "" if cure is None else f" Did you mean `{cure}`?"


def _file_findings(intents: Intents, scopes: Sequence[Scope]) -> Iterator[ScopeFinding]:
    for intent, scope in zip(intents, scopes, strict=True):
        for at, pattern in enumerate(scope.compiled):
            # `pattern_findings` reports a pattern refused for itself. Here only those refused
            # because the whole file is over a limit are reported.
            alone = compile_pattern(pattern.text, pattern.reading).refusal
            if pattern.refusal is not None and alone is None:
                message = f"This pattern is not used and owns no file: {pattern.refusal}."
                yield _scope_finding(intent.id, at, FileCode.BAD_GLOB, message)
            if reaches(pattern):
                message = (
                    "This pattern also matches files of .orchestration/ or other control files;"
                    " agents may not edit those."
                )
                yield _scope_finding(intent.id, at, FileCode.SCOPE_CONTROL_PLANE, message)
        for at, other in covered(scope.compiled):
            wider = scope.patterns[other]
            message = f"`{wider}` already matches every file that this pattern matches."
            found = _scope_finding(intent.id, at, FileCode.COVERED_GLOB, message)
            yield replace(found, replacement=())


def _unmatched(
    intents: Intents, scopes: Sequence[Scope], survey: ScopeSurvey
) -> Iterator[ScopeFinding]:
    """Yield up to UNMATCHED_SHOWN findings on patterns of open intents that match no file.

    The last one counts the patterns that are left out.
    """
    matched = survey.matched()
    found = [
        (intent.id, at)
        for place, (intent, scope) in enumerate(zip(intents, scopes, strict=True))
        for at, pattern in enumerate(scope.compiled)
        if pattern.rows and not pattern.exclusion and not intent.status.closed
        if (place, at) not in matched
    ]
    beyond = len(found) - UNMATCHED_SHOWN
    for number, (intent_id, at) in enumerate(found[:UNMATCHED_SHOWN], 1):
        message = "No file matches this pattern."
        if beyond > 0 and number == UNMATCHED_SHOWN:
            others = "1 more pattern" if beyond == 1 else f"{beyond} more patterns"
            message = f"No file matches this pattern, nor {others} further down in this file."
        yield _scope_finding(intent_id, at, FileCode.SCOPE_MATCHES_NOTHING, message)


def _overlaps(intents: Intents, survey: ScopeSurvey, *, whole: bool) -> Iterator[ScopeFinding]:
    """Yield a finding for each overlap in `survey`. `whole`: all files were surveyed."""
    for overlap in survey.overlaps():
        one, two = intents.items[overlap.first], intents.items[overlap.second]
        files = overlap.words(whole=whole)
        message = f"{one.id} and {two.id} both own {files}."
        found = _scope_finding(one.id, overlap.pattern_index, FileCode.SCOPE_OVERLAP, message)
        yield replace(found, other=two.id)


def _scope_finding(intent_id: IntentId, at: int, code: FileCode, message: str) -> ScopeFinding:
    return ScopeFinding(
        intent_id=intent_id,
        pattern_index=at,
        code=code,
        severity=_SEVERITIES[code],
        message=message,
    )
