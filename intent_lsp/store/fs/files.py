"""Files on disk: read whole, stamped, opened by their own names.

Invariant: reading never waits on a pipe or a device: what is not a regular file does not exist.
"""

import errno
import os
import stat as modes
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from intent_lsp.core.errors import UnsafePathError

MAX_LINE: Final = 16 * 1024 * 1024
"""Bytes of a line of another tool that are read (requirements section 10)."""

_CHUNK: Final = 1 << 20
# What the operating system says of a name that no file of its can have.
_NO_SUCH_FILE: Final = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.ENXIO,
    errno.EISDIR,
    errno.EINVAL,
}
# What it says of a link, a directory, a pipe or a socket that is not to be followed or waited for.
_NO_FILE: Final = {errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO}
_UNWAITING: Final = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What tells two states of a file apart without reading it."""

    identity: tuple[int, int]
    """Device and inode."""
    size: int
    mtime_ns: int


class TooLargeError(OSError):
    """A file has more bytes than its reader takes."""

    def __init__(self, at_most: int) -> None:
        super().__init__(errno.EFBIG, f"a file of more than {at_most >> 20} MiB is not read")


def read_bytes(path: Path, at_most: int | None = None) -> bytes | None:
    """Read a whole file, links followed; None when no regular file is there.

    Raises OSError when it is there and cannot be read, and TooLargeError, unread, when it has more
    than `at_most` bytes.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _UNWAITING)
    except ValueError:  # A null character: no file has such a name.
        return None
    except OSError as problem:
        if problem.errno in _NO_SUCH_FILE or path.is_dir():
            return None
        raise
    try:
        found = os.fstat(descriptor)
        if not modes.S_ISREG(found.st_mode):
            return None
        if at_most is not None and found.st_size > at_most:
            raise TooLargeError(at_most)
        return _read_all(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def stamp(path: Path | str) -> Stamp | None:
    """Stamp a file, links followed; None when no regular file is there or it cannot be asked."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for each call: a Path costs as much again
    except (OSError, ValueError):
        return None
    if not modes.S_ISREG(found.st_mode):
        return None
    return Stamp(
        identity=(found.st_dev, found.st_ino), size=found.st_size, mtime_ns=found.st_mtime_ns
    )


def open_plain(path: Path | str, how: int, mode: int = 0o600) -> int:
    """Open a file by its own name, `how` as `os.open` takes it; links are not followed.

    Raises UnsafePathError when no regular file is there, OSError.
    """
    try:
        descriptor = os.open(path, how | _UNWAITING | getattr(os, "O_NOFOLLOW", 0), mode)
    except OSError as problem:
        if problem.errno in _NO_FILE:
            raise _no_file(path) from problem
        raise
    if modes.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise _no_file(path)


def is_at(descriptor: int, path: Path) -> bool:
    """Whether a path still names an open file, links not followed."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    return False


def foreign_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Give each line with its end, as far as it has one; None for one that is too long.

    No more than one line is held. Raises OSError.
    """
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None


def _read_all(descriptor: int, size: int) -> bytes:
    """Read to the end, which may be elsewhere by now than `size` bytes on."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while parts[-1]:
        parts.append(os.read(descriptor, _CHUNK))
    return b"".join(parts)


def _no_file(path: Path | str) -> UnsafePathError:
    return UnsafePathError(path=os.fspath(path), problem="is not a regular file")
