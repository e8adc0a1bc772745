"""A SQLite file shared by threads and processes: transactions, and recovery from loss or damage.

Invariant: every transaction runs on the file that the path names now. A file that was deleted or
replaced is opened again (requirements section 2).
Invariant: a damaged file is renamed with the files that belong to it, never deleted.
Invariant: while `.orchestration/` itself is missing, the state is only in memory, empty at first.
Invariant: what a stand-in in memory has collected while the file could not be used is written to
the file by the first transaction that can use it, unless `close` is called before.
"""

import contextlib
import errno
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.text import pack, unpack
from intent_lsp.store.clock import deadline, now
from intent_lsp.store.fs.sqlite_file import (
    COMPANIONS,
    MEMORY,
    Connect,
    Identity,
    NoDirectoryError,
    SqliteFile,
    kind,
)
from intent_lsp.store.locks.file_lock import open_lock_file, try_lock, wait_for
from intent_lsp.store.state.schema import StateInMemory

_log = logging.getLogger(__name__)

T = TypeVar("T")
S = TypeVar("S", bound=Struct)
Statement = Callable[[sqlite3.Connection], T]
Value = str | bytes | int | None
Stored = bytes | int | None
"""A value as it is stored: text as bytes, so that every name can be stored."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
# The file, or its shared-memory file, was moved or removed under an open connection.
_MOVED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
_CURES = {sqlite3.SQLITE_BUSY: "try again", sqlite3.SQLITE_FULL: "free disk space"}
_AGAIN_SECONDS = 2.0
"""After how many seconds in memory the file is tried again."""
_WRITING = "BEGIN IMMEDIATE"
_TRIES = 4
_LOCK_SECONDS = 2.0


def packed(*values: Value) -> tuple[Stored, ...]:
    """Return values in the form in which the database stores them: text as bytes."""
    return tuple(pack(value) if isinstance(value, str) else value for value in values)


def hash_in(data: bytes | None) -> ContentHash | None:
    """Return the content hash stored as these bytes, or None for None."""
    return None if data is None else ContentHash(unpack(data))


def row_as(kind: type[S], row: Iterable[Any]) -> S:
    """Return a row as a struct of the class `kind`, whose fields are the columns in their order.

    Bytes are decoded to text.
    """
    values = (unpack(value) if isinstance(value, bytes) else value for value in row)
    fields: dict[str, Any] = dict(zip(kind.__struct_fields__, values, strict=True))
    return kind(**fields)


class Database:
    """A SQLite file, opened on first use by `connect`, which also creates its tables.

    If `connect` raises sqlite3.Error or StateUnavailableError and trying again does not help,
    `read` and `write` raise StateUnavailableError. With a `stand_in`, an in-memory database
    replaces the file if the disk is full, or if the file cannot be used and this object has not
    written to it yet. Then `problem` says why, else it is None. While `.orchestration/` is missing,
    an empty in-memory database is used, with or without a `stand_in`.
    """

    def __init__(
        self, path: Path, connect: Connect, *, stand_in: StateInMemory | None = None
    ) -> None:
        self._path = path
        self._file = SqliteFile(path, connect)
        self._connect = connect
        self._guard = threading.Lock()
        self._memory: sqlite3.Connection | None = None
        self._stand_in = stand_in
        self._standing_in: sqlite3.Connection | None = None
        self._not_yet: Callable[[], bool] = bool
        self._used = False
        self.problem: str | None = None

    def read(self, work: Statement[T]) -> T:
        """Call `work` with the connection in a read transaction, and return its result.

        `work` may be called more than once. Raise StateUnavailableError if neither the file nor
        memory in its place can be used.
        """
        return self._run("BEGIN", work)

    def rows(self, query: str, *values: Value) -> list[tuple[Any, ...]]:
        """Run one SELECT with the parameters `values`, and return its rows.

        Raise StateUnavailableError if neither the file nor memory in its place can be used.
        """
        stored = packed(*values)
        return self._run(None, lambda connection: connection.execute(query, stored).fetchall())

    def do(self, query: str, *values: Value) -> int:
        """Run one statement in a write transaction, and return how many rows it changed.

        `values` are its parameters. Raise StateUnavailableError if neither the file nor memory in
        its place can be used.
        """
        stored = packed(*values)
        return self.write(lambda connection: connection.execute(query, stored).rowcount)

    def write(self, work: Statement[T]) -> T:
        """Call `work` with the connection in a write transaction, and return its result.

        No other write transaction runs at the same time. `work` may be called more than once; only
        its last call takes effect. Raise StateUnavailableError if neither the file nor memory in
        its place can be used.
        """
        return self._run(_WRITING, work)

    def close(self) -> None:
        """Close the file. The next transaction opens it again. Rows only in memory are lost."""
        with self._guard:
            self._forget()
            self._end_stand_in()

    def _run(self, begin: str | None, work: Statement[T]) -> T:
        """Call `work` in a transaction and return its result. Try again after each problem solved.

        After `_TRIES` tries, or if a problem cannot be solved, raise StateUnavailableError. `begin`
        is the statement that begins the transaction, or None if `work` is a single SELECT.
        """
        with self._guard:
            for _ in range(_TRIES):
                try:
                    connection = self._current()
                    if begin is None:
                        return work(connection)
                    connection.execute(begin)
                    # Check again inside the transaction: until now the file could be replaced.
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
        raise self._unusable("was replaced again and again while it was open", "try again")

    def _current(self) -> sqlite3.Connection:
        """Return the connection to use: to the file, or to memory if the file cannot be used now.

        When the file is usable again, the rows collected in memory are written to it first.
        """
        connection = self._memory or self._file.opened
        if connection is not None and self._is_current():
            return connection
        if connection is not None and self._memory is None:
            _log.warning("%s was deleted or replaced: what it knew is lost", self._path)
        self._forget_memory()
        try:
            connection = self._file.connection()
        except NoDirectoryError:
            self._memory = self._connect(MEMORY)
            return self._memory
        if self._standing_in is not None and self._stand_in is not None:
            self._stand_in.put_back(self._standing_in, connection)
            self._end_stand_in()
            _log.warning("%s can be used again", self._path)
        return connection

    def _overcome(self, problem: sqlite3.Error | StateUnavailableError) -> None:
        """Prepare another try after `problem`, on the file or in memory.

        Raise StateUnavailableError if neither can be used.
        """
        if isinstance(problem, StateUnavailableError):
            self._roll_back()
            self._use_memory(problem, full=False)
            return
        try:
            self._mend(problem)
        except StateUnavailableError as unusable:
            self._use_memory(unusable, full=kind(problem) == sqlite3.SQLITE_FULL)

    def _use_memory(self, problem: StateUnavailableError, *, full: bool) -> None:
        """Use a database in memory instead of the file, or raise `problem` if that is not allowed.

        It is never allowed if the constructor got no `stand_in`. Otherwise it is allowed if this
        object has not written to the file yet, if memory already stands in, or if the disk is full
        (`full`). When memory begins to stand in because the disk is full, the file's data is copied
        into it.
        """
        if self._stand_in is None or (self._used and not full and self._standing_in is None):
            raise problem
        if self._standing_in is None:
            _log.error("%s; what it would keep stays in memory until it can be used", problem)
            memory = self._standing_in = self._connect(MEMORY)
            self._stand_in.begin(memory)
            if full:
                with contextlib.suppress(sqlite3.Error), closing(self._connect(self._path)) as file:
                    self._stand_in.read(file, memory)
        self._forget()
        self.problem = str(problem)
        self._not_yet = deadline(_AGAIN_SECONDS)
        self._memory = self._standing_in

    def _is_current(self) -> bool:
        """Return whether the open connection, to the file or to memory, is still the one to use."""
        if self._memory is None:
            return self._file.is_current()
        if self._memory is self._standing_in:
            return not self._not_yet()
        # Memory is in use because `.orchestration/` is missing: use the file once it is back.
        return not self._path.parent.parent.is_dir()

    def _forget(self) -> None:
        self._file.close()
        self._forget_memory()

    def _forget_memory(self) -> None:
        if self._memory is not None and self._memory is not self._standing_in:
            self._memory.close()
        self._memory = None

    def _end_stand_in(self) -> None:
        if self._standing_in is not None:
            self._standing_in.close()
            self._standing_in, self.problem = None, None

    def _roll_back(self) -> None:
        connection = self._memory or self._file.opened
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")

    def _mend(self, problem: sqlite3.Error) -> None:
        """Prepare another try on the file after `problem`.

        A damaged file is renamed. A file that was moved or replaced is closed, to be opened again.
        For any other problem, raise StateUnavailableError.
        """
        self._roll_back()
        known, was_open = self._file.identity, self._file.opened is not None
        self._forget()
        if kind(problem) in _DAMAGED or str(problem).startswith("no such table"):
            self._move_aside(known)
        elif kind(problem) not in _MOVED or not was_open:
            raise self._unusable(str(problem), _CURES.get(kind(problem))) from problem

    def _move_aside(self, damaged: Identity | None) -> None:
        """Rename the damaged file and SQLite's companion files, under a lock between processes.

        `damaged` is the identity of the damaged file. Do nothing if the path has another file now.
        Raise StateUnavailableError if locking or renaming fails.
        """
        aside = f".damaged-{now():%Y%m%dT%H%M%S%f}"
        try:
            with open_lock_file(self._path.with_name(self._path.name + ".lock")) as lock:
                if not wait_for(partial(try_lock, lock.fileno()), _LOCK_SECONDS):
                    problem = "another process has been repairing the file for too long"
                    raise TimeoutError(errno.ETIMEDOUT, problem)
                # Another process may have renamed it already: then the path names a good file.
                if damaged != self._file.identity_now():
                    return
                _log.error("%s is damaged; it is kept as %s%s", self._path, self._path.name, aside)
                for companion in COMPANIONS:
                    part = self._path.with_name(self._path.name + companion)
                    with contextlib.suppress(FileNotFoundError):
                        part.replace(part.with_name(self._path.name + aside + companion))
        except OSError as problem:
            cure = "try again" if isinstance(problem, TimeoutError) else None
            raise self._unusable(f"is damaged and cannot be moved: {problem}", cure) from problem

    def _unusable(self, problem: str, cure: str | None = None) -> StateUnavailableError:
        return StateUnavailableError(path=os.fspath(self._path), problem=problem, cure=cure)
