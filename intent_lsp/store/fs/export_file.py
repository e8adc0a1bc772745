"""Files of other tools: exports written, and foreign ledgers read line by line.

Invariant: nothing that was there before is touched, and no half of an export stays behind.
Invariant: no more than one line is held, and no line longer than a request may be.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of a line that are read (requirements section 10)."""


@contextmanager
def new_file(path: Path) -> Iterator[Callable[[bytes], object]]:
    """Make a file and give what writes to it; on any error the file goes again.

    Raises OSError, FileExistsError where anything has that name.
    """
    try:
        with path.open("xb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise


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
