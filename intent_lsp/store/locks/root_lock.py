"""A lock of a root: one holder at a time, among all processes and threads (ledger section 3).

Invariant: the lock is held on the very file that the path names; one that was deleted or replaced
meanwhile is no lock.
"""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError, UnsafePathError
from intent_lsp.store.clock import deadline
from intent_lsp.store.fs.local_dir import restore_local_directory
from intent_lsp.store.locks.file_lock import try_lock, unlock
from intent_lsp.store.locks.lock_wakeup import LockWakeup

WAIT_SECONDS: Final = 2.0
_SHORTEST: Final = 0.00005
_LONGEST: Final = 0.001
_UNHEARD: Final = 0.005
"""What is waited for a bell: another process may not have it, or die before it has the lock."""

NOTE_AT_MOST: Final = 1024
"""The bytes of a note; behind the bell's mark in the lock file."""

_NOTE_AT: Final = 16
_NOTES: Final = hasattr(os, "pread")
_OPEN_FLAGS: Final = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class RootLock:
    """A lock file, kept open between two holds."""

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._threads = threading.Lock()
        self._never = threading.Event()
        self._fd: int | None = None
        self._bell = LockWakeup()

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock; its directory, or that of its local room, has to exist.

        True: it had to be waited for.
        Raises LedgerUnavailableError when another holds it for too long, or it cannot be opened,
        UnsafePathError when something else is in its place.
        """
        free = self._threads.acquire(blocking=False)
        if not free and not self._threads.acquire(timeout=self._wait_seconds):
            raise self._busy()
        try:
            fd, waited = self._lock_current()
            try:
                yield waited or not free
            finally:
                unlock(fd)
                self._bell.ring(fd)
        finally:
            self._threads.release()

    def left(self) -> bytes:
        """Give what the last holder left, for who holds it now; not on Windows."""
        if self._fd is not None and _NOTES:
            with suppress(OSError):
                return os.pread(self._fd, NOTE_AT_MOST, _NOTE_AT)
        return b""

    def leave(self, note: bytes) -> None:
        """Leave a note for the next holder, in one write; what cannot be written is left out."""
        if self._fd is not None and _NOTES:
            with suppress(OSError):
                os.pwrite(self._fd, note, _NOTE_AT)

    def exists(self) -> bool:
        """Find out whether anyone ever wrote under this lock here."""
        return os.path.lexists(self._path)

    def has_directory(self) -> bool:
        """Find out whether its directory is there, or may be made where it was deleted."""
        return self._path.parent.parent.is_dir()

    def close(self) -> None:
        """Let go of the lock file; the next hold opens it again."""
        with self._threads:
            self._forget()
            self._bell.close()

    def _lock_current(self) -> tuple[int, bool]:
        """Lock the file that is there now; give it, and whether this had to be waited for."""
        late: Callable[[], bool] | None = None
        pause = _SHORTEST
        while True:
            fd = self._opened()
            if try_lock(fd):
                if _is_at(fd, self._path):
                    return fd, late is not None
                unlock(fd)
                self._forget()
                continue
            late = late or deadline(self._wait_seconds)
            if late():
                raise self._busy()
            if not self._bell.wait(fd, _UNHEARD):
                self._never.wait(pause)
                pause = min(pause * 1.5, _LONGEST)

    def _opened(self) -> int:
        if self._fd is not None:
            return self._fd
        try:
            fd = self._open()
        except OSError as error:
            if os.path.lexists(self._path) and not _is_plain(self._path):
                raise UnsafePathError(path=str(self._path), problem="not a regular file") from error
            raise LedgerUnavailableError(
                path=str(self._path), problem=f"the lock cannot be opened: {error.strerror}"
            ) from error
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise UnsafePathError(path=str(self._path), problem="not a regular file")
        self._fd = fd
        return fd

    def _open(self) -> int:
        try:
            return os.open(self._path, _OPEN_FLAGS | os.O_CREAT, 0o600)
        except FileNotFoundError:
            # The room went with all that was in it while we were at work.
            restore_local_directory(self._path.parent)
            return os.open(self._path, _OPEN_FLAGS | os.O_CREAT, 0o600)

    def _forget(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _busy(self) -> LedgerUnavailableError:
        return LedgerUnavailableError(
            path=str(self._path),
            problem=f"another process has held the lock for {self._wait_seconds:g} s",
            cure="wait for it to end, or end it",
        )


def holding(lock: RootLock | None) -> AbstractContextManager[bool]:
    """Hold a lock; True: it had to be waited for. Raises as `held`.

    None, or one without a room: there is no `.local/`, and with it nothing to share.
    """
    if lock is None or not lock.has_directory():
        return nullcontext(enter_result=False)
    return lock.held()


def _is_at(fd: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(fd), os.lstat(path))
    return False


def _is_plain(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False
