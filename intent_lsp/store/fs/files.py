"""Reading files on disk: contents, stamps, and opening without following links.

Invariant: opening a file never waits for a pipe or a device.
"""

import errno
import os
import stat as modes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from intent_lsp.core.errors import UnsafePathError

MAX_LINE: Final = 16 * 1024 * 1024
"""The most bytes of a line from another tool (requirements section 10)."""

# Errors that mean: no file has this name, or none can have it.
_NO_SUCH_FILE: Final = {
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENAMETOOLONG,
    errno.ELOOP,
    errno.ENXIO,
    errno.EISDIR,
    errno.EINVAL,
}
# Errors of opening a link, a directory, a pipe or a socket without following or waiting.
_NO_FILE: Final = {errno.ELOOP, errno.EMLINK, errno.EISDIR, errno.ENXIO}
_UNWAITING: Final = os.O_NONBLOCK | os.O_NOCTTY
"""Flags of `os.open` that prevent waiting for a pipe and taking over a terminal."""


class Stamp(Struct, frozen=True, kw_only=True):
    """Identity, size and times of a file.

    Equal stamps mean that the file did not change, unless it changed twice within one tick of the
    file system's clock.
    """

    identity: tuple[int, int]
    """Device and inode."""
    size: int
    mtime_ns: int
    changed_ns: int
    """When content, name or attributes changed last; unlike `mtime_ns` no program can set it."""


class TooLargeError(OSError):
    """Raised if a file has more than `at_most` bytes, the limit of its reader."""

    def __init__(self, at_most: int) -> None:
        super().__init__(errno.EFBIG, f"a file of more than {at_most >> 20} MiB is not read")


def read_bytes(path: Path, at_most: int | None = None) -> bytes | None:
    """Return the content of a file, or None if there is no regular file. Links are followed.

    Raise OSError if the file cannot be read. Raise TooLargeError, before reading, if the file has
    more than `at_most` bytes.
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
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def stamp(path: Path | str) -> Stamp | None:
    """Return the stamp of a file, or None if there is no regular file that can be reached.

    Links are followed.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - asked for each call: a Path costs as much again
    except (OSError, ValueError):
        return None
    if not modes.S_ISREG(found.st_mode):
        return None
    return Stamp(
        identity=(found.st_dev, found.st_ino),
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        changed_ns=found.st_ctime_ns,
    )


def open_plain(path: Path | str, how: int, mode: int = 0o600) -> int:
    """Open a regular file, without following a link at its path, and return its descriptor.

    Links in the directories above are followed. `how` are flags of `os.open`; `mode` is for a file
    that is created. Raise UnsafePathError if something else than a regular file is at the path,
    OSError if the file is missing or cannot be opened.
    """
    try:
        descriptor = os.open(path, how | _UNWAITING | os.O_NOFOLLOW, mode)
    except OSError as problem:
        if problem.errno in _NO_FILE:
            raise _no_file(path) from problem
        raise
    if modes.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise _no_file(path)


@contextmanager
def plain_file(path: Path, how: int, mode: int = 0o600) -> Iterator[int]:
    """Open a file as `open_plain` does, yield its descriptor, and close it at the end."""
    descriptor = open_plain(path, how, mode)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def is_at(descriptor: int, path: Path) -> bool:
    """Return whether the file now at `path` is the one open as `descriptor`.

    A link at `path` is not followed. Return False if there is no file or it cannot be read.
    """
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    return False


def is_plain_directory(path: str) -> bool:
    """Return whether there is a directory at the path. A symbolic link to one gives False."""
    with suppress(OSError, ValueError):
        return modes.S_ISDIR(os.lstat(path).st_mode)
    return False


def foreign_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield each line of `stream` with its line end, or None for one of more than `MAX_LINE` bytes.

    At most one line is in memory. Raise OSError if reading fails.
    """
    while line := stream.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_LINE)
        yield None


def _no_file(path: Path | str) -> UnsafePathError:
    return UnsafePathError(path=os.fspath(path), problem="is not a regular file")
