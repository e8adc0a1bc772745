"""The index's database: opened, reopened, thrown away when it is broken.

Invariant: the database holds nothing that the ledger does not; losing it loses time alone.
Invariant: where no file can be kept, it lives in memory.
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.store.fs.sqlite_file import COMPANIONS, MEMORY, SqliteFile, connected, kind
from intent_lsp.store.fs.write import remove_file

SCHEMA_VERSION: Final = 6
PATIENT: Final = 20
"""How many seconds a question waits while another process builds the index."""

_WAIT_SECONDS: Final = 1.0
_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SCHEMA: Final = """
CREATE TABLE source (
  number INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL UNIQUE,
  offset INTEGER NOT NULL, tail BLOB NOT NULL, stamp TEXT NOT NULL,
  lines INTEGER NOT NULL, records INTEGER NOT NULL, copies INTEGER NOT NULL,
  copying INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
  last TEXT, last_time TEXT NOT NULL, heads TEXT NOT NULL
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

CACHE: Final = "PRAGMA cache_size = -16384"
"""Kibibytes of pages that are kept in memory."""

HASH_INDEX: Final = "CREATE INDEX IF NOT EXISTS record_hash ON record (hash64)"
ORDER_INDEXES: Final = (
    "CREATE INDEX record_id ON record (id64)",
    "CREATE INDEX record_intent ON record (intent, moment, source)",
    "CREATE INDEX record_session ON record (session, moment, source)",
)

T = TypeVar("T")


class IndexDatabase:
    """One connection, used by one thread at a time."""

    def __init__(self, path: Path | None) -> None:
        """Keep the database at `path`; None: in memory."""
        self._threads = threading.Lock()
        self._file = None if path is None else SqliteFile(path, _connect)
        self._memory: sqlite3.Connection | None = None

    def run(self, work: Callable[[sqlite3.Connection], T], patience: int = 0) -> T:
        """Do `work`, which may be begun again on an empty database.

        A database that another process holds is waited for as often as `patience` says, for a
        second each; then, and where none can be kept, it is done in memory.
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
                raise LedgerUnavailableError(
                    path=str(path), problem=f"no index can be made: {error}"
                ) from error

    def try_once(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do `work` if the database is there and well; the next `run` makes up for it."""
        with self._threads, suppress(sqlite3.Error):
            work(self._current())

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
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
        """Make room for an empty database, unless the one in its place is merely in use."""
        self._forget()
        if self._file is None or kind(error) in _IN_USE:
            return
        for companion in COMPANIONS:
            with suppress(OSError):
                remove_file(Path(f"{self._file.path}{companion}"))


def _connect(path: Path) -> sqlite3.Connection:
    return connected(path, _prepare, busy_seconds=_WAIT_SECONDS)


def _prepare(connection: sqlite3.Connection, _path: Path) -> None:
    # Hashes and ids come in no order: a small cache would read their pages again and again.
    connection.execute(CACHE)
    # What a build has written ahead is not kept beside the database for good.
    connection.execute("PRAGMA journal_size_limit = 16777216")
    if _version(connection) == 0:
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) == 0:
            tables = _SCHEMA.strip().removesuffix(";").split(";\n")
            for statement in (*tables, HASH_INDEX, *ORDER_INDEXES):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    if _version(connection) != SCHEMA_VERSION:
        raise sqlite3.DatabaseError("the index is of another version")


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
