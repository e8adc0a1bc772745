"""Session locks: which sessions' processes are alive.

Invariant: a lock ends with its process, however that ends; asking never waits and never breaks one.
Invariant: processes that were given the same session id hold it together.
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
from intent_lsp.store.locks.file_lock import (
    open_lock_file,
    try_lock,
    try_share,
    unlock,
    wait_for,
)

_log = logging.getLogger(__name__)

_ROOM = "sessions"
# Whoever asks holds the lock for a few microseconds: long enough to get in a holder's way once.
_WAIT_SECONDS = 0.1


class SessionLocks:
    """The locks of one local room, as this process holds them."""

    def __init__(self, local_room: Path) -> None:
        self._local_room = local_room
        self._guard = threading.Lock()
        self._held: dict[str, BinaryIO] = {}

    def hold(self, session_id: str) -> bool:
        """Hold a session until `release` or the end of the process.

        False when it cannot be held, which the log says where it could be expected: the session
        then looks ended. One whose file was deleted meanwhile is held anew.
        """
        with self._guard:
            if self._is_held(session_id):
                return True
            try:
                restore_local_directory(self._local_room)
                ensure_inner_directory(self._local_room, _ROOM)
                file = wait_for(partial(_shared, self._path(session_id)), _WAIT_SECONDS)
            except FileNotFoundError:
                # Nothing is governed there any more: nobody asks who is alive.
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
        """Whether any process, this one included, holds the session now."""
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
                # No locks on this file system: better to inherit nothing than from the living.
                return True
            if free:
                unlock(file.fileno())
            return not free

    def release(self, session_id: str) -> None:
        """Let go of a session; one that is not held is let go already."""
        with self._guard:
            file = self._held.pop(session_id, None)
        if file is not None:
            file.close()

    def close(self) -> None:
        """Let go of every session."""
        for session_id in list(self._held):
            self.release(session_id)

    def _is_held(self, session_id: str) -> bool:
        """Whether we hold the file that is there now; one that was deleted is let go."""
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
    """Share the lock of the file that is there now; None when someone has it for itself."""
    file = open_lock_file(path)
    try:
        if try_share(file.fileno()) and is_at(file.fileno(), path):
            return file
    except BaseException:
        file.close()
        raise
    file.close()
    return None
