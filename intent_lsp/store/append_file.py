"""Files of ours that are written in place: text and lines behind what is there, or a few over it.

Invariant: what is there stays but for `overwrite`; lines of two writers do not mix, nor does one go
on a torn one.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.store.fs.files import is_at, open_plain
from intent_lsp.store.fs.write import write_all
from intent_lsp.store.locks.file_lock import try_lock, wait_for

_MODE: Final = 0o666
_WAIT_SECONDS: Final = 1.0


def append_text(path: Path, text: str) -> None:
    """Append whole lines to a file that people read (requirements section 2).

    It is made where it is missing, its directory has to exist; a lone surrogate becomes `?`.
    Raises UnsafePathError when no regular file is there, OSError.
    """
    descriptor = open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _MODE)
    try:
        # Half of another's lines would be taken for a torn one. Where nobody can lock, or somebody
        # holds it too long, it is appended all the same.
        with suppress(OSError):
            wait_for(partial(try_lock, descriptor), _WAIT_SECONDS)
        write_all(descriptor, (_line_end(descriptor) + text).encode("utf-8", "replace"))
    finally:
        # The lock ends with it.
        os.close(descriptor)


def append_once(path: Path, data: bytes, *, mode: int) -> int:
    """Append in one call to the file that has the name, made where it is missing; give its size.

    One that is replaced meanwhile has it, and so has the new one. Raises as `append_text`.
    """
    while True:
        descriptor = open_plain(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        try:
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, "the disk took only a part")
            if is_at(descriptor, path):
                return os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)


def overwrite(path: Path, changed: Callable[[bytes], bytes], *, at_most: int, mode: int) -> None:
    """Put what `changed` makes of a file's first `at_most` bytes over them, in one call.

    The disk is not asked to keep it. Raises as `append_text`.
    """
    descriptor = open_plain(path, os.O_RDWR | os.O_CREAT, mode)
    try:
        data = changed(os.read(descriptor, at_most))
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def _line_end(descriptor: int) -> str:
    """Give what ends the line that somebody else left open."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return ""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return "" if os.read(descriptor, 1) in (b"\n", b"\r") else "\n"
