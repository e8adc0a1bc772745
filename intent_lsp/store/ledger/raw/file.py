"""The ledger's file, opened to append: its end, its torn last line, one write, one fsync.

Invariant: everything but `sync` is called under the ledger's lock.
Invariant: a failed write leaves no part of itself behind.
"""

import errno
import os
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.ledger.raw.files import FileStamp

if sys.platform == "darwin":
    import fcntl

_FLAGS: Final = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_READ_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_CHUNK: Final = 64 * 1024

Reader = Callable[[int, int], bytes]
"""Gives the bytes of a file from one offset to another."""


@dataclass(frozen=True, slots=True)
class FileSystem:
    """The two system calls that a crash can fall between."""

    write: Callable[[int, bytes], int] = os.write
    sync: Callable[[int], None] = os.fsync


class LedgerFile:
    """One opened ledger; reopened by its owner when the path names another file."""

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
        """Find out whether the path still names this file, and the disk still takes its writes."""
        if self._failed is not None:
            return False
        with suppress(OSError):
            return os.path.samestat(os.fstat(self.fd), os.lstat(self._path))
        return False

    def size(self) -> int:
        """Give the size in bytes."""
        return os.fstat(self.fd).st_size

    def stamp(self, name: WorkspacePath) -> FileStamp:
        """Stamp the file, which is called `name` below its root."""
        found = os.fstat(self.fd)
        return FileStamp(name, (found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns)

    def read(self, start: int, end: int) -> bytes:
        """Read the bytes from `start` to `end`."""
        return read_at(self.fd, start, end)

    def cut(self, size: int) -> None:
        """Cut everything behind `size` off."""
        os.ftruncate(self.fd, size)

    def append(self, data: bytes) -> int:
        """Write in one call, if there is anything; give the ticket to wait for with `sync`."""
        if data:
            self._write(data)
        with self._group:
            self._written += 1
            return self._written

    def _write(self, data: bytes) -> None:
        before, written = self.size(), 0
        try:
            written = self._disk.write(self.fd, data)
        finally:
            if written != len(data):
                with suppress(OSError):
                    self.cut(before)
        if written != len(data):
            raise OSError(errno.ENOSPC, "the disk took only a part of the line")

    def sync(self, ticket: int) -> None:
        """Return when what the ticket stands for is on the disk.

        Writers that come together share one fsync: the first does it for all that have written.
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
            _flush_drive(self.fd)
        except OSError as error:
            failed = error
        with self._group:
            self._syncing = False
            # After a failed fsync the kernel forgets: a later success would prove nothing.
            self._failed = failed
            self._synced = self._synced if failed else covered
            self._group.notify_all()
        if failed is not None:
            raise failed


def read_at(fd: int, start: int, end: int) -> bytes:
    """Read the bytes from `start` to `end`, fewer where the file ends before."""
    if not hasattr(os, "pread"):  # pragma: no cover -- Windows: callers hold a lock
        os.lseek(fd, start, os.SEEK_SET)
        return os.read(fd, end - start)
    found = os.pread(fd, end - start, start)
    if len(found) in (0, end - start):
        return found
    return found + read_at(fd, start + len(found), end)


def last_line_start(read: Reader, end: int) -> int:
    """Find where the line begins that ends before `end`; its newline may be missing."""
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
    """Open a ledger to read it; None where there is none.

    Raises LedgerUnavailableError for one that cannot be read.
    """
    try:
        fd = os.open(path, _READ_FLAGS)
    except FileNotFoundError:
        yield None
        return
    except OSError as error:
        raise LedgerUnavailableError(
            path=str(path), problem=f"it cannot be read: {error.strerror}"
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise LedgerUnavailableError(path=str(path), problem="it is not a regular file")
        yield fd
    finally:
        os.close(fd)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that does not exist yet, and have the disk keep its bytes. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    fd = os.open(path, flags, 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_directory(path: Path) -> None:
    """Ask the disk to keep the names of a directory, where the system can."""
    if sys.platform != "win32":
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _open(path: Path) -> int:
    try:
        try:
            fd = os.open(path, _FLAGS)
        except FileNotFoundError:
            fd = os.open(path, _FLAGS | os.O_CREAT, 0o644)
            sync_directory(path.parent)
    except OSError as error:
        raise _refused(path, error) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UnsafePathError(path=str(path), problem="the ledger is not a regular file")
    return fd


def _refused(path: Path, error: OSError) -> LedgerUnavailableError | UnsafePathError:
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        if stat.S_ISDIR(mode):
            return UnsafePathError(path=str(path), problem="a directory is in the ledger's place")
        if stat.S_ISLNK(mode):
            problem = "a symbolic link is in the ledger's place"
            return UnsafePathError(path=str(path), problem=problem)
    return LedgerUnavailableError(
        path=str(path),
        problem=f"it cannot be opened: {error.strerror}",
        cure="make it a file that you may write",
    )


def _flush_drive(fd: int) -> None:
    if sys.platform == "darwin":
        # fsync on macOS leaves the bytes in the drive's own cache.
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
