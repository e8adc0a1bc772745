"""The chain: how each record names the record before it, and what that proves (ledger section 2).

Invariant: a link is compared with the recomputed hash of its predecessor, never with what a line
says of itself.
Invariant: a line that cannot be read has no place in the chain: what is appended after it names
the last record before it, so that mending the line breaks no link.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Event, Integrity, Record, spelled
from intent_lsp.core.text import whole_event

UNSEALED = ContentHash("")


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with one line taken by itself."""

    code: LedgerCode
    message: str


class Link(NamedTuple):
    """What one line says of its place in the chain; `hash` is recomputed, and empty without one.

    `older`: an older tool wrote it, and its hash covers less than all of it; `bare`: it says
    nothing of its place, and follows the line above it.
    A named tuple, because a verification makes one for each of a million lines.
    """

    hash: ContentHash = UNSEALED
    id: str = ""
    timestamp: str = ""
    session_id: str = ""
    prev: ContentHash | None = None
    merges: tuple[ContentHash, ...] = ()
    flaw: Flaw | None = None
    older: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A record that no other names: `line` is counted from 1, `file` is relative to the root."""

    hash: ContentHash
    line: int
    session_id: str
    timestamp: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class ChainEnd:
    """Where a ledger ends: the last line's hash, and every head in order of line."""

    last: ContentHash | None = None
    heads: tuple[ContentHash, ...] = ()


def draft(event: Event, *, id: str, timestamp: str, end: ChainEnd) -> Record:  # noqa: A002 -- the key on the line
    """Put an event at the end of a ledger, tying its loose heads; its hash is still to come."""
    event = whole_event(event)
    record = Record.of(event, id=id, timestamp=timestamp, integrity=place_at(end))
    files = tuple(spelled(file) for file in event.files)
    return record if files == event.files else replace(record, files=files)


def place_at(end: ChainEnd) -> Integrity:
    """Chain a record at the end of a ledger, tying its loose heads; its hash is still to come."""
    return Integrity(
        prev_record_hash=end.last,
        merges=tuple(head for head in end.heads if head != end.last),
        record_hash=UNSEALED,
    )


@dataclass(slots=True)
class ChainCursor:
    """The links of a ledger's file, followed line by line; its memory is that of the open heads.

    `heads` maps a hash to its head in order of line; `lines` counts what was followed; `last` is
    the hash of the last record, and `last_time` its timestamp.
    """

    heads: dict[ContentHash, Head] = field(default_factory=dict)
    lines: int = 0
    last: ContentHash | None = None
    last_time: str = ""

    @property
    def end(self) -> ChainEnd:
        """Where the next record is chained on."""
        return ChainEnd(self.last, tuple(self.heads))

    def step(self, link: Link) -> tuple[ContentHash, ...]:
        """Follow one line; give the hashes that it names and that are no open head.

        Those have to stand on an earlier line, or in another file, for the link to join.
        """
        again = link.hash in self.heads
        prev = self.prev_of(link)
        self.pass_over(link)
        if again or not link.hash:
            return ()
        named = link.merges if prev is None else (prev, *link.merges)
        unknown = tuple(name for name in named if self.heads.pop(name, None) is None)
        self.heads[link.hash] = Head(link.hash, self.lines, link.session_id, link.timestamp)
        return unknown

    def pass_over(self, link: Link) -> None:
        """Count a line that is no record, or a copy of one elsewhere: it names nothing new."""
        self.lines += 1
        if link.hash:
            self.last, self.last_time = link.hash, link.timestamp

    def skip_to(self, link: Link, lines: int) -> None:
        """Follow as many lines as that, each after the one above; `link` is the last of them."""
        if self.last is not None:
            self.heads.pop(self.last, None)
        self.lines += lines
        self.last, self.last_time = link.hash, link.timestamp
        head = Head(link.hash, self.lines, link.session_id, link.timestamp)
        self.heads.setdefault(link.hash, head)

    def prev_of(self, link: Link) -> ContentHash | None:
        """Give what the next line follows: what it names, or the line above if it is bare."""
        return self.last if link.bare else link.prev

    def goes_on(self, link: Link) -> bool:
        """Find out whether the next line follows the record right above it."""
        return self.last is not None and self.prev_of(link) == self.last

    def goes_back(self, link: Link) -> bool:
        """Find out whether a line's clock is behind that of the record it follows directly."""
        return link.prev == self.last and bool(link.hash) and link.timestamp < self.last_time
