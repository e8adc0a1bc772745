"""A lock of a root: one holder at a time, among all processes and threads (ledger section 3).

Invariant: the lock is held on the very file that the path names; one that was deleted or replaced
meanwhile is no lock.
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

NOTE_AT_MOST: Final = 1024
"""The bytes of a note, which is all that a lock file holds."""

_NOTES: Final = hasattr(os, "pread")


class RootLock:
    """A lock file, kept open between two holds."""

    def __init__(self, path: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = path
        self._wait_seconds = wait_seconds
        self._threads = threading.Lock()
        self._fd: int | None = None

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
            waited = not self._locked()
            if waited and not wait_for(self._locked, self._wait_seconds):
                raise self._busy()
            fd = self._opened()
            try:
                yield waited or not free
            finally:
                unlock(fd)
        finally:
            self._threads.release()

    def left(self) -> bytes:
        """Give what the last holder left, for who holds it now; not on Windows."""
        if self._fd is not None and _NOTES:
            with suppress(OSError):
                return os.pread(self._fd, NOTE_AT_MOST, 0)
        return b""

    def leave(self, note: bytes) -> None:
        """Leave a note for the next holder, in one write; what cannot be written is left out."""
        if self._fd is not None and _NOTES:
            with suppress(OSError):
                os.pwrite(self._fd, note, 0)

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

    def _locked(self) -> bool:
        """Lock the file that is there now; False when someone has it."""
        while try_lock(fd := self._opened()):
            if is_at(fd, self._path):
                return True
            self._forget()
        return False

    def _opened(self) -> int:
        if self._fd is not None:
            return self._fd
        try:
            self._fd = self._open()
        except OSError as error:
            raise LedgerUnavailableError(
                path=str(self._path), problem=f"the lock cannot be opened: {error.strerror}"
            ) from error
        return self._fd

    def _open(self) -> int:
        try:
            return open_plain(self._path, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:
            # The room went with all that was in it while we were at work.
            restore_local_directory(self._path.parent)
            return open_plain(self._path, os.O_RDWR | os.O_CREAT)

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


def ledger_lock(root: Path, wait_seconds: float = WAIT_SECONDS) -> RootLock:
    """Give the lock of all who write the ledger of a root."""
    return RootLock(root / LOCAL_ROOM / "ledger.lock", wait_seconds)


def holding(lock: RootLock | None) -> AbstractContextManager[bool]:
    """Hold a lock; True: it had to be waited for. Raises as `held`.

    None, or one without a room: there is no `.local/`, and with it nothing to share.
    """
    if lock is None or not lock.has_directory():
        return nullcontext(enter_result=False)
    return lock.held()
