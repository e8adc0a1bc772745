"""Text appended to a file of ours that people read (requirements section 2).

Invariant: what is there stays; lines of two writers do not mix, nor does one go on a torn one.
"""

import os
import stat
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.locks.file_lock import try_lock, wait_for

_FLAGS: Final = (
    os.O_RDWR
    | os.O_APPEND
    | os.O_CREAT
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_MODE: Final = 0o666
_WAIT_SECONDS: Final = 1.0


def append_text(path: Path, text: str) -> None:
    """Append whole lines; the file is made where it is missing, its directory has to exist.

    A lone surrogate becomes `?`. Raises UnsafePathError when no regular file is there, OSError.
    """
    try:
        descriptor = os.open(path, _FLAGS, _MODE)
    except OSError as error:
        if path.is_symlink() or path.is_dir():
            raise UnsafePathError(path=os.fspath(path), problem="is not a regular file") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsafePathError(path=os.fspath(path), problem="is not a regular file")
        # Half of another's lines would be taken for a torn one. Where nobody can lock, or somebody
        # holds it too long, it is appended all the same.
        with suppress(OSError):
            wait_for(partial(try_lock, descriptor), _WAIT_SECONDS)
        data = (_line_end(descriptor) + text).encode("utf-8", "replace")
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    finally:
        # The lock ends with it.
        os.close(descriptor)


def _line_end(descriptor: int) -> str:
    """Give what ends the line that somebody else left open."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    if not size:
        return ""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return "" if os.read(descriptor, 1) in (b"\n", b"\r") else "\n"
