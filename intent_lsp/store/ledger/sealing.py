"""The steps from an event to a sealed record: drafting, serializing, sealing at the chain's end."""

from typing import NamedTuple

from intent_lsp.core.ledger.chain import ChainCursor, ChainEnd, draft, place_at
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Event, Record
from intent_lsp.formats.ledger.jsonl import IndexEntry, Ready, entry_of, ready, seal_at


class Identified(NamedTuple):
    """An event with the id and the timestamp of its record.

    The id and the timestamp stay the same if the event is queued.
    """

    event: Event
    id: str
    timestamp: str


class Sealed(NamedTuple):
    """A sealed record, its ledger line, and the fields that the index stores for it (`entry`)."""

    record: Record
    line: bytes
    entry: IndexEntry


def touched_by(event: Event) -> frozenset[WorkspacePath]:
    """Return the paths of an event's files, and the previous paths of those that were renamed."""
    ends = (end for file in event.files for end in (file.path, file.previous))
    return frozenset(end for end in ends if end is not None)


def drafted(identified: Identified) -> Record:
    """Return the record of an event, still without a place in the chain and without a hash."""
    event, id_, moment = identified
    return draft(event, id=id_, timestamp=moment, end=ChainEnd())


def prepared(identified: Identified) -> Ready:
    """Return an event's record, serialized as far as possible before the ledger's lock is taken."""
    return ready(drafted(identified))


def chain(made: Ready, trail: ChainCursor) -> Sealed:
    """Seal a prepared record at the end of the chain, and return it with its line and index entry.

    `trail` is the cursor at the end of the chain; it is advanced to the record.
    """
    record, line = seal_at(made, place_at(trail.end))
    return follow(record, line, trail)


def follow(record: Record, line: bytes, trail: ChainCursor) -> Sealed:
    """Advance the cursor `trail` to a sealed record, which then is the last one in the chain.

    `line` is the record's ledger line. Return the record with its line and its index entry.
    """
    entry = entry_of(record)
    trail.step(entry.link)
    return Sealed(record, line, entry)
