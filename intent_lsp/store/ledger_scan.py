"""The examination of a ledger file's lines, many at once.

Invariant: a line belongs to the range of the file that it begins in, so that ranges can be
examined in any order and by anyone.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.chain import Flaw, Link
from intent_lsp.core.codes import LedgerCode
from intent_lsp.formats.ledger_lines import Stretch, examine_lines
from intent_lsp.store.ledger_file import Reader
from intent_lsp.store.ledger_pass import Packed, Piece
from intent_lsp.store.ledger_rows import rows

RANGE: Final = 128 * 1024
"""How many bytes a range has."""

_A_LINE: Final = 4 * 1024
_FURTHER: Final = 64 * 1024


def scan(read: Reader, size: int) -> Iterator[Piece]:
    """Examine each line of a file of `size` bytes by itself, in order."""
    for start in range(0, size, RANGE):
        yield from pieces(read, start, size)


def pieces(read: Reader, start: int, size: int) -> list[Piece]:
    """Examine the lines that begin in the range at `start`."""
    data = _beginning_in(read, start, size)
    end = data.rfind(b"\n") + 1
    examined = examine_lines(data[:end])
    found: list[Piece]
    found = [_packed(examined)] if isinstance(examined, Stretch) else [*examined]
    if end < len(data):
        message = f"{len(data) - end} bytes without a line end: they hold no answered record"
        found.append(Link(flaw=Flaw(LedgerCode.TORN_TAIL, message)))
    return found


def _packed(stretch: Stretch) -> Packed:
    first, last, ids, digests = stretch
    return Packed(first, last, len(ids), rows(ids, digests, first.prev))


def _beginning_in(read: Reader, start: int, size: int) -> bytes:
    """Read the lines that begin in a range, up to the end of the last of them."""
    begin, end = max(start - 1, 0), min(start + RANGE, size)
    data = read(begin, min(end + _A_LINE, size))
    # The range before has what stands before the first line end.
    first = data.find(b"\n") + 1 if start else 0
    if start and not first:
        return b""
    last = data.find(b"\n", end - begin - 1) + 1
    if last:
        return data[first:last]
    return data[first:] + _line_end(read, begin + len(data), size)


def _line_end(read: Reader, start: int, size: int) -> bytes:
    """Read the rest of a line, with its end if there is one."""
    parts = []
    while start < size and (more := read(start, min(start + _FURTHER, size))):
        last = more.find(b"\n") + 1
        parts.append(more[: last or None])
        if last:
            break
        start += len(more)
    return b"".join(parts)
