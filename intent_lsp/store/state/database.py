"""One SQLite file shared by threads and processes: its transactions, its loss, its damage.

Invariant: every transaction runs on the very file that the path names; one that was deleted or
replaced is opened anew (requirements section 2).
Invariant: a damaged file is moved aside with what belongs to it, never deleted.
Invariant: while even `.orchestration/` is gone nothing is known, and what is told stays in memory.
Invariant: what memory kept in the place of a file that could not be used is put into the file as
soon as it can.
"""

import contextlib
import errno
import logging
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from intent_lsp.core.errors import StateUnavailableError, UnsafePathError
from intent_lsp.store.clock import deadline, now
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, restore_local_directory
from intent_lsp.store.fs.write import create_file
from intent_lsp.store.locks.file_lock import open_lock_file, try_lock, wait_for

_log = logging.getLogger(__name__)

T = TypeVar("T")


class StandIn(Protocol):
    """How memory takes the place of a file, and gives back what it kept meanwhile."""

    def begin(self, memory: sqlite3.Connection) -> None:
        """Take the place of a file, with nothing known."""

    def read(self, file: sqlite3.Connection, memory: sqlite3.Connection) -> None:
        """Read what a file still tells into memory."""

    def put_back(self, memory: sqlite3.Connection, file: sqlite3.Connection) -> None:
        """Put into the file what memory has been told since."""


Statement = Callable[[sqlite3.Connection], T]
Identity = tuple[int, int]

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# The file, or the memory that goes with it, was moved away under an open connection.
_MOVED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
# The file itself last: a new one must not find the log of the old.
_COMPANIONS = ("-wal", "-shm", "-journal", "")
_MEMORY = Path(":memory:")
_NOWHERE = (0, 0)
"""The identity of what is kept in memory, since no file can be."""
_STANDING_IN = (0, 1)
"""The identity of what is kept in memory, since the file cannot be used."""
_AGAIN_SECONDS = 2.0
"""How long memory stands in before the file is tried again."""
_WRITING = "BEGIN IMMEDIATE"
_TRIES = 4
_LOCK_SECONDS = 2.0


class Database:
    """A file opened when first needed; `connect` opens it and lays out its tables.

    What `connect` raises of sqlite3's, or an unknown layout's StateUnavailableError, comes through
    `read` and `write` as StateUnavailableError. With a `stand_in`, memory takes the place of a file
    that cannot be opened at first, or whose disk is full, and `problem` says why.
    """

    def __init__(
        self,
        path: Path,
        connect: Callable[[Path], sqlite3.Connection],
        *,
        stand_in: StandIn | None = None,
    ) -> None:
        self._path = path
        self._spelled = os.fspath(path)
        self._connect = connect
        self._guard = threading.Lock()
        self._open: sqlite3.Connection | None = None
        self._identity: Identity | None = None
        self._stand_in = stand_in
        self._standing_in: sqlite3.Connection | None = None
        self._not_yet: Callable[[], bool] = bool
        self._used = False
        self.problem: str | None = None

    def read(self, work: Statement[T]) -> T:
        """Run `work` on one unchanging view. Raises StateUnavailableError."""
        return self._run("BEGIN", work)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Give the rows of one SELECT, which is a view of its own. Raises StateUnavailableError."""
        return self._run(None, lambda connection: connection.execute(query, values).fetchall())

    def write(self, work: Statement[T]) -> T:
        """Run `work` as one transaction, alone among all writers. Raises StateUnavailableError.

        `work` may run more than once: only the last run counts.
        """
        return self._run(_WRITING, work)

    def close(self) -> None:
        """Let go of the file; the next transaction opens it again."""
        with self._guard:
            self._forget()
            if self._standing_in is not None:
                self._standing_in.close()
                self._standing_in, self.problem = None, None

    def _run(self, begin: str | None, work: Statement[T]) -> T:
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
                except (sqlite3.Error, StateUnavailableError) as problem:
                    self._overcome(problem)
                except BaseException:
                    self._roll_back()
                    raise
                else:
                    self._used |= begin == _WRITING and self.problem is None
                    return result
        raise StateUnavailableError(path=os.fspath(self._path), problem="cannot be kept open")

    def _current(self) -> sqlite3.Connection:
        if self._open is not None and self._is_current():
            return self._open
        if self._open is not None:
            if self._identity not in (_NOWHERE, _STANDING_IN):
                _log.warning("%s was deleted or replaced: what it knew is lost", self._path)
            self._forget()
        if self._identity_now() is None and not self._created():
            self._identity, self._open = _NOWHERE, self._connect(_MEMORY)
            return self._open
        # Taken before: when the file is replaced meanwhile, what we opened is not called current,
        # and what we find damaged is not taken for what lies there now.
        self._identity = self._identity_now()
        self._refuse_what_is_no_file()
        self._open = self._connect(self._path)
        if self._standing_in is not None and self._stand_in is not None:
            self._stand_in.put_back(self._standing_in, self._open)
            self._standing_in.close()
            self._standing_in, self.problem = None, None
            _log.warning("%s can be used again", self._path)
        return self._open

    def _overcome(self, problem: sqlite3.Error | StateUnavailableError) -> None:
        """Make the next try worth it, on the file or in memory, or raise StateUnavailableError."""
        if isinstance(problem, StateUnavailableError):
            self._roll_back()
            self._use_memory(problem, full=False)
            return
        try:
            self._mend(problem)
        except StateUnavailableError as unusable:
            self._use_memory(unusable, full=_kind(problem) == sqlite3.SQLITE_FULL)

    def _refuse_what_is_no_file(self) -> None:
        # SQLite follows a link, and waits for whoever writes to a pipe.
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(self._spelled).st_mode):
                raise StateUnavailableError(path=self._spelled, problem="is not a regular file")

    def _use_memory(self, problem: StateUnavailableError, *, full: bool) -> None:
        """Let memory stand in for the file, or raise the problem.

        What a file knew that was used already is not to be lost because somebody has it locked; of
        one whose disk is full it is read.
        """
        if self._stand_in is None or (self._used and not full and self._standing_in is None):
            raise problem
        if self._standing_in is None:
            _log.error("%s; what it would keep stays in memory until it can be used", problem)
            memory = self._standing_in = self._connect(_MEMORY)
            self._stand_in.begin(memory)
            if full:
                with contextlib.suppress(sqlite3.Error), closing(self._connect(self._path)) as file:
                    self._stand_in.read(file, memory)
        self._forget()
        self.problem = str(problem)
        self._not_yet = deadline(_AGAIN_SECONDS)
        self._identity, self._open = _STANDING_IN, self._standing_in

    def _created(self) -> bool:
        """Make the file, and its room where that was deleted with it; False: it has no place."""
        try:
            try:
                restore_local_directory(self._path.parent)
            except FileNotFoundError:
                return False
            create_file(self._path, b"", mode=PRIVATE_FILE_MODE)
        except (OSError, UnsafePathError) as problem:
            raise StateUnavailableError(
                path=os.fspath(self._path), problem=str(problem)
            ) from problem
        return True

    def _is_current(self) -> bool:
        if self._identity == _STANDING_IN:
            return not self._not_yet()
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
        if connection is not None and connection is not self._standing_in:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def _roll_back(self) -> None:
        if self._open is not None:
            with contextlib.suppress(sqlite3.Error):
                self._open.execute("ROLLBACK")

    def _mend(self, problem: sqlite3.Error) -> None:
        """Make the next try worth it, or raise StateUnavailableError."""
        kind = _kind(problem)
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
                if not wait_for(partial(try_lock, lock.fileno()), _LOCK_SECONDS):
                    problem = "another process has been repairing it for too long"
                    raise TimeoutError(errno.ETIMEDOUT, problem)
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


def _kind(problem: sqlite3.Error) -> int:
    return getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
