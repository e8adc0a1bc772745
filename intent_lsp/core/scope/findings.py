"""Findings on patterns and scopes, without a place in a file (scope section 3).

Invariant: a finding never changes what a pattern matches.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import IntentId, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope import suggestions
from intent_lsp.core.scope.coverage import covered, reaches
from intent_lsp.core.scope.pattern import Pattern, compile_pattern
from intent_lsp.core.scope.scope import Scope, compile_scopes
from intent_lsp.core.scope.tree_survey import ScopeSurvey


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternFinding:
    """What is odd about one pattern; `replacement` is the whole pattern that cures it."""

    code: FileCode
    severity: Severity
    message: str
    replacement: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeFinding:
    """What is odd about an intent's scope, or about one pattern of it."""

    intent_id: IntentId
    pattern_index: int | None
    code: FileCode
    severity: Severity
    message: str
    other: IntentId | None = None


def pattern_findings(
    pattern: str, is_directory: Callable[[str], bool]
) -> tuple[PatternFinding, ...]:
    """Say what is odd about a pattern as written, the gravest first.

    `is_directory` answers for a path relative to the root, without a trailing `/`.
    """
    compiled = compile_pattern(pattern)
    if compiled.refusal is not None:
        return (_finding(FileCode.BAD_GLOB, f"Refused, it owns nothing: {compiled.refusal}."),)
    return (*_dead(compiled, is_directory), *_meant(compiled, is_directory), *_hints(compiled))


def reaches_control_plane(pattern: str) -> bool:
    """Whether the pattern can match a file that no scope grants to agents."""
    return reaches(compile_pattern(pattern))


def file_findings(intents: Intents) -> tuple[ScopeFinding, ...]:
    """Say what can be said without the files: limits of the file, covered globs, control plane."""
    return tuple(_file_findings(intents, _scopes(intents)))


def tree_findings(
    intents: Intents,
    files: Sequence[WorkspacePath],
    *,
    case_sensitive: bool = True,
    nfc: bool = False,
) -> tuple[ScopeFinding, ...]:
    """Give all findings on scopes, given the root's files: `file_findings` and what files show."""
    steps = survey_tree(intents, files, case_sensitive=case_sensitive, nfc=nfc)
    return tuple(finding for step in steps for finding in step)


def survey_tree(
    intents: Intents,
    files: Sequence[WorkspacePath],
    *,
    case_sensitive: bool = True,
    nfc: bool = False,
    chunk: int = 250,
) -> Iterator[tuple[ScopeFinding, ...]]:
    """Give `tree_findings` in steps of `chunk` files, so that others may run in between."""
    scopes = compile_scopes(
        [intent.owned_scope for intent in intents], case_sensitive=case_sensitive, nfc=nfc
    )
    yield tuple(_file_findings(intents, scopes))
    survey = ScopeSurvey(intents, scopes, case_sensitive=case_sensitive, nfc=nfc)
    for start in range(0, len(files), chunk):
        survey.walk(files[start : start + chunk])
        yield ()
    yield (*_unmatched(intents, scopes, survey), *_overlaps(intents, survey))


def _finding(code: FileCode, message: str, replacement: str | None = None) -> PatternFinding:
    return PatternFinding(
        code=code, severity=_SEVERITIES[code], message=message, replacement=replacement
    )


UNMATCHED_SHOWN: Final = 100
"""Patterns that no file matches of which a file says so; the last says how many more there are."""

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
    """Say why a pattern matches nothing, or nothing that anybody has."""
    glob = pattern.spelling.glob
    found = suggestions.foreign(pattern, is_directory)
    if found is not None:
        why, cure = found
        yield _finding(FileCode.DEAD_GLOB, f"This pattern {why}." + _meaning(cure), cure)
    elif not glob:
        yield _nothing(pattern)
    elif not pattern.rows:
        bare = suggestions.without_dots(glob)
        written = None if bare is None else suggestions.as_written(pattern, bare)
        why = "This pattern matches nothing: no path has such a segment." + _meaning(written)
        yield _finding(FileCode.DEAD_GLOB, why, written)
    elif pattern.dead_rows:
        yield _finding(FileCode.DEAD_GLOB, "An alternative in these braces matches nothing.")


def _nothing(pattern: Pattern) -> PatternFinding:
    text = pattern.text.strip()
    why = "An empty pattern matches nothing."
    cure = "**" if text and not pattern.exclusion else None
    if text.startswith("#"):
        why, cure = "A pattern that begins with `#` is a comment.", f"\\{text}"
    return _finding(FileCode.DEAD_GLOB, why + _meaning(cure), cure)


def _meant(pattern: Pattern, is_directory: Callable[[str], bool]) -> Iterator[PatternFinding]:
    """Say what people mean by a pattern that matches something else."""
    glob = pattern.spelling.glob
    directories = suggestions.bare_directories(pattern, is_directory)
    if directories:
        cure = f"{glob}/**" if len(directories) == len(pattern.rows) else None
        yield _doubt(pattern, f"`{directories[0]}` is a directory; this owns no file in it.", cure)
    escaped = suggestions.escaped_brackets(glob, is_directory)
    if escaped is not None:
        yield _doubt(pattern, "The brackets are a set of letters, not a directory's name.", escaped)
    split = suggestions.split_globstar(glob)
    if split is not None:
        yield _doubt(pattern, "A `**` with other characters in its segment acts as `*`.", split)
    if suggestions.negated_member(pattern):
        yield _doubt(pattern, "A `!` in braces is a letter of the name, not an exclusion.", None)
    if any(map(suggestions.everything, pattern.rows)):
        effect = "takes out" if pattern.exclusion else "owns"
        yield _finding(FileCode.WIDE_GLOB, f"This pattern {effect} every file of the root.")


def _doubt(pattern: Pattern, message: str, cure: str | None) -> PatternFinding:
    written = None if cure is None else suggestions.as_written(pattern, cure)
    return PatternFinding(
        code=FileCode.GLOB_HINT,
        severity=Severity.WARNING,
        message=message + _meaning(written),
        replacement=written,
    )


def _hints(pattern: Pattern) -> Iterator[PatternFinding]:
    """Say what was read over."""
    read = suggestions.as_written(pattern, pattern.spelling.glob)
    if not pattern.spelling.glob:
        return
    if pattern.spelling.rooted:
        yield _finding(
            FileCode.GLOB_HINT, f"Patterns begin at the root; this is read as `{read}`.", read
        )
    if pattern.spelling.trimmed:
        yield _finding(
            FileCode.GLOB_HINT,
            f"White space around it is left out; this is read as `{read}`.",
            read,
        )


def _meaning(cure: str | None) -> str:
    return "" if cure is None else f" Did you mean `{cure}`?"


def _scopes(intents: Intents) -> tuple[Scope, ...]:
    return compile_scopes([intent.owned_scope for intent in intents])


def _file_findings(intents: Intents, scopes: Sequence[Scope]) -> Iterator[ScopeFinding]:
    for intent, scope in zip(intents, scopes, strict=True):
        for at, pattern in enumerate(scope.compiled):
            # A refusal of the pattern's own is for `pattern_findings` to say.
            alone = compile_pattern(pattern.text, pattern.reading).refusal
            if pattern.refusal is not None and alone is None:
                message = f"Refused, it owns nothing: {pattern.refusal}."
                yield _scope_finding(intent.id, at, FileCode.BAD_GLOB, message)
            if reaches(pattern):
                message = (
                    "This pattern reaches into what governs agents; it permits no edits there."
                )
                yield _scope_finding(intent.id, at, FileCode.SCOPE_CONTROL_PLANE, message)
        for at, other in covered(scope.compiled):
            message = f"`{scope.patterns[other]}` already covers all of this."
            yield _scope_finding(intent.id, at, FileCode.COVERED_GLOB, message)


def _unmatched(
    intents: Intents, scopes: Sequence[Scope], survey: ScopeSurvey
) -> Iterator[ScopeFinding]:
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
            message = f"No file matches this pattern; the same goes for {others} below."
        yield _scope_finding(intent_id, at, FileCode.SCOPE_MATCHES_NOTHING, message)


def _overlaps(intents: Intents, survey: ScopeSurvey) -> Iterator[ScopeFinding]:
    for overlap in survey.overlaps():
        one, two = intents.items[overlap.first], intents.items[overlap.second]
        files = ", ".join(f"`{path}`" for path in overlap.files)
        yield ScopeFinding(
            intent_id=one.id,
            pattern_index=overlap.pattern_index,
            code=FileCode.SCOPE_OVERLAP,
            severity=_SEVERITIES[FileCode.SCOPE_OVERLAP],
            message=f"{one.id} and {two.id} both own {files}.",
            other=two.id,
        )


def _scope_finding(intent_id: IntentId, at: int, code: FileCode, message: str) -> ScopeFinding:
    return ScopeFinding(
        intent_id=intent_id,
        pattern_index=at,
        code=code,
        severity=_SEVERITIES[code],
        message=message,
    )
