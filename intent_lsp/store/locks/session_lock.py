"""Session locks: a session's process holds a lock, by which others see that the session runs.

Invariant: a lock ends with its process, however that ends. Testing a lock never waits and never
breaks it.
Invariant: processes with the same session id share its lock.
"""

import hashlib
import logging
import threading
from functools import partial
from pathlib import Path
from typing import BinaryIO

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.fs.files import is_at
from intent_lsp.store.fs.local_dir import ensure_inner_directory, restore_local_directory
from intent_lsp.store.locks.file_lock import open_lock_file, try_lock, try_share, unlock, wait_for

_log = logging.getLogger(__name__)

_ROOM = "sessions"
# `held` takes the lock for a few microseconds to test it, which may make `hold` fail once.
_WAIT_SECONDS = 0.1


class SessionLocks:
    """The session locks that this process holds in one `.local/` directory."""

    def __init__(self, local_room: Path) -> None:
        self._local_room = local_room
        self._guard = threading.Lock()
        self._held: dict[str, BinaryIO] = {}

    def hold(self, session_id: str) -> bool:
        """Take a session's lock until `release`, `close` or the process's end, and return True.

        Processes with the same session id share the lock. If this process has it, only return
        True, unless the lock's file was deleted or replaced: then the lock is taken again. Return
        False if the lock cannot be taken. Failures are logged unless `.orchestration/` is missing.
        """
        with self._guard:
            if self._is_held(session_id):
                return True
            try:
                restore_local_directory(self._local_room)
                ensure_inner_directory(self._local_room, _ROOM)
                file = wait_for(partial(_shared, self._path(session_id)), _WAIT_SECONDS)
            except FileNotFoundError:
                # `.orchestration/` is gone: nothing is governed there, so the lock is not needed.
                return False
            except (OSError, UnsafePathError) as problem:
                _log.warning("session %s cannot be locked: %s", session_id, problem)
                return False
            if file is None:
                _log.warning("session %s is locked by another process", session_id)
                return False
            self._held[session_id] = file
            return True

    def held(self, session_id: str) -> bool:
        """Return whether any process, including this one, holds the session's lock now.

        Return True also if the file system has no locks, and False if the lock's file cannot be
        opened.
        """
        with self._guard:
            if session_id in self._held:
                return True
        try:
            file = self._path(session_id).open("rb")
        except OSError:
            return False
        with file:
            try:
                free = try_lock(file.fileno())
            except OSError:
                # This file system has no locks. Treat the session as running, since inheriting
                # from a running session would be worse than inheriting nothing.
                return True
            if free:
                unlock(file.fileno())
            return not free

    def release(self, session_id: str) -> None:
        """Release a session's lock, if this process holds it."""
        with self._guard:
            file = self._held.pop(session_id, None)
        if file is not None:
            file.close()

    def close(self) -> None:
        """Release all session locks of this process."""
        for session_id in list(self._held):
            self.release(session_id)

    def _is_held(self, session_id: str) -> bool:
        """Return whether this process holds the session's lock on the file now at the lock's path.

        If the file that this process has locked was deleted or replaced since, release that lock
        and return False.
        """
        file = self._held.get(session_id)
        if file is None or is_at(file.fileno(), self._path(session_id)):
            return file is not None
        del self._held[session_id]
        file.close()
        return False

    def _path(self, session_id: str) -> Path:
        name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return self._local_room / _ROOM / f"{name}.lock"


def _shared(path: Path) -> BinaryIO | None:
    """Take a shared lock on the file now at the path, and return the open file.

    Return None if it is locked exclusively, or was deleted or replaced meanwhile.
    """
    file = open_lock_file(path)
    try:
        if try_share(file.fileno()) and is_at(file.fileno(), path):
            return file
    except BaseException:
        file.close()
        raise
    file.close()
    return None
