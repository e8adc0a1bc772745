"""A new file that an export is written into, line by line.

Invariant: nothing that was there before is touched, and no half of an export stays behind.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
