"""Ranges of a ledger file, whose lines can be examined independently and in parallel.

Invariant: a line belongs to the range in which it begins.
"""

from typing import Final, NamedTuple

from intent_lsp.store.ledger.raw.file import Reader

RANGE: Final = 128 * 1024
"""The size of a range in bytes."""

_A_LINE: Final = 4 * 1024
"""How many bytes beyond a range are read at once, enough for the rest of most lines."""
_FURTHER: Final = 64 * 1024


class RangeLines(NamedTuple):
    """The whole lines that begin in a range, and a torn last line without a line feed.

    `start` is the offset of the first line. It has no meaning if no line begins in the range.
    """

    start: int
    data: bytes
    torn: bytes


def starts(size: int) -> range:
    """Return the offsets of the ranges of a file of `size` bytes."""
    return range(0, size, RANGE)


def lines_in(read: Reader, start: int, size: int) -> RangeLines:
    """Return the lines that begin in the range at `start`, with all of the last line."""
    begin, end = max(start - 1, 0), min(start + RANGE, size)
    data = read(begin, min(end + _A_LINE, size))
    # Bytes before the first line feed belong to a line of an earlier range.
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
    """Return the rest of a line from `start` on, with its line feed if it has one."""
    parts = []
    while start < size and (more := read(start, min(start + _FURTHER, size))):
        last = more.find(b"\n") + 1
        parts.append(more[: last or None])
        if last:
            break
        start += len(more)
    return b"".join(parts)
