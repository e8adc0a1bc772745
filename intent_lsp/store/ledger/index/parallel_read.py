"""A ledger's file read for an index that is built from nothing, on all processors.

Specified in ledger section 4.

Invariant: what is given stands next in the file, from its beginning on and without a gap.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from intent_lsp.formats.ledger.batch import Columns
from intent_lsp.formats.ledger.jsonl import IndexEntry
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.ledger.index.batch import TAIL, Batch, BatchPart, read_part
from intent_lsp.store.ledger.raw.file import Reader, read_at
from intent_lsp.store.ledger.raw.pool import spread
from intent_lsp.store.ledger.raw.ranges import lines_in
from intent_lsp.store.ledger.raw.worker import Job, answer


class _Found(msgspec.Struct, array_like=True):
    """What an index keeps of one range's lines; `start` is where the first of them begins."""

    start: int
    lengths: list[int]
    columns: Columns | None
    entries: Sequence[IndexEntry]

    @property
    def part(self) -> BatchPart:
        return BatchPart(self.lengths, self.entries if self.columns is None else self.columns)


def batches(fd: int, size: int, least: int) -> Iterator[Batch]:
    """Read the whole lines of an open file of `size` bytes, in batches of `least` bytes or more.

    It ends early where the file is changed meanwhile, so that a line does not begin where the
    line above ended.
    """
    parts: list[BatchPart] = []
    begin = end = 0
    for found in spread(JOB, fd, size):
        if not found.lengths:
            continue
        if found.start != end:
            break
        parts.append(found.part)
        end += sum(found.lengths)
        if end - begin >= least:
            yield _batch(fd, parts, begin, end)
            parts, begin = [], end
    if parts:
        yield _batch(fd, parts, begin, end)


def main(words: Sequence[str]) -> None:
    """Tell standard output what is in a worker's ranges of the file that is standard input."""
    answer(JOB, words)


def _batch(fd: int, parts: Sequence[BatchPart], begin: int, end: int) -> Batch:
    return Batch(parts, end - begin, read_at(fd, max(begin, end - TAIL), end))


def _read(read: Reader, start: int, size: int) -> _Found:
    lines = lines_in(read, start, size)
    lengths, found = read_part(lines.data)
    if isinstance(found, Columns):
        return _Found(lines.start, lengths, found, [])
    return _Found(lines.start, lengths, None, found)


JOB: Final = Job(__name__, _read, _Found)


KNOWN: Final = register_msgspec_types(_Found)
