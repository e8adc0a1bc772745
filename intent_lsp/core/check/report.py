"""The report of a check: the judged changes, and the findings, their lines and fingerprints.

Specified in requirements section 14.

Invariant: a report fails only by findings of level ERROR.
Invariant: two findings of one report have different fingerprints. A fingerprint stays the same
while lines move or commits are rebased.
Invariant: where a run of lines is followed to a later version of its file, it still begins and ends
with lines of its own.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum

from msgspec import Struct, field

from intent_lsp.core.line_diff import Hunk
from intent_lsp.core.paths import WorkspacePath


class FindingLevel(StrEnum):
    """How much a finding matters. Only ERROR makes a check fail."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class CheckedPart(StrEnum):
    """What was checked: the files on disk, the index, or the commits of a range."""

    WORK_TREE = "work-tree"
    INDEX = "index"
    RANGE = "range"


class IntentSource(StrEnum):
    """Where the intents of a change come from. NONE: nothing names an intent."""

    OPTION = "option"
    TRAILER = "trailer"
    RECORDS = "records"
    BRANCH = "branch"
    NONE = "none"


class LineRun(Struct, frozen=True):
    """Lines `first` to `last` of a file, counted from 1, both included."""

    first: int
    last: int


class CheckFinding(Struct, frozen=True, kw_only=True):
    """One finding. `path` is relative to the checked root, or None if it concerns no file.

    `shown_path` is the same path relative to git's top. `lines` are those of the file as the change
    left it. `head_lines` are the same lines at the end of the checked range, or `lines` if no range
    is checked. Each is None for a whole file or for lines that are gone. `commit` is the commit
    that made the change, or None. `fingerprint` stays the same while the lines move.

    `undone`: a later commit of the range has restored the file. `of_ledger`: it is a problem of the
    ledger, and of no change.
    """

    code: str
    level: FindingLevel
    message: str
    path: WorkspacePath | None = None
    shown_path: str = ""
    lines: LineRun | None = None
    head_lines: LineRun | None = None
    commit: str | None = None
    intents: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    fingerprint: str = ""
    undone: bool = False
    of_ledger: bool = False


class CheckedChange(Struct, frozen=True, kw_only=True):
    """One commit, or the uncommitted changes (`commit` is None), and how it was judged.

    `hunks` counts the judged changes of lines, `recorded` those of them that records explain.
    `skipped` is why the change was not judged, or "".
    """

    commit: str | None
    subject: str
    intents: tuple[str, ...] = ()
    source: IntentSource = IntentSource.NONE
    agent: str = ""
    files: int = 0
    hunks: int = 0
    recorded: int = 0
    skipped: str = ""


class CheckReport(Struct, frozen=True, kw_only=True):
    """The result of a check. `base` and `head` are commit ids, None where there is none.

    `remarks` are sentences about what was not looked at. `records` counts the ledger's records.
    """

    part: CheckedPart
    base: str | None
    head: str | None
    changes: tuple[CheckedChange, ...]
    findings: tuple[CheckFinding, ...]
    records: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not self.count(FindingLevel.ERROR)

    @property
    def by_level(self) -> tuple[CheckFinding, ...]:
        """The findings, errors before warnings before notes."""
        return tuple(
            each for level in FindingLevel for each in self.findings if each.level is level
        )

    def count(self, level: FindingLevel) -> int:
        """Return the number of findings of a level."""
        return sum(finding.level is level for finding in self.findings)

    def of(self, change: CheckedChange) -> tuple[CheckFinding, ...]:
        """Return the findings of one change, without those of the ledger."""
        found = (each for each in self.findings if not each.of_ledger)
        return tuple(each for each in found if each.commit == change.commit)


def run_of_hunk(hunk: Hunk) -> LineRun:
    """Return the lines that a hunk wrote; if it only deleted, the line above the deleted ones.

    That is line 1 if there is none above.
    """
    if hunk.new_count:
        return LineRun(hunk.new_start + 1, hunk.new_start + hunk.new_count)
    line = max(hunk.new_start, 1)
    return LineRun(line, line)


def later_run(run: LineRun, hunks: Sequence[Hunk]) -> LineRun | None:
    """Return where a run of lines is after `hunks`, or None if none of its lines is left.

    The result goes from the first line that is left to the last, new lines between them included.
    """
    kept = [
        line + shift
        for line in range(run.first - 1, run.last)
        if (shift := _shift(line, hunks)) is not None
    ]
    return LineRun(kept[0] + 1, kept[-1] + 1) if kept else None


class Fingerprints(Struct):
    """Makes the fingerprints of one report's findings, in order."""

    made: Counter[str] = field(default_factory=Counter)

    def of(self, code: str, path: str | None, changed: Iterable[str]) -> str:
        """Return the fingerprint of a finding: 32 hexadecimal digits.

        `changed` are the lines that the finding is about. Several findings of the report with equal
        arguments get different fingerprints, since they are numbered in the order of the calls.
        """
        told = hashlib.sha256()
        for part in (code, path or "", *changed):
            told.update(part.encode("utf-8", "surrogatepass"))
            told.update(b"\0")
        key = told.hexdigest()
        self.made[key] += 1
        number = self.made[key]
        return hashlib.sha256(f"{key} {number}".encode()).hexdigest()[:32]


def _shift(line: int, hunks: Sequence[Hunk]) -> int | None:
    """Return how far down (negative: up) `hunks` move a line, or None if they remove it.

    Lines count from 0.
    """
    shift = 0
    for hunk in hunks:
        if line < hunk.old_start:
            break
        if line < hunk.old_start + hunk.old_count:
            return None
        shift = hunk.new_start + hunk.new_count - hunk.old_start - hunk.old_count
    return shift
