"""A ledger file opened for appending: single writes, shared fsync, and reads by offset.

Invariant: a ledger file is appended to and cut under the ledger's lock only.
Invariant: what a failed write has left in the file is cut off again, if the file can be cut.
"""

import errno
import fcntl
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.errors import LedgerUnavailableError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import is_at, open_plain
from intent_lsp.store.fs.write import sync_directory
from intent_lsp.store.ledger.raw.files import FileStamp

LEDGER_MODE: Final = 0o644
_CHUNK: Final = 64 * 1024
_BUFFER: Final = 1 << 20
_READABLE: Final = "make it a regular file that you may read"

Reader = Callable[[int, int], bytes]
"""Returns the bytes of a file from one offset to another, or fewer if the file ends before."""


class FileSystem(Struct, frozen=True):
    """The system calls that append to a ledger file. A test can replace them to make them fail."""

    write: Callable[[int, bytes], int] = os.write
    sync: Callable[[int], None] = os.fsync


class LedgerFile:
    """A ledger file, opened for appending and reading, and created if it is missing.

    `fd` is its descriptor and `inode` its inode number. If another file takes its path, create a
    new object. Creating one raises UnsafePathError if the path is not a regular file, and
    LedgerUnavailableError if it cannot be opened.
    """

    def __init__(self, path: Path, disk: FileSystem) -> None:
        self._path, self._disk = path, disk
        self.fd = _open(path)
        self.inode = os.fstat(self.fd).st_ino
        # Threads that still wait for an fsync keep the descriptor open by keeping this object.
        weakref.finalize(self, os.close, self.fd)
        self._group = threading.Condition()
        self._written = self._synced = 0
        self._syncing = False
        self._failed: OSError | None = None

    def is_current(self) -> bool:
        """Return whether this file is still the one at its path, and no fsync of it has failed."""
        return self._failed is None and is_at(self.fd, self._path)

    def size(self) -> int:
        """Return the file's size in bytes."""
        return os.fstat(self.fd).st_size

    def stamp(self, name: WorkspacePath) -> FileStamp:
        """Return the file's present stamp. `name` is its path, relative to the root."""
        found = os.fstat(self.fd)
        return FileStamp(name, (found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns)

    def read(self, start: int, end: int) -> bytes:
        """Return the file's bytes from `start` to `end`, or fewer if the file ends before."""
        return read_at(self.fd, start, end)

    def cut(self, size: int) -> None:
        """Truncate the file to `size` bytes."""
        os.ftruncate(self.fd, size)

    def append(self, data: bytes) -> int:
        """Append `data` in one write, unless it is empty.

        Return a ticket; `sync(ticket)` returns when the data is on disk. If not all is written,
        raise OSError; what was written is then cut off again, if the file can be cut.
        """
        before, written = self.size(), 0
        try:
            written = self._disk.write(self.fd, data) if data else 0
        finally:
            if written != len(data):
                with suppress(OSError):
                    self.cut(before)
        if written != len(data):
            raise OSError(errno.ENOSPC, "the disk is full: only a part of the line was written")
        with self._group:
            self._written += 1
            return self._written

    def sync(self, ticket: int) -> None:
        """Return once the data whose `append` returned `ticket` is on disk.

        Threads that wait at the same time share one fsync. Raise OSError if it fails, or if an
        earlier fsync of the file failed and left this data unsynced.
        """
        with self._group:
            while self._syncing and self._synced < ticket:
                self._group.wait()
            if self._synced >= ticket:
                return
            if self._failed is not None:
                raise self._failed
            self._syncing, covered = True, self._written
        failed: OSError | None = None
        try:
            self._disk.sync(self.fd)
            if sys.platform == "darwin":
                # There fsync leaves the data in the drive's cache.
                fcntl.fcntl(self.fd, fcntl.F_FULLFSYNC)
        except OSError as error:
            failed = error
        with self._group:
            self._syncing = False
            # After a failed fsync the kernel drops the dirty pages, so a later success would prove
            # nothing.
            self._failed = failed
            self._synced = self._synced if failed else covered
            self._group.notify_all()
        if failed is not None:
            raise failed


def read_at(fd: int, start: int, end: int) -> bytes:
    """Return the bytes of an open file from `start` to `end`, or fewer if the file ends before."""
    found = os.pread(fd, end - start, start)
    if len(found) in (0, end - start):
        return found
    return found + read_at(fd, start + len(found), end)


def last_line_start(read: Reader, end: int) -> int:
    """Return the offset at which the last line in the first `end` bytes of a file starts.

    The line may end with a line feed or without one. `read` reads the file.
    """
    at = end - 1
    while at > 0:
        start = max(at - _CHUNK, 0)
        found = read(start, at).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return 0


@contextmanager
def opened(path: Path) -> Iterator[int | None]:
    """Open a file of the ledger and yield its descriptor for reading, or None if there is no file.

    Raise LedgerUnavailableError if the file cannot be opened or is not a regular file.
    """
    try:
        fd = open_plain(path, os.O_RDONLY)
    except FileNotFoundError:
        yield None
        return
    except UnsafePathError as error:
        linked = "it cannot be read: it is a symbolic link"
        problem = linked if path.is_symlink() else "it is not a regular file"
        raise LedgerUnavailableError(path=str(path), problem=problem, cure=_READABLE) from error
    except OSError as error:
        raise LedgerUnavailableError(
            path=str(path), problem=f"it cannot be read: {error.strerror}", cure=_READABLE
        ) from error
    try:
        yield fd
    finally:
        os.close(fd)


def file_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a ledger file; none if it does not exist.

    Each has its line feed, which the last one may lack. Raise LedgerUnavailableError if the file
    cannot be opened or is not a regular file.
    """
    with opened(path) as fd:
        if fd is not None:
            with open(fd, "rb", buffering=_BUFFER, closefd=False) as file:
                yield from file


def _open(path: Path) -> int:
    """Open a ledger file for appending and return its descriptor. Create the file if needed.

    Raise UnsafePathError if it is not a regular file, LedgerUnavailableError if it cannot be
    opened.
    """
    try:
        try:
            return open_plain(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            fd = open_plain(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, LEDGER_MODE)
            sync_directory(path.parent)
            return fd
    except UnsafePathError as error:
        raise _misplaced(path) from error
    except OSError as error:
        raise LedgerUnavailableError(
            path=str(path),
            problem=f"it cannot be opened: {error.strerror}",
            cure="make it a file to which you may write",
        ) from error


def _misplaced(path: Path) -> UnsafePathError:
    """Return the error that says what is at the ledger's path instead of a regular file."""
    problem = "the ledger is not a regular file"
    if path.is_symlink():
        problem = "a symbolic link stands in place of the ledger"
    elif path.is_dir():
        problem = "a directory stands in place of the ledger"
    return UnsafePathError(path=str(path), problem=problem)
