"""Scan of a ledger file: examines each line on its own, in batches, by one process or several."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.ledger.chain import Flaw, Link
from intent_lsp.formats.ledger.batch import LinkedBatch, examine_lines
from intent_lsp.formats.ledger.jsonl import examine
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.ledger.raw.file import Reader
from intent_lsp.store.ledger.raw.pool import Job, answer, lines_in, nobody, spread, starts
from intent_lsp.store.ledger.verify.link_check import Piece
from intent_lsp.store.ledger.verify.link_table import Packed, id_keys


class _Found(msgspec.Struct, array_like=True):
    """The result of examining the lines in one range of a file.

    `packed` are all its whole lines if there are several and they are such as `Packed` describes,
    else None. `links` are all other lines, one by one.
    """

    packed: Packed | None
    links: Sequence[Link]

    @property
    def pieces(self) -> list[Piece]:
        """The result as a list: the packed lines, if there are any, then the other lines."""
        return [*([] if self.packed is None else [self.packed]), *self.links]


def scan(read: Reader, size: int) -> Iterator[Piece]:
    """Examine each line of a ledger file of `size` bytes, and yield the results in line order.

    `read` reads the file by offsets. A `Packed` is the result for several lines.
    """
    for start in starts(size):
        yield from _examined(read, start, size).pieces


def scan_widely(
    fd: int, size: int, workers: int | None = None, progress: Callable[[int], None] = nobody
) -> Iterator[Piece]:
    """Yield the results of `scan` for an open ledger file, using several processes if it is large.

    `workers` is the number of worker processes, or None to choose it by the size and the machine.
    `progress` is called with the bytes done.
    """
    for found in spread(_JOB, fd, size, workers, progress):
        yield from found.pieces


def main(words: Sequence[str]) -> None:
    """Run in a worker process: examine parts of the file on standard input, as `answer` does."""
    answer(_JOB, words)


def _examined(read: Reader, start: int, size: int) -> _Found:
    """Examine the lines that begin in the range at the offset `start` of a file of `size` bytes."""
    lines = lines_in(read, start, size)
    whole = lines.rfind(b"\n") + 1
    examined = examine_lines(lines[:whole])
    torn = [_torn(lines[whole:])] if lines[whole:] else []
    if isinstance(examined, LinkedBatch):
        first, last, ids, digests = examined
        packed = Packed(first, last, len(ids), id_keys(ids), b"".join(digests))
        return _Found(packed, torn)
    return _Found(None, [*examined, *torn])


def _torn(line: bytes) -> Link:
    """Return the result for a last line without line feed, with the flaw that it is torn.

    The result has a hash only if nothing but the line feed is missing.
    """
    link = examine(line + b"\n")
    if link.flaw is None:
        message = "the last line lacks only its line feed; its record counts, nothing is lost"
        return link._replace(flaw=Flaw(LedgerCode.TORN_TAIL, message))
    size = len(line)
    message = (
        f"the last line is incomplete or damaged ({size} bytes) and counts as no record;"
        " `intent-lsp trace recover` adds the record if a copy is left"
    )
    return Link(flaw=Flaw(LedgerCode.TORN_TAIL, message))


_JOB: Final = Job(__name__, _examined, list[_Found])


KNOWN: Final = register_msgspec_types(_Found)
