"""The lines of a file that somebody else wrote, one by one.

Invariant: no more than one line is held, and no line longer than a request may be.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of a line that are read (requirements section 10)."""


def foreign_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Give each line with its end, as far as it has one; None for one that is too long.

    Raises OSError.
    """
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None
