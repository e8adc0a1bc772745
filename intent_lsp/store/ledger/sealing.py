"""Events on their way into the chain: drafted, prepared, and sealed at the end of it."""

from typing import NamedTuple

from intent_lsp.core.ledger.chain import ChainCursor, ChainEnd, draft, place_at
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Event, Record
from intent_lsp.formats.ledger.jsonl import IndexEntry, Ready, entry_of, ready, seal_at


class Identified(NamedTuple):
    """An event with the id and the time that it keeps wherever it waits."""

    event: Event
    id: str
    timestamp: str


class Sealed(NamedTuple):
    """A record with its line, and what the index keeps of it."""

    record: Record
    line: bytes
    entry: IndexEntry


def touched_by(event: Event) -> frozenset[WorkspacePath]:
    """List the files of an event by their names of before and after."""
    ends = (end for file in event.files for end in (file.path, file.previous))
    return frozenset(end for end in ends if end is not None)


def drafted(identified: Identified) -> Record:
    """Give the record of an event that has no place in the chain yet."""
    event, id_, moment = identified
    return draft(event, id=id_, timestamp=moment, end=ChainEnd())


def prepared(identified: Identified) -> Ready:
    """Do what can be done before others wait for the lock."""
    return ready(drafted(identified))


def chain(made: Ready, trail: ChainCursor) -> Sealed:
    """Seal a record at the end of the chain, which then ends with it."""
    record, line = seal_at(made, place_at(trail.end))
    return follow(record, line, trail)


def follow(record: Record, line: bytes, trail: ChainCursor) -> Sealed:
    """Have the chain end with a record that is sealed."""
    entry = entry_of(record)
    trail.step(entry.link)
    return Sealed(record, line, entry)
