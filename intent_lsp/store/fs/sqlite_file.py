"""SQLite files that only this user can read, reopened if another file is put at their path.

Invariant: only regular files are opened, since SQLite would follow a link and wait for a pipe.
Invariant: a file that was deleted or replaced is opened again (requirements section 2).
"""

import logging
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, restore_local_directory
from intent_lsp.store.fs.write import create_file

_log: Final = logging.getLogger(__name__)

# The file itself comes last: a new file must not find the write-ahead log of the old one.
COMPANIONS: Final = ("-wal", "-shm", "-journal", "")
"""Suffixes of the files that make up one database."""

MEMORY: Final = Path(":memory:")
"""The path that opens an in-memory database."""
# Pages of 4 KiB in the log before it is moved into the file. That waits for the disk twice, so it
# happens rarely and at the close.
_MOVED_AT_PAGES: Final = 4_000

Connect = Callable[[Path], sqlite3.Connection]
Identity = tuple[int, int]


class NoDirectoryError(sqlite3.OperationalError):
    """Raised if a database's directory cannot be created because `.orchestration/` is missing."""


class SqliteFile:
    """A connection to the SQLite file at a path, reopened when another file replaces it.

    Only one thread may use it at a time. `opened` is the connection, or None if none is open.
    `identity` is device and inode of the file that was last opened, or could not be opened, and
    None after `close`.
    """

    def __init__(self, path: Path, connect: Connect) -> None:
        """Set the path. `connect` opens the file at that path when it is first needed."""
        self.path = path
        self._spelled = os.fspath(path)
        self._connect = connect
        self.opened: sqlite3.Connection | None = None
        self.identity: Identity | None = None

    def is_current(self) -> bool:
        """Return whether a connection is open and its file is still the one at the path."""
        return self.opened is not None and self.identity == self.identity_now()

    def connection(self) -> sqlite3.Connection:
        """Return a connection to the file now at the path, creating the file if it is missing.

        Raise NoDirectoryError, another sqlite3.Error, or what the function `connect` raises.
        """
        if self.opened is not None and self.is_current():
            return self.opened
        self.close()
        if self.identity_now() is None:
            self._make()
        # Read the identity before opening. If the file is replaced in between, the connection then
        # does not count as current, and damage in it is not blamed on the new file.
        self.identity = self.identity_now()
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(self._spelled).st_mode):
                raise sqlite3.OperationalError("is not a regular file")
        self.opened = self._connect(self.path)
        return self.opened

    def close(self) -> None:
        """Close the connection, if there is one."""
        connection, self.opened, self.identity = self.opened, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def identity_now(self) -> Identity | None:
        """Return device and inode of the file to which the path leads now, or None without one."""
        # Never open the file to ask: closing it again would drop this process's SQLite locks.
        try:
            found = os.stat(self._spelled)  # noqa: PTH116 - asked twice for each transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _make(self) -> None:
        """Create the empty file, and its `.local/` directory too if that was deleted.

        Raise NoDirectoryError if `.orchestration/` is missing, sqlite3.OperationalError if creating
        fails.
        """
        try:
            try:
                restore_local_directory(self.path.parent)
            except FileNotFoundError as gone:
                raise NoDirectoryError(str(gone)) from gone
            create_file(self.path, b"", mode=PRIVATE_FILE_MODE)
        except (OSError, UnsafePathError) as problem:
            raise sqlite3.OperationalError(str(problem)) from problem


def connected(
    path: Path, lay_out: Callable[[sqlite3.Connection, Path], None], *, busy_seconds: float
) -> sqlite3.Connection:
    """Open a SQLite database, in a file or in memory, and return the connection.

    To create the tables, `lay_out` is called with the connection and the path. A statement waits up
    to `busy_seconds` for locks of other connections. Raise sqlite3.Error, or what `lay_out` raises.
    """
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False
    )
    try:
        keep_safe(connection, path)
        lay_out(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the `with` block in a write transaction. Commit it, or roll back if the block raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def create_tables(connection: sqlite3.Connection, tables: Iterable[str], version: int) -> int:
    """Run the statements `tables` in a new database and set its schema version to `version`.

    Do nothing if the database has another schema version than 0, SQLite's for a new one. Return the
    schema version that the database then has.
    """
    if _version(connection) == 0:
        with transaction(connection):
            # Check again: another process may have created them meanwhile.
            if _version(connection) == 0:
                for statement in (*tables, f"PRAGMA user_version = {version}"):
                    connection.execute(statement)
    return _version(connection)


def keep_safe(connection: sqlite3.Connection, path: Path) -> None:
    """Turn on SQLite's write-ahead log, so that readers and a writer can work at the same time.

    On file systems that do not support it, the rollback journal is used instead, and a warning with
    `path` is logged. Also set how often SQLite syncs and checkpoints.
    """
    try:
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL):
            raise
        mode = ""
    if mode not in ("wal", "memory"):
        _log.warning("%s: no write-ahead log on this file system", path)
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_MOVED_AT_PAGES}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def kind(problem: sqlite3.Error) -> int:
    """Return the primary error code of a SQLite error, such as SQLITE_BUSY, or 0 if it has none."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF
