"""The ledger's file, opened to append: its end, its torn last line, one write, one fsync.

Invariant: everything but `sync` is called under the ledger's lock.
Invariant: a failed write leaves no part of itself behind.
"""

import errno
import os
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
from intent_lsp.store.fs.files import is_at, open_plain
from intent_lsp.store.fs.write import sync_directory
from intent_lsp.store.ledger.raw.files import FileStamp

if sys.platform == "darwin":
    import fcntl

LEDGER_MODE: Final = 0o644
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
        return self._failed is None and is_at(self.fd, self._path)

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
        fd = open_plain(path, os.O_RDONLY)
    except FileNotFoundError:
        yield None
        return
    except UnsafePathError as error:
        linked = "it cannot be read: it is a symbolic link"
        problem = linked if path.is_symlink() else "it is not a regular file"
        raise LedgerUnavailableError(path=str(path), problem=problem) from error
    except OSError as error:
        raise LedgerUnavailableError(
            path=str(path), problem=f"it cannot be read: {error.strerror}"
        ) from error
    try:
        yield fd
    finally:
        os.close(fd)


def _open(path: Path) -> int:
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
            cure="make it a file that you may write",
        ) from error


def _misplaced(path: Path) -> UnsafePathError:
    """Say what is in the ledger's place."""
    problem = "the ledger is not a regular file"
    if path.is_symlink():
        problem = "a symbolic link is in the ledger's place"
    elif path.is_dir():
        problem = "a directory is in the ledger's place"
    return UnsafePathError(path=str(path), problem=problem)


def _flush_drive(fd: int) -> None:
    if sys.platform == "darwin":
        # fsync on macOS leaves the bytes in the drive's own cache.
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
