"""Batches: consecutive ledger lines with the fields to index (ledger section 4).

Invariant: a batch holds whole lines only.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from intent_lsp.formats.ledger.batch import Columns, index_lines
from intent_lsp.formats.ledger.jsonl import IndexEntry

TAIL: Final = 96
"""How many bytes before the last offset are compared to see if a file still holds what was read."""

_AT_ONCE: Final = 128 * 1024
"""About how many bytes of lines are parsed together."""


class BatchPart(NamedTuple):
    """Some consecutive ledger lines: the byte length of each, and the fields of each to index."""

    lengths: list[int]
    found: Columns | Sequence[IndexEntry]


class Batch(NamedTuple):
    """Consecutive lines of a ledger file.

    `size` is their length in bytes, `tail` their last `TAIL` bytes at most.
    """

    parts: Sequence[BatchPart]
    size: int
    tail: bytes


def batch(data: bytes, found: Sequence[IndexEntry]) -> Batch:
    """Return a batch of the lines in `data`, all of them whole, without parsing them.

    `found` are the fields of each line to index.
    """
    return Batch([BatchPart(_lengths(data), found)], len(data), data[-TAIL:])


def read_batch(data: bytes) -> Batch:
    """Parse the whole lines in `data`, and return them as a batch with their fields to index."""
    return Batch([*_parts(data)], len(data), data[-TAIL:])


def _parts(data: bytes) -> Iterator[BatchPart]:
    """Split whole lines into parts of about 128 KiB, and yield each part, parsed."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _AT_ONCE) + 1 or len(data)
        lines = data[start:end]
        yield BatchPart(_lengths(lines), index_lines(lines))
        start = end


def _lengths(data: bytes) -> list[int]:
    """Return the length of each whole line in bytes, with its line feed."""
    return [length + 1 for length in map(len, data.split(b"\n")[:-1])]
