"""Lines that stand next in a file, as they go into the index (ledger section 4).

Invariant: a batch holds whole lines alone.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from intent_lsp.formats.ledger.batch import Columns, index_lines
from intent_lsp.formats.ledger.jsonl import IndexEntry

TAIL: Final = 96
"""How many bytes tell that a file still holds what was read of it."""

_AT_ONCE: Final = 128 * 1024


class BatchPart(NamedTuple):
    """How many bytes each of some lines has, and what the index keeps of it."""

    lengths: list[int]
    found: Columns | Sequence[IndexEntry]


class Batch(NamedTuple):
    """Lines that stand next in a file: `size` bytes, the last of which are `tail`."""

    parts: Sequence[BatchPart]
    size: int
    tail: bytes


def batch(data: bytes, found: Sequence[IndexEntry]) -> Batch:
    """Put whole lines together with what the index keeps of each."""
    return Batch([BatchPart(_lengths(data), found)], len(data), data[-TAIL:])


def read_batch(data: bytes) -> Batch:
    """Read what the index keeps of whole lines."""
    return Batch([*_parts(data)], len(data), data[-TAIL:])


def _parts(data: bytes) -> Iterator[BatchPart]:
    """Read a handful of lines at a time."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _AT_ONCE) + 1 or len(data)
        lines = data[start:end]
        yield BatchPart(_lengths(lines), index_lines(lines))
        start = end


def _lengths(data: bytes) -> list[int]:
    return [length + 1 for length in map(len, data.split(b"\n")[:-1])]
