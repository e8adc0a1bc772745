"""From event to sealed record: drafting, serializing, and sealing at the end of the chain."""

from typing import NamedTuple

from intent_lsp.core.ledger.chain import ChainCursor, ChainEnd, draft, place_at
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Event, Record
from intent_lsp.formats.ledger.jsonl import IndexEntry, Ready, entry_of, ready, seal_at


class Identified(NamedTuple):
    """An event with the id and the timestamp of its record. Queueing the record changes neither."""

    event: Event
    id: str
    timestamp: str


class Sealed(NamedTuple):
    """A sealed record, its ledger line, and its index entry."""

    record: Record
    line: bytes
    entry: IndexEntry


def touched_by(event: Event) -> frozenset[WorkspacePath]:
    """Return the present and the previous paths of an event's files."""
    ends = (end for file in event.files for end in (file.path, file.previous))
    return frozenset(end for end in ends if end is not None)


def drafted(identified: Identified) -> Record:
    """Return the record of an event, before it is linked into the chain."""
    event, id_, moment = identified
    return draft(event, id=id_, timestamp=moment, end=ChainEnd())


def prepared(identified: Identified) -> Ready:
    """Serialize as much of an event's record as is possible before the ledger's lock is taken."""
    return ready(drafted(identified))


def chain(made: Ready, trail: ChainCursor) -> Sealed:
    """Seal a prepared record at the end of the chain, and advance the cursor `trail` to it."""
    record, line = seal_at(made, place_at(trail.end))
    return follow(record, line, trail)


def follow(record: Record, line: bytes, trail: ChainCursor) -> Sealed:
    """Advance the cursor `trail` to a sealed record, and return the record with its index entry."""
    entry = entry_of(record)
    trail.step(entry.link)
    return Sealed(record, line, entry)
