"""Counts of edits by intent, path, session and the like, and the contents of a report.

Specified in ledger section 7.

Invariant: an edit is counted once in each group that it belongs to, and once in the total.
Invariant: memory grows with the groups, the pairs of intent and file, the hours and the days, never
with the edits. Of the records themselves only the newest are kept, up to a fixed number.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.ledger.verification import Verification
from intent_lsp.core.records import Contributor, Range, Record, RecordFile, ScopeValidation
from intent_lsp.core.report.timeline import Hour


class LineCount(Struct, frozen=True):
    """The numbers of lines that edits `added` and `removed`.

    `whole` counts the files that edits changed and that were not compared line by line, each once
    for each edit; they are not counted in lines.
    """

    added: int = 0
    removed: int = 0
    whole: int = 0

    def __add__(self, other: "LineCount") -> "LineCount":
        return LineCount(
            self.added + other.added, self.removed + other.removed, self.whole + other.whole
        )


class By(StrEnum):
    """The property that edits are grouped by."""

    INTENT = "intent"
    PATH = "path"
    SESSION = "session"
    CONTRIBUTOR = "contributor"
    TOOL = "tool"
    DAY = "day"
    VERDICT = "verdict"


class Tally(Struct):
    """The counts of one group of edits.

    `first` and `last` are the RFC 3339 times of the first and the last edit, "" without edits.
    `violations` counts edits recorded with FAIL, `failed` those whose call failed, `assumed` those
    that were not announced. `days` maps a day, `YYYY-MM-DD`, to its number of edits.
    """

    edits: int = 0
    lines: LineCount = LineCount()
    violations: int = 0
    failed: int = 0
    assumed: int = 0
    first: str = ""
    last: str = ""
    days: dict[str, int] = field(default_factory=dict)

    def count(self, record: Record, lines: LineCount, day: str) -> None:
        """Add one edit, the lines that it changed, and its day (`YYYY-MM-DD`) to this group."""
        self.edits += 1
        self.lines += lines
        self.violations += record.scope_validation is ScopeValidation.FAIL
        self.failed += not record.success
        self.assumed += record.is_assumed
        self.first = min(self.first or record.timestamp, record.timestamp)
        self.last = max(self.last, record.timestamp)
        self.days[day] = self.days.get(day, 0) + 1


class Groups(Struct):
    """The tallies of edits that are grouped by one property, such as their intent.

    `tallies` has the group's name as its key, None for edits without an intent, a file or an
    author.
    """

    by: By
    tallies: dict[str | None, Tally] = field(default_factory=lambda: defaultdict(Tally))

    def count(self, record: Record, lines: LineCount, day: str) -> None:
        """Add one edit to every group that it belongs to.

        `lines` are those that it changed in all its files, `day` is `YYYY-MM-DD`.
        """
        for name, share in shares(record, self.by, lines, day):
            self.tallies[name].count(record, share, day)

    def largest(self) -> Sequence[tuple[str | None, Tally]]:
        """Return the name and the tally of each group, the group with the most edits first.

        If the groups are days, they are in calendar order.
        """
        if self.by is By.DAY:
            return sorted(self.tallies.items(), key=lambda group: group[0] or "")
        return sorted(
            self.tallies.items(), key=lambda group: (-group[1].edits, group[0] is None, group[0])
        )


def shares(
    record: Record, by: By, lines: LineCount, day: str
) -> Iterable[tuple[str | None, LineCount]]:
    """Return each group that an edit belongs to, and the lines that the edit changed in the group.

    `by` is the property to group by. `lines` are those of all files, `day` is the edit's day. If
    edits are grouped by intent, path or contributor, the group of an edit without one is None.
    """
    name: str | None
    match by:
        case By.PATH:
            return _joined(_files(record))
        case By.CONTRIBUTOR:
            return _joined(_contributors(record))
        case By.INTENT:
            name = record.intent_id
        case By.SESSION:
            name = record.session_id
        case By.TOOL:
            name = record.tool_name
        case By.DAY:
            name = day
        case By.VERDICT:
            name = record.scope_validation.value
    return ((name, lines),)


def contributor_name(contributor: Contributor) -> str:
    """Return a contributor's kind and model, such as `AI anthropic/claude-opus-4-5`.

    A model that is unknown, or that only repeats the kind, is left out: `AI`, `HUMAN`.
    """
    kind, model = contributor.entity_type.value, contributor.model_identifier
    return kind if model in {kind.lower(), "unknown"} else f"{kind} {model}"


def _joined(found: Iterable[tuple[str, LineCount]]) -> Iterable[tuple[str | None, LineCount]]:
    """Add up the line counts of each name.

    Without any names, return one group named None with no lines.
    """
    counts: dict[str | None, LineCount] = {}
    for name, lines in found:
        counts[name] = counts[name] + lines if name in counts else lines
    return counts.items() or ((None, LineCount()),)


def _files(record: Record) -> Iterator[tuple[str, LineCount]]:
    for file in record.files:
        yield file.relative_path, count_of_files((file,))


def _contributors(record: Record) -> Iterator[tuple[str, LineCount]]:
    for file in record.files:
        runs: dict[str, list[Range]] = {}
        for talk in file.conversations:
            runs.setdefault(contributor_name(talk.contributor), []).extend(talk.ranges)
        for name, ranges in runs.items():
            yield name, count_of_runs(ranges)


def count_of_files(files: Iterable[RecordFile]) -> LineCount:
    """Return the number of lines that an edit added and removed in all of its `files`."""
    return sum(
        (
            count_of_runs([run for talk in file.conversations for run in talk.ranges])
            for file in files
        ),
        LineCount(),
    )


def count_of_runs(runs: Sequence[Range]) -> LineCount:
    """Return the number of lines that an edit added and removed in the ranges of one file.

    A file that was not compared line by line counts as 1 in `whole`, and has no lines. All lines of
    a range without `replaced` count as added.
    """
    added = removed = 0
    for run in runs:
        if run.fallback:
            return LineCount(whole=1)
        _, old, new = run.replaced or (0, 0, _length(run))
        added, removed = added + new, removed + old
    return LineCount(added, removed)


def _length(run: Range) -> int:
    return run.end_line - run.start_line + 1 if run.start_line else 0


NEWEST_KEPT: Final = 1_000
VIOLATIONS_KEPT: Final = 500

Pair = tuple[str | None, str]
"""An intent's id (None without one), and a file's path as the ledger spells it."""

_HOUR: Final = len("2026-11-21T20")
_DAY: Final = len("2026-11-21")


def _groups() -> Mapping[By, Groups]:
    return {by: Groups(by) for by in (By.INTENT, By.PATH, By.SESSION, By.CONTRIBUTOR)}


class ReportSurvey(Struct):
    """The counts for a report. Records are counted newest first; times and days are UTC.

    `pairs` counts edits by intent and file. `violating` counts only edits recorded with FAIL, in
    the same way. `newest` are the first NEWEST_KEPT records counted, `violations` the first
    VIOLATIONS_KEPT with FAIL.
    """

    total: Tally = field(default_factory=Tally)
    groups: Mapping[By, Groups] = field(default_factory=_groups)
    hours: Counter[tuple[Hour, ScopeValidation]] = field(default_factory=Counter)
    pairs: Counter[Pair] = field(default_factory=Counter)
    violating: Counter[Pair] = field(default_factory=Counter)
    newest: list[Record] = field(default_factory=list)
    violations: list[Record] = field(default_factory=list)

    def count(self, record: Record) -> None:
        """Count the record of one edit. It must be older than all records counted before."""
        violation = record.scope_validation is ScopeValidation.FAIL
        lines, day = count_of_files(record.files), record.timestamp[:_DAY]
        self.total.count(record, lines, day)
        for groups in self.groups.values():
            groups.count(record, lines, day)
        self.hours[record.timestamp[:_HOUR], record.scope_validation] += 1
        for path in {file.relative_path for file in record.files}:
            self.pairs[record.intent_id, path] += 1
            self.violating[record.intent_id, path] += violation
        if len(self.newest) < NEWEST_KEPT:
            self.newest.append(record)
        if violation and len(self.violations) < VIOLATIONS_KEPT:
            self.violations.append(record)


class ReportData(Struct, frozen=True, kw_only=True):
    """The contents of a report.

    `made_at` is an RFC 3339 time. `filters` are as the user typed them. `names` maps each intent's
    id to its name in the present intents file. `verification` is that of the whole ledger, not only
    of the records that `filters` select.
    """

    project: str
    product: str
    made_at: str
    filters: tuple[str, ...]
    names: Mapping[str, str]
    verification: Verification
    survey: ReportSurvey
