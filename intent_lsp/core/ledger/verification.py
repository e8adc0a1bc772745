"""The result of verifying a ledger: the first problem of each code, and what the anchors prove.

Specified in ledger section 2.

Invariant: each code is reported once, with the number of further problems that have it.
Invariant: a record is called proved only by an anchor whose own record is in the ledger's files.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct, field

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Head
from intent_lsp.core.text import counted

HEADS_AT_MOST: Final = 64
"""The most heads that one checkpoint names. For a ledger with more, no checkpoint can be made."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """What identifies a state of a ledger: its origin, its size and its heads.

    `origin` is the hash of the first record, which identifies the ledger without a host or a user.
    `count` is the number of records. `heads` are the hashes of the heads; there is more than one
    only while branches are not merged yet.
    """

    origin: ContentHash
    count: int
    heads: tuple[ContentHash, ...]


class AnchorKind(StrEnum):
    """What attests the hash of an anchor: the user, a commit, a checkpoint or this machine."""

    GIVEN = "given"
    COMMIT = "commit"
    EARLIER_COMMIT = "earlier commit"
    CHECKPOINT = "checkpoint"
    KNOWN_HEAD = "known head"


class Anchor(Struct, frozen=True, kw_only=True):
    """A hash that something outside of the ledger attests. `name` says what, such as a commit's id.

    `records` is the number of records up to and including the record with this hash, or None if no
    ledger file contains it.
    """

    hash: ContentHash
    kind: AnchorKind
    name: str = ""
    records: int | None = None


class LedgerProblem(Struct, frozen=True, kw_only=True):
    """The first problem of one code in a ledger. `file` is relative to the root, `line` from 1."""

    code: LedgerCode
    severity: Severity
    file: str
    line: int
    message: str


class Verification(Struct, frozen=True, kw_only=True):
    """The result of `verify`. `ok`: no problem is an ERROR.

    `records` counts the readable records, `segments` the files that contain them. `anchors` are the
    given anchors in the given order; `with_cut_ends` removes those whose record may rightly be
    missing. `proved` is a clause that says which records are proved unchanged, `conditional` one
    that says which could have been rewritten. `files` are all files read, including empty ones,
    relative to the root.
    """

    ok: bool
    records: int
    segments: int
    heads: tuple[Head, ...]
    problems: tuple[LedgerProblem, ...]
    anchors: tuple[Anchor, ...] = ()
    proved: str
    conditional: str
    files: tuple[str, ...] = ()

    @property
    def wrong(self) -> set[LedgerCode]:
        """The codes of the problems that are errors."""
        return {each.code for each in self.problems if each.severity is Severity.ERROR}

    @property
    def shown_anchors(self) -> list[Anchor]:
        """The anchors to show to people: all except known heads whose record the ledger has."""
        return [
            each
            for each in self.anchors
            if each.kind is not AnchorKind.KNOWN_HEAD or each.records is None
        ]


CUT_OFF: Final = frozenset({LedgerCode.TRUNCATED, LedgerCode.MISSING_SEGMENT})
"""The codes that say that records are missing. If no other code is an error, the rest is intact."""

_SEVERITY: Final[Mapping[LedgerCode, Severity]] = {
    LedgerCode.TORN_TAIL: Severity.WARNING,
    LedgerCode.UNTIED_HEADS: Severity.INFORMATION,
    LedgerCode.CLOCK_BACKWARDS: Severity.INFORMATION,
    LedgerCode.OLDER_RECORDS: Severity.INFORMATION,
    LedgerCode.HEAD_ELSEWHERE: Severity.INFORMATION,
}


class LedgerPlace(NamedTuple):
    """A line of a ledger: the index of its file in reading order, and the line from 1."""

    file: int
    line: int


class FirstProblems(Struct):
    """Collects the problems of a ledger: the first of each code, and how many have that code.

    `files` are the names of the ledger's files, in reading order.
    """

    files: list[str] = field(default_factory=list)
    firsts: dict[LedgerCode, tuple[LedgerPlace, str]] = field(default_factory=dict)
    counts: Counter[LedgerCode] = field(default_factory=Counter)

    def note(self, code: LedgerCode, place: LedgerPlace, message: str) -> None:
        """Add a problem at a line of the ledger. Problems may be added in any order."""
        self.counts[code] += 1
        known = self.firsts.get(code)
        if known is None or place < known[0]:
            self.firsts[code] = place, message

    def first(self) -> list[LedgerProblem]:
        """Return the first problem of each code, sorted by file and line."""
        found = []
        for code, (place, message) in sorted(self.firsts.items(), key=lambda item: item[1][0]):
            told = with_others(message, self.counts[code] - 1)
            found.append(problem(code, self.files[place.file], place.line, told))
        return found


_SHORT: Final = 12
_NAMED: Final = 3


class Extent(Struct, frozen=True, kw_only=True):
    """How many records a ledger has, how many of them anchors prove, and how many heads are open.

    `consistent`: the verification found no problem of the severity ERROR.
    """

    records: int
    proven: int
    heads: int
    consistent: bool


def problem(code: LedgerCode, file: str, line: int, message: str) -> LedgerProblem:
    """Return a problem at a line of a ledger file. Its code decides how severe it is."""
    severity = _SEVERITY.get(code, Severity.ERROR)
    return LedgerProblem(code=code, severity=severity, file=file, line=line, message=message)


def with_others(message: str, count: int) -> str:
    """Return a problem's message and, if `count` is not 0, how many others have the same code."""
    return f"{message} (and {count:,} more of this kind)" if count else message


def proved(anchors: Sequence[Anchor], extent: Extent) -> str:
    """Return a clause that says which records are proved unchanged, and by which anchors.

    It names three anchors at most. If no record is proved, it is `nothing: ` and the reason.
    """
    if not anchors:
        return "nothing: there is no commit, checkpoint or other hash to compare with"
    if not extent.consistent:
        return "nothing: the ledger has errors"
    held = [(anchor.records, anchor) for anchor in anchors if anchor.records]
    if not held:
        return "nothing: the ledger has none of the hashes that it was compared with"
    held.sort(key=lambda found: found[0], reverse=True)
    told = []
    for count, anchor in held:
        sentence = f"{unchanged(count, extent.records)} since {_anchor_name(anchor)}"
        if sentence not in told:
            told.append(sentence)
    count = len(told) - _NAMED
    are = "is" if count == 1 else "are"
    more = f"; {counted(count, 'more such proof')} {are} not shown" if count > 0 else ""
    return "; ".join(told[:_NAMED]) + more


def conditional(extent: Extent) -> str:
    """Return a clause that says which records no anchor proves: they could be rewritten.

    It is `nothing: ` and a reason if there are none, `all records: …` if the ledger has errors.
    """
    if not extent.consistent:
        return "all records: the ledger has errors"
    if not extent.records:
        return "nothing: the ledger has no record yet"
    rest = extent.records - extent.proven
    if not rest:
        return "nothing: all records are proven"
    unproven = _unproven(rest, extent)
    if extent.heads > 1:
        branches = extent.heads - 1
        others = "another branch" if branches == 1 else f"{branches:,} other branches"
        unproven = f"{unproven}, and {others} of the ledger"
    return f"someone with write access could have rewritten {unproven}"


def _unproven(count: int, extent: Extent) -> str:
    if count == extent.records:
        return "the only record" if count == 1 else f"all {count:,} records"
    return "the record after that" if count == 1 else f"the {count:,} records after that"


def unchanged(count: int, records: int) -> str:
    """Return a clause that says that the first `count` of a ledger's `records` are unchanged."""
    if records == 1:
        return "the only record is unchanged"
    if count == records:
        return f"all {count:,} records are unchanged"
    if count == 1:
        return f"the first of {records:,} records is unchanged"
    return f"the first {count:,} of {records:,} records are unchanged"


def _anchor_name(anchor: Anchor) -> str:
    match anchor.kind:
        case AnchorKind.COMMIT | AnchorKind.EARLIER_COMMIT:
            return f"commit {anchor.name[:_SHORT]}"
        case AnchorKind.KNOWN_HEAD:
            return "the newest record that this machine knows"
        case AnchorKind.CHECKPOINT:
            return f"the checkpoint {anchor.name}".rstrip()
        case AnchorKind.GIVEN:
            return f"the record with the hash {anchor.hash[: len('sha256:') + _SHORT]}"
