"""A lock of a root, with one holder at a time among all processes and threads (ledger section 3).

Invariant: when the lock is taken, the path names the locked file. A lock on a file that was deleted
or replaced before does not count.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.fs.files import is_at, open_plain
from intent_lsp.store.fs.local_dir import restore_local_directory
from intent_lsp.store.locks.file_lock import try_lock, unlock, wait_for

WAIT_SECONDS: Final = 2.0
"""How many seconds to wait for a lock that another holder has."""

_END_THIS: Final = "try again; if that does not help, restart intent-lsp"
_END_THAT: Final = (
    "wait until that process releases the lock and try again; if it hangs, end it"
    " (`fuser` or `lsof` with this path tells which process it is)"
)

NOTE_AT_MOST: Final = 1024
"""The most bytes that are read of the note in a lock file, which holds nothing else."""


class RootLock:
    """An exclusive lock on the lock file at a path.

    The file stays open after the lock is released.
    """

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._threads = threading.Lock()
        self._fd: int | None = None

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock during the `with` block. Yield True if it had to be waited for, else False.

        Raise LedgerUnavailableError if another holder keeps the lock for too long, or if the file
        system has no locks. If the lock file cannot be opened or created, raise
        LedgerUnavailableError or UnsafePathError.
        """
        # First among the threads: they share one file descriptor, and so one lock of the file.
        free = self._threads.acquire(blocking=False)
        if not free and not self._threads.acquire(timeout=self._wait_seconds):
            raise self._busy("thread of this process", _END_THIS)
        try:
            waited = not self._locked()
            if waited and not wait_for(self._locked, self._wait_seconds):
                raise self._busy("process", _END_THAT)
            fd = self._opened()
            try:
                yield waited or not free
            finally:
                unlock(fd)
        finally:
            self._threads.release()

    def left(self) -> bytes:
        """Return the note that an earlier holder wrote into the lock file; empty if there is none.

        The result is also empty if the file cannot be read. Call this only while holding the lock.
        """
        if self._fd is not None:
            with suppress(OSError):
                return os.pread(self._fd, NOTE_AT_MOST, 0)
        return b""

    def leave(self, note: bytes) -> None:
        """Overwrite the start of the lock file with a note for the next holder. Ignore errors.

        The rest of a longer earlier note stays. Call this only while holding the lock.
        """
        if self._fd is not None:
            with suppress(OSError):
                os.pwrite(self._fd, note, 0)

    def exists(self) -> bool:
        """Return whether the lock file exists. The first use of `held` creates it."""
        return os.path.lexists(self._path)

    def has_directory(self) -> bool:
        """Return whether the directory above the lock's directory exists."""
        return self._path.parent.parent.is_dir()

    def close(self) -> None:
        """Wait until no thread holds the lock, then close the lock file. `held` opens it again."""
        with self._threads:
            self._forget()

    def _locked(self) -> bool:
        """Lock the file now at the path, and return True.

        Return False if another holder has the lock. Raise LedgerUnavailableError or UnsafePathError
        if the file cannot be opened or locked.
        """
        while self._taken(fd := self._opened()):
            if is_at(fd, self._path):
                return True
            self._forget()
        return False

    def _taken(self, fd: int) -> bool:
        try:
            return try_lock(fd)
        except OSError as error:
            raise LedgerUnavailableError(
                path=str(self._path),
                problem=f"the file system cannot lock this file: {error.strerror}",
                cure="put the repository on a file system that supports locks",
            ) from error

    def _opened(self) -> int:
        """Return the descriptor of the lock file, opening or creating the file if needed.

        Raise LedgerUnavailableError or UnsafePathError if that fails.
        """
        if self._fd is not None:
            return self._fd
        try:
            self._fd = self._open()
        except OSError as error:
            raise LedgerUnavailableError(
                path=str(self._path),
                problem=f"the lock cannot be opened: {error.strerror}",
                cure="make sure that intent-lsp can create and write this file",
            ) from error
        return self._fd

    def _open(self) -> int:
        try:
            return open_plain(self._path, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:
            # The directory was deleted while this process was running: create it again.
            restore_local_directory(self._path.parent)
            return open_plain(self._path, os.O_RDWR | os.O_CREAT)

    def _forget(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _busy(self, holder: str, cure: str) -> LedgerUnavailableError:
        """Return the error to raise if another holder keeps the lock for too long.

        `holder` says what kind of holder that is, and `cure` what to do.
        """
        problem = f"another {holder} has held the lock for {self._wait_seconds:g} s"
        return LedgerUnavailableError(path=str(self._path), problem=problem, cure=cure)


def ledger_lock(root: Path, wait_seconds: float = WAIT_SECONDS) -> RootLock:
    """Return the lock, not yet taken, that every writer of a root's ledger must hold.

    `wait_seconds` is how long to wait for another holder.
    """
    return RootLock(root / LOCAL_ROOM / "ledger.lock", wait_seconds)


def holding(lock: RootLock | None) -> AbstractContextManager[bool]:
    """Return a context that holds `lock` and yields whether the lock had to be waited for.

    If `lock` is None, or its method `has_directory` returns False, the context holds nothing and
    yields False.
    """
    if lock is None or not lock.has_directory():
        return nullcontext(enter_result=False)
    return lock.held()
