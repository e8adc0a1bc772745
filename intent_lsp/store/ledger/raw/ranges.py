"""A ledger file cut into ranges, so that its lines can be looked at many at once and by anyone.

Invariant: a line belongs to the range of the file that it begins in.
"""

from typing import Final, NamedTuple

from intent_lsp.store.ledger.raw.file import Reader

RANGE: Final = 128 * 1024
"""How many bytes a range has."""

_A_LINE: Final = 4 * 1024
_FURTHER: Final = 64 * 1024


class RangeLines(NamedTuple):
    """The whole lines that begin in a range, and the bytes of a last one without a line end.

    `start` is where the first begins; it means nothing where there is none.
    """

    start: int
    data: bytes
    torn: bytes


def starts(size: int) -> range:
    """Give where the ranges of a file of `size` bytes begin."""
    return range(0, size, RANGE)


def lines_in(read: Reader, start: int, size: int) -> RangeLines:
    """Read the lines that begin in the range at `start`, up to the end of the last of them."""
    begin, end = max(start - 1, 0), min(start + RANGE, size)
    data = read(begin, min(end + _A_LINE, size))
    # The range before has what stands before the first line end.
    first = data.find(b"\n") + 1 if start else 0
    if start and not first:
        return RangeLines(start, b"", b"")
    last = data.find(b"\n", end - begin - 1) + 1
    if last:
        return RangeLines(begin + first, data[first:last], b"")
    data = data[first:] + _line_end(read, begin + len(data), size)
    whole = data.rfind(b"\n") + 1
    return RangeLines(begin + first, data[:whole], data[whole:])


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
