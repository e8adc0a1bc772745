"""Files written in place: whole lines appended, or the first bytes overwritten.

Invariant: only `overwrite` changes existing bytes.
Invariant: an append overwrites nothing, whatever other writers append meanwhile.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.store.fs.files import is_at, plain_file
from intent_lsp.store.fs.write import write_all
from intent_lsp.store.locks.file_lock import try_lock, wait_for

_MODE: Final = 0o666
_WAIT_SECONDS: Final = 1.0


def append_text(path: Path, text: str) -> None:
    """Append `text`, whole lines, to a file that people read (requirements section 2).

    If the file's last line is unfinished, it is ended first. The file is created if needed; its
    directory must exist. A lone surrogate in `text` is written as `?`. Raise UnsafePathError if the
    path is not a regular file, or OSError.
    """
    # Closing the file releases the lock.
    with plain_file(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE) as descriptor:
        # Without the lock, a line that another process is writing would be taken for an unfinished
        # one. If the lock cannot be had in time, append all the same.
        with suppress(OSError):
            wait_for(partial(try_lock, descriptor), _WAIT_SECONDS)
        write_all(descriptor, (_line_end(descriptor) + text).encode("utf-8", "replace"))


def append_once(path: Path, data: bytes, *, mode: int) -> int:
    """Append `data` to a file in one write, and return the file's new size in bytes.

    The file is created with `mode` if needed. If the file is replaced or removed during the write,
    `data` is appended to the new file at `path` as well. Raise UnsafePathError if the path is not a
    regular file, or OSError, also if only a part of `data` was written.
    """
    while True:
        with plain_file(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode) as descriptor:
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, "the disk is full: only a part was written")
            if is_at(descriptor, path):
                return os.fstat(descriptor).st_size


def overwrite(path: Path, changed: Callable[[bytes], bytes], *, at_most: int, mode: int) -> None:
    """Overwrite the start of a file with what `changed` returns for its first `at_most` bytes.

    Bytes beyond the returned ones stay. All is written in one write, without syncing or a check
    that all bytes were written. The file is created with `mode` if needed. Raise UnsafePathError if
    the path is not a regular file, or OSError.
    """
    with plain_file(path, os.O_RDWR | os.O_CREAT, mode) as descriptor:
        data = changed(os.read(descriptor, at_most))
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, data)


def _line_end(descriptor: int) -> str:
    """Return a line feed if a file is not empty and its last line has no line end, else ""."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return ""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return "" if os.read(descriptor, 1) in (b"\n", b"\r") else "\n"
