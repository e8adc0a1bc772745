"""The index's SQLite database: opening, reopening, and replacing a broken one.

Invariant: the database holds nothing that the ledger does not. Losing it costs only time.
Invariant: if no file can be kept, the database is in memory.
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.store.fs.sqlite_file import (
    COMPANIONS,
    MEMORY,
    SqliteFile,
    connected,
    create_tables,
    kind,
)
from intent_lsp.store.fs.write import remove_file

SCHEMA_VERSION: Final = 8
PATIENT: Final = 20
"""How many seconds a query waits while another process builds the index."""

_WAIT_SECONDS: Final = 1.0
_MOMENT_MS: Final = 100
"""How long `try_once` waits for another process, in ms."""

_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SCHEMA: Final = """
CREATE TABLE source (
  number INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE, state BLOB NOT NULL
) STRICT;
CREATE TABLE record (
  moment INTEGER NOT NULL, source INTEGER NOT NULL,
  offset INTEGER NOT NULL, length INTEGER NOT NULL,
  hash64 INTEGER NOT NULL, id64 INTEGER NOT NULL,
  intent INTEGER, session INTEGER NOT NULL, time TEXT, passing INTEGER NOT NULL,
  PRIMARY KEY (moment, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE touched (
  path BLOB NOT NULL, moment INTEGER NOT NULL, source INTEGER NOT NULL,
  PRIMARY KEY (path, moment, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE latest (
  intent INTEGER NOT NULL, path BLOB NOT NULL, moment INTEGER NOT NULL, source INTEGER NOT NULL,
  PRIMARY KEY (intent, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE granted (
  moment INTEGER NOT NULL, source INTEGER NOT NULL, named TEXT NOT NULL,
  PRIMARY KEY (moment, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE named (
  hash64 INTEGER NOT NULL, source INTEGER NOT NULL, PRIMARY KEY (hash64, source)
) STRICT, WITHOUT ROWID;
"""

INDEXES: Final = {
    name: f"CREATE INDEX IF NOT EXISTS {name} ON record ({columns})"
    for name, columns in (
        ("record_hash", "hash64"),
        ("record_id", "id64"),
        ("record_intent", "intent, moment, source"),
        ("record_session", "session, moment, source"),
    )
}
"""Maps the name of each index of the table `record` to the statement that creates it."""

HASH_INDEX: Final = INDEXES["record_hash"]

T = TypeVar("T")


class IndexDatabase:
    """The connection to the index's SQLite database. It is thread-safe."""

    def __init__(self, path: Path | None) -> None:
        """Set the path of the database file. If `path` is None, the database is in memory."""
        self._threads = threading.Lock()
        self._file = None if path is None else SqliteFile(path, _connect)
        self._memory: sqlite3.Connection | None = None

    def run(self, work: Callable[[sqlite3.Connection], T], patience: int = 0) -> T:
        """Call `work` with a connection to the database, and return its result.

        `work` may be called again, also on an empty database. If another process has locked the
        database, try again `patience` times, waiting a second each. If it is still locked, or if
        there is no usable file, use a database in memory. A broken database is deleted and created
        again. Raise LedgerUnavailableError if SQLite fails even in memory.
        """
        with self._threads:
            for left in range(patience, -1, -1):
                try:
                    return work(self._current())
                except sqlite3.Error as error:
                    if kind(error) in _IN_USE and left:
                        continue
                    self._discard(error)
                    break
            with suppress(sqlite3.Error):
                return work(self._current())
            self._forget()
            self._memory = _connect(MEMORY)
            try:
                return work(self._memory)
            except sqlite3.Error as error:
                path = MEMORY if self._file is None else self._file.path
                problem = f"the index of the ledger cannot be built: {error}"
                raise LedgerUnavailableError(
                    path=str(path), problem=problem, cure="try again"
                ) from error

    def try_once(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Call `work` with a connection to the database, once, and ignore its database errors.

        It waits only for a moment while another process writes to the database. Lines that are not
        indexed because of an error are indexed by the next query.
        """
        with self._threads, suppress(sqlite3.Error):
            connection = self._current()
            connection.execute(f"PRAGMA busy_timeout = {_MOMENT_MS}")
            try:
                work(connection)
            finally:
                connection.execute(f"PRAGMA busy_timeout = {int(_WAIT_SECONDS * 1000)}")

    def close(self) -> None:
        """Close the connection. The next use opens it again."""
        with self._threads:
            self._forget()

    def _current(self) -> sqlite3.Connection:
        if self._file is not None and self._memory is None:
            return self._file.connection()
        self._memory = self._memory or _connect(MEMORY)
        return self._memory

    def _forget(self) -> None:
        if self._file is not None:
            self._file.close()
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def _discard(self, error: sqlite3.Error) -> None:
        """Close the database, and delete its files.

        Do not delete them if `error` says only that another process has locked the database.
        """
        self._forget()
        if self._file is None or kind(error) in _IN_USE:
            return
        for companion in COMPANIONS:
            with suppress(OSError):
                remove_file(Path(f"{self._file.path}{companion}"))


def _connect(path: Path) -> sqlite3.Connection:
    return connected(path, _prepare, busy_seconds=_WAIT_SECONDS)


def _prepare(connection: sqlite3.Connection, _path: Path) -> None:
    """Set up a connection to the index, and create the tables if the database is empty.

    Raise sqlite3.DatabaseError if the tables are of another version.
    """
    # In KiB. Hashes and ids are in random order, so a small cache would read their pages again and
    # again.
    connection.execute("PRAGMA cache_size = -16384")
    # Shrinks the write-ahead log, which a build makes large.
    connection.execute("PRAGMA journal_size_limit = 16777216")
    statements = (*_SCHEMA.strip().removesuffix(";").split(";\n"), *INDEXES.values())
    if create_tables(connection, statements, SCHEMA_VERSION) != SCHEMA_VERSION:
        raise sqlite3.DatabaseError("the index has the format of another version; it is built anew")
