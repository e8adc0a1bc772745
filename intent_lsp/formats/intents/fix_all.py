"""*Fix all*: every safe fix of the intents file or the policy at once (requirements section 3.11).

Invariant: a fixed text means the same intents or the same policy, except that unknown keys and
statuses with a safe fix are read as they were meant.
Invariant: a fixed text has fewer findings than the text had, or is that text.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Span
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.suggestions import as_written
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.intents_file import IntentsFile, IntentsReader
from intent_lsp.formats.intents.policy_file import PolicyFile, read_policy

_ROUNDS: Final = 8
"""The most times that fixes are applied, each time those of the text so far."""

_MOST_READINGS: Final = 64
"""The number of fixed texts that are read to try fixes before no more are tried."""

_CORRECTING: Final = (FileCode.UNKNOWN_KEY, FileCode.UNKNOWN_STATUS)
"""The findings whose safe fixes change what is read, to what was plainly meant."""


class FixedText(Struct, frozen=True):
    """A text after *Fix all*, and the number of fixes that were applied."""

    text: str
    count: int


def fix_intents(text: str) -> FixedText:
    """Return what `FixAll.fixed` makes of a text of the intents file.

    The text is given and returned without a byte order mark. One that cannot be read is returned
    as it is. Never raises.
    """
    return FixAll(IntentsReader().read, _meaning_of_intents).fixed(text)


def fix_policy(text: str) -> FixedText:
    """Return what `FixAll.fixed` makes of a text of the policy.

    The text is given and returned without a byte order mark. One that cannot be read is returned
    as it is. Never raises.
    """
    return FixAll(read_policy, _meaning_of_policy).fixed(text)


def safely_fixable(findings: Sequence[Finding]) -> bool:
    """Return whether one of these findings has a fix that is marked as safe."""
    return any(fix.safe for finding in findings for fix in finding.fixes)


T = TypeVar("T", bound=IntentsFile | PolicyFile)


class FixAll(Generic[T]):
    """One run of *Fix all*. `read` reads a text, and `meaning` returns what a fix has to keep.

    Only the fixes of unknown keys and unknown statuses may change that meaning.
    """

    def __init__(self, read: Callable[[str], T], meaning: Callable[[T], object]) -> None:
        self._read, self._meaning = read, meaning
        self._readings = 0

    def fixed(self, text: str) -> FixedText:
        """Return the text with its safe fixes applied, then those of the fixed text, and so on.

        Of a finding, only the first fix counts. A fix is left out if it does not make the findings
        fewer. A fix that changes the meaning is left out too, unless it corrects an unknown key or
        status. Trials and rounds have a limit, and fixes that are not tried are left out.
        """
        count = 0
        for _ in range(_ROUNDS):
            before = self._read(text)
            correcting = _safe_fixes(before.findings, correcting=True)
            keeping = _safe_fixes(before.findings, correcting=False)
            # These are nearly always all good, and must not go short of readings for the others.
            taken = self._accepted(text, before, keeping, keeps=True)
            taken = taken or self._accepted(text, before, correcting, keeps=False)
            if not taken:
                break
            count += len(taken)
            text = _applied(text, taken)
        return FixedText(text, count)

    def _accepted(self, text: str, before: T, fixes: Sequence[Fix], *, keeps: bool) -> list[Fix]:
        """Return those of `fixes` that are good together: all of them if possible.

        `_good` decides what is good; `before` and `keeps` are as there.
        """
        if not fixes or self._readings >= _MOST_READINGS:
            return []
        if self._good(text, before, fixes, keeps=keeps):
            return list(fixes)
        if len(fixes) == 1:
            return []
        half = len(fixes) // 2
        first = self._accepted(text, before, fixes[:half], keeps=keeps)
        second = self._accepted(text, before, fixes[half:], keeps=keeps)
        both = [*first, *second]
        whole = not (first and second) or self._good(text, before, both, keeps=keeps)
        return both if whole else first

    def _good(self, text: str, before: T, fixes: Sequence[Fix], *, keeps: bool) -> bool:
        """Return whether the text with these fixes parses and has fewer findings than `before`.

        `before` is what `text` itself is read as. With `keeps`, the fixed text must also mean the
        same as `text`.
        """
        self._readings += 1
        after = self._read(_applied(text, fixes))
        if not after.parsed or len(after.findings) >= len(before.findings):
            return False
        return not keeps or self._meaning(after) == self._meaning(before)


def _safe_fixes(findings: Sequence[Finding], *, correcting: bool) -> list[Fix]:
    """Return safe fixes that do not overlap, in order of position.

    They are fixes of `findings`; only the first fix of a finding counts. Of two that overlap, the
    one that begins first is taken. With `correcting`, only the fixes of unknown keys and unknown
    statuses are returned, else only the others.
    """
    offered = [
        fix
        for finding in findings
        for fix in finding.fixes[:1]
        if fix.safe and fix.changes
        if (finding.code in _CORRECTING) is correcting
    ]
    offered.sort(key=lambda fix: fix.changes[0].span)
    taken: list[Fix] = []
    spans: list[Span] = []
    for fix in offered:
        if all(_free(spans, change.span) for change in fix.changes):
            taken.append(fix)
            for change in fix.changes:
                insort(spans, change.span)
    return taken


def _free(spans: Sequence[Span], span: Span) -> bool:
    """Return whether a span overlaps none of the sorted `spans`, and begins where none begins."""
    at = bisect_left(spans, span)
    before, after = spans[max(at - 1, 0) : at], spans[at : at + 1]
    return not any(one.end > span.start or one.start == span.start for one in before) and not any(
        span.end > one.start or one.start == span.start for one in after
    )


def _applied(text: str, fixes: Sequence[Fix]) -> str:
    changes = [change for fix in fixes for change in fix.changes]
    return apply_changes(text, sorted(changes, key=lambda change: change.span))


def _meaning_of_intents(read: IntentsFile) -> object:
    """Return the intents, each glob without what makes no difference, such as a leading `/`."""
    return [
        replace(intent, owned_scope=tuple(map(_bare, intent.owned_scope)))
        for intent in read.intents
    ]


def _meaning_of_policy(read: PolicyFile) -> object:
    """Return the policy, each glob without what makes no difference, such as a leading `/`."""
    policy = read.policy
    return replace(
        policy,
        generated=tuple(map(_bare, policy.generated)),
        spec_iteration_globs=tuple(map(_bare, policy.spec_iteration_globs)),
        deny_mutations=tuple(
            replace(rule, path_glob=_bare(rule.path_glob)) for rule in policy.deny_mutations
        ),
    )


def _bare(glob: str) -> str:
    pattern = compile_pattern(glob)
    return glob if pattern.refusal else as_written(pattern, pattern.spelling.glob)
