"""A file of lines, replaced by lines that are written as they come.

Invariant: nobody sees half of it, and what stood there stays until all of the new is on the disk.
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.fs.files import TEMPORARY_PREFIX, directory_for_temporary
from intent_lsp.store.ledger.raw.file import sync_directory

_FLAGS: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)
_BUFFER: Final = 1 << 20


def replace_lines(path: Path, lines: Iterable[bytes], *, mode: int = 0o644) -> None:
    """Make lines the content of a file; one that is there keeps its mode, else `mode` is given.

    Raises OSError, UnsafePathError for what is not a regular file, and whatever reading `lines`
    does; the file is then as it was.
    """
    before = _plain(path)
    if before is not None and not before.st_mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    unfinished = directory_for_temporary(path) / f"{TEMPORARY_PREFIX}{secrets.token_hex(6)}"
    fd = os.open(unfinished, _FLAGS, mode)
    try:
        with open(fd, "wb", buffering=_BUFFER) as file:  # noqa: PTH123 -- a descriptor
            file.writelines(lines)
            file.flush()
            os.fsync(fd)
        if before is not None:
            unfinished.chmod(stat.S_IMODE(before.st_mode))
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def _plain(path: Path) -> os.stat_result | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise UnsafePathError(path=os.fspath(path), problem="is not a regular file")
    return found
