"""The report of a check: the changes that were judged, and what was found in them.

Specified in requirements section 14.

Invariant: a report fails only by findings of level ERROR.
"""

from enum import StrEnum

from msgspec import Struct

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
    """One finding. `path` is None if it concerns no file; `shown_path` is relative to git's top.

    `lines` are those of the file as the change left it, `head_lines` the same lines in the version
    that was checked out or asked for; each is None for a whole file or for lines that are gone.
    `commit` is None outside of a range. `fingerprint` stays the same while the lines move.
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
