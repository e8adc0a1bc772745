"""The hash chain: how each record names the one before it, and how to follow it (ledger section 2).

Invariant: a link is compared with the recomputed hash of its predecessor, never with the hash that
a line states.
Invariant: a line that cannot be parsed is not part of the chain. A record appended after such a
line names the last parsable record; that link stays valid if somebody repairs the line.
Invariant: no text makes a record unwritable, since what cannot be encoded as UTF-8 is replaced.
"""

import re
from typing import Final, NamedTuple

from msgspec import Struct, field, json
from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import Event, Integrity, Record, spelled
from intent_lsp.core.text import REPLACEMENT, whole

UNSEALED = ContentHash("")
"""The hash of a record that is not sealed yet."""


class Flaw(Struct, frozen=True):
    """What is wrong with one line of a ledger, without regard to other lines."""

    code: LedgerCode
    message: str


class Link(NamedTuple):
    """A ledger line's place in the chain. `hash` is recomputed, and empty if the line is no record.

    `prev` and `merges` are the hashes of the records that the line names as its predecessors.
    `flaw` is what is wrong with the line itself, or None. `older`: an older tool wrote the line, so
    that its hash does not cover the whole line. `bare`: the line names no predecessor and follows
    the record above. Links are named tuples, because verification makes one for each of a million
    lines.
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


class Head(Struct, frozen=True):
    """A record that no other names as its predecessor. `line` is its line in `file`, from 1.

    `file` is relative to the root.
    """

    hash: ContentHash
    line: int
    session_id: str
    timestamp: str = ""
    file: str = ""


class ChainEnd(Struct, frozen=True):
    """The end of a ledger: the last record's hash, and the hashes of all heads in line order."""

    last: ContentHash | None = None
    heads: tuple[ContentHash, ...] = ()


def draft(event: Event, *, id: str, timestamp: str, end: ChainEnd) -> Record:  # noqa: A002 -- the key on the line
    """Return an event as the next record of the ledger that ends at `end`.

    The record has no hash yet. It names the last record and all other open heads as predecessors.
    Surrogates in its texts are replaced, and paths that are not UTF-8 are percent-encoded.
    """
    event = whole_event(event)
    record = Record.of(event, id=id, timestamp=timestamp, integrity=place_at(end))
    files = tuple(spelled(file) for file in event.files)
    return record if files == event.files else replace(record, files=files)


def place_at(end: ChainEnd) -> Integrity:
    """Return the chain fields of the next record of the ledger that ends at `end`.

    The last record becomes `prev_record_hash`, and all other open heads become `merges`. The
    `record_hash` is UNSEALED.
    """
    return Integrity(
        prev_record_hash=end.last,
        merges=tuple(head for head in end.heads if head != end.last),
        record_hash=UNSEALED,
    )


class ChainCursor(Struct):
    """Follows the chain through a ledger's file line by line. Its memory grows with the open heads.

    `heads` are the open heads by their hashes, in line order: the records that no line so far names
    as predecessor. `lines` counts the lines so far. `last` is the hash of the last record,
    `last_time` its timestamp.
    """

    heads: dict[ContentHash, Head] = field(default_factory=dict)
    lines: int = 0
    last: ContentHash | None = None
    last_time: str = ""

    @property
    def end(self) -> ChainEnd:
        """The end of the ledger so far, from which the next record is chained."""
        return ChainEnd(self.last, tuple(self.heads))

    def step(self, link: Link) -> tuple[ContentHash, ...]:
        """Follow one line. Return the hashes that the line names and that are no open heads.

        The heads that the line names are closed, and its record becomes a head. A returned hash is
        a broken link, unless an earlier line or another file has the record with that hash. Return
        () for a line that is no record or a copy of an open head; heads do not change then.
        """
        # A line whose record is an open head already is a copy of it, and opens no second head.
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
        """Count one line. If it holds a record, that becomes the last one. Heads do not change."""
        self.lines += 1
        if link.hash:
            self.last, self.last_time = link.hash, link.timestamp

    def skip_to(self, link: Link, lines: int) -> None:
        """Follow `lines` lines at once, each of which names the record above it as its predecessor.

        `link` is that of the last of these lines.
        """
        if self.last is not None:
            self.heads.pop(self.last, None)
        self.lines += lines
        self.last, self.last_time = link.hash, link.timestamp
        head = Head(link.hash, self.lines, link.session_id, link.timestamp)
        self.heads.setdefault(link.hash, head)

    def prev_of(self, link: Link) -> ContentHash | None:
        """Return the hash of the predecessor of the next line, whose link is `link`, or None.

        A bare line names no predecessor: it follows the record above it. Any other line follows the
        record that it names, if it names one.
        """
        return self.last if link.bare else link.prev

    def goes_on(self, link: Link) -> bool:
        """Whether the next line, whose link is `link`, follows the last record so far.

        It does if `prev` names that record, or the line is bare. False if there is no record yet.
        The line need not be a record.
        """
        return self.last is not None and self.prev_of(link) == self.last

    def goes_back(self, link: Link) -> bool:
        """Whether the next line is a record that names the last one but has an earlier timestamp.

        `link` is that of the next line. False if the next line names no predecessor.
        """
        return link.prev == self.last and bool(link.hash) and link.timestamp < self.last_time


_NAMES: Final = ("relative_path", "previous_path")
"""The fields with the name of a file."""

# Surrogates outside U+DC80 to U+DCFF. Those inside stand for bytes of a file's name.
_IN_NO_NAME: Final = re.compile("[\\ud800-\\udc7f\\udd00-\\udfff]")


def whole_event(event: Event) -> Event:
    """Return the event with the surrogates in its texts replaced by U+FFFD.

    In file names, surrogates that stand for bytes stay: `core.records.spelled` converts them.
    """
    try:
        json.encode(event)
    except UnicodeEncodeError:
        return replace(event, **_whole_fields(event))
    return event


def _whole_fields(value: Struct) -> dict[str, object]:
    """Return the fields of an event, or of a part, by name: each value as `_whole` returns it."""
    return {name: _whole(getattr(value, name), name) for name in value.__struct_fields__}


def _whole(value: object, name: str) -> object:
    """Return a value with the surrogates in its texts replaced by U+FFFD.

    `name` is the field with the value. In a field of _NAMES, surrogates that stand for bytes stay.
    """
    if isinstance(value, str):
        return _IN_NO_NAME.sub(REPLACEMENT, value) if name in _NAMES else whole(value)
    if isinstance(value, tuple):
        return tuple([_whole(each, name) for each in value])
    return replace(value, **_whole_fields(value)) if isinstance(value, Struct) else value
