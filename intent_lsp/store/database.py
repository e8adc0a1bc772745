"""One SQLite file shared by threads and processes: its transactions, its loss, its damage.

Invariant: every transaction runs on the very file that the path names; one that was deleted or
replaced is opened anew (requirements section 2).
Invariant: a damaged file is moved aside with what belongs to it, never deleted.
Invariant: while even `.orchestration/` is gone nothing is known, and what is told stays in memory.
"""

import contextlib
import errno
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from intent_lsp.core.errors import StateUnavailableError, UnsafePathError
from intent_lsp.store.clock import now
from intent_lsp.store.file_lock import open_lock_file, try_lock
from intent_lsp.store.files import create_file
from intent_lsp.store.local_room import PRIVATE_FILE_MODE, restore_local_room

_log = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
Identity = tuple[int, int]

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# The file, or the memory that goes with it, was moved away under an open connection.
_MOVED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
# The file itself last: a new one must not find the log of the old.
_COMPANIONS = ("-wal", "-shm", "-journal", "")
_MEMORY = Path(":memory:")
_NOWHERE = (0, 0)
"""The identity of what is kept in memory, since no file can be."""
_TRIES = 4
_LOCK_TRIES = 200
_LOCK_PAUSE_SECONDS = 0.01


class Database:
    """A file opened when first needed; `connect` opens it and lays out its tables.

    What `connect` raises of sqlite3's, or an unknown layout's StateUnavailableError, comes through
    `read` and `write` as StateUnavailableError.
    """

    def __init__(self, path: Path, connect: Callable[[Path], sqlite3.Connection]) -> None:
        self._path = path
        self._spelled = os.fspath(path)
        self._connect = connect
        self._guard = threading.Lock()
        self._never = threading.Event()
        self._open: sqlite3.Connection | None = None
        self._identity: Identity | None = None

    def read(self, work: Work[T]) -> T:
        """Run `work` on one unchanging view. Raises StateUnavailableError."""
        return self._run("BEGIN", work)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Give the rows of one SELECT, which is a view of its own. Raises StateUnavailableError."""
        return self._run(None, lambda connection: connection.execute(query, values).fetchall())

    def write(self, work: Work[T]) -> T:
        """Run `work` as one transaction, alone among all writers. Raises StateUnavailableError.

        `work` may run more than once: only the last run counts.
        """
        return self._run("BEGIN IMMEDIATE", work)

    def close(self) -> None:
        """Let go of the file; the next transaction opens it again."""
        with self._guard:
            self._forget()

    def _run(self, begin: str | None, work: Work[T]) -> T:
        with self._guard:
            for _ in range(_TRIES):
                try:
                    connection = self._current()
                    if begin is None:
                        return work(connection)
                    connection.execute(begin)
                    # Asked again inside the lock: a file may be replaced at any time before.
                    if not self._is_current():
                        self._forget()
                        continue
                    result = work(connection)
                    connection.execute("COMMIT")
                except sqlite3.Error as problem:
                    self._mend(problem)
                except BaseException:
                    self._roll_back()
                    raise
                else:
                    return result
        raise StateUnavailableError(path=os.fspath(self._path), problem="cannot be kept open")

    def _current(self) -> sqlite3.Connection:
        if self._open is not None and self._is_current():
            return self._open
        if self._open is not None:
            if self._identity != _NOWHERE:
                _log.warning("%s was deleted or replaced: what it knew is lost", self._path)
            self._forget()
        if self._identity_now() is None and not self._created():
            self._identity, self._open = _NOWHERE, self._connect(_MEMORY)
            return self._open
        # Taken before: when the file is replaced meanwhile, what we opened is not called current,
        # and what we find damaged is not taken for what lies there now.
        self._identity = self._identity_now()
        self._open = self._connect(self._path)
        return self._open

    def _created(self) -> bool:
        """Make the file, and its room where that was deleted with it; False: it has no place."""
        try:
            try:
                restore_local_room(self._path.parent)
            except FileNotFoundError:
                return False
            create_file(self._path, b"", mode=PRIVATE_FILE_MODE)
        except (OSError, UnsafePathError) as problem:
            raise StateUnavailableError(
                path=os.fspath(self._path), problem=str(problem)
            ) from problem
        return True

    def _is_current(self) -> bool:
        if self._identity == _NOWHERE:
            # Its room is to be where the rules are, as soon as they are there again.
            return not self._path.parent.parent.is_dir()
        return self._identity is not None and self._identity == self._identity_now()

    def _identity_now(self) -> Identity | None:
        # Never opened to be asked: closing it would drop SQLite's locks on it.
        try:
            found = os.stat(self._spelled)  # noqa: PTH116 - asked twice for each transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _forget(self) -> None:
        connection, self._open = self._open, None
        self._identity = None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def _roll_back(self) -> None:
        if self._open is not None:
            with contextlib.suppress(sqlite3.Error):
                self._open.execute("ROLLBACK")

    def _mend(self, problem: sqlite3.Error) -> None:
        """Make the next try worth it, or raise StateUnavailableError."""
        kind = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        self._roll_back()
        known = self._identity
        if kind in _DAMAGED or str(problem).startswith("no such table"):
            self._forget()
            self._move_aside(known)
        elif kind in _MOVED and self._open is not None:
            self._forget()
        else:
            self._forget()
            raise StateUnavailableError(
                path=os.fspath(self._path), problem=str(problem)
            ) from problem

    def _move_aside(self, damaged: Identity | None) -> None:
        aside = f".damaged-{now():%Y%m%dT%H%M%S%f}"
        try:
            with open_lock_file(self._path.with_name(self._path.name + ".lock")) as lock:
                self._wait_for(lock)
                # Another process may have been first: then the path names a good file by now.
                if damaged != self._identity_now():
                    return
                _log.error("%s is damaged; it is kept as %s%s", self._path, self._path.name, aside)
                for companion in _COMPANIONS:
                    part = self._path.with_name(self._path.name + companion)
                    with contextlib.suppress(FileNotFoundError):
                        part.replace(part.with_name(self._path.name + aside + companion))
        except OSError as problem:
            raise StateUnavailableError(
                path=os.fspath(self._path), problem=f"is damaged and cannot be moved: {problem}"
            ) from problem

    def _wait_for(self, lock: BinaryIO) -> None:
        for _ in range(_LOCK_TRIES):
            if try_lock(lock.fileno()):
                return
            self._never.wait(_LOCK_PAUSE_SECONDS)
        raise TimeoutError(errno.ETIMEDOUT, "another process has been mending it for too long")
