"""SQLite files: made for this user alone, opened in one way, told from others of their name.

Invariant: what is no regular file is not opened: SQLite follows a link, and waits for a pipe.
Invariant: a file that was deleted or replaced is opened anew (requirements section 2).
"""

import logging
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import UnsafePathError
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, restore_local_directory
from intent_lsp.store.fs.write import create_file

_log: Final = logging.getLogger(__name__)

# The file itself last: a new one must not find the log of the old.
COMPANIONS: Final = ("-wal", "-shm", "-journal", "")
"""What the names of the files end with that make up one database."""

MEMORY: Final = Path(":memory:")
# Pages of 4 KiB. Moving the log into the file waits for the disk twice: seldom, and at the close.
_MOVED_AT_PAGES: Final = 4_000

Connect = Callable[[Path], sqlite3.Connection]
Identity = tuple[int, int]


class NoDirectoryError(sqlite3.OperationalError):
    """A file in a local room whose `.orchestration/` is gone."""


class SqliteFile:
    """One connection to the file that a path names now, for one thread at a time.

    `opened` is the connection, if there is one, and `identity` what it is to.
    """

    def __init__(self, path: Path, connect: Connect) -> None:
        """Name the file; `connect` opens it when it is first needed."""
        self.path = path
        self._spelled = os.fspath(path)
        self._connect = connect
        self.opened: sqlite3.Connection | None = None
        self.identity: Identity | None = None

    def is_current(self) -> bool:
        """Whether the path still names the file that is open."""
        return self.opened is not None and self.identity == self.identity_now()

    def connection(self) -> sqlite3.Connection:
        """Give the connection, made anew where it is not current; the file is made when missing.

        Raises sqlite3.Error, NoDirectoryError, and what `connect` does.
        """
        if self.opened is not None and self.is_current():
            return self.opened
        self.close()
        if self.identity_now() is None:
            self._make()
        # Taken before: when the file is replaced meanwhile, what we opened is not called current,
        # and what we find damaged is not taken for what lies there now.
        self.identity = self.identity_now()
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(self._spelled).st_mode):
                raise sqlite3.OperationalError("is not a regular file")
        self.opened = self._connect(self.path)
        return self.opened

    def close(self) -> None:
        """Let go of the file."""
        connection, self.opened, self.identity = self.opened, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def identity_now(self) -> Identity | None:
        """Identify what has the name now; None: nothing."""
        # Never opened to be asked: closing it would drop SQLite's locks on it.
        try:
            found = os.stat(self._spelled)  # noqa: PTH116 - asked twice for each transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _make(self) -> None:
        """Make the file, and its room where that was deleted with it."""
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
    """Open a file, or memory, and lay out its tables. Raises sqlite3.Error and as `lay_out`."""
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


def keep_safe(connection: sqlite3.Connection, path: Path) -> None:
    """Let readers and a writer work side by side; network shares cannot, and take turns."""
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


def kind(problem: sqlite3.Error) -> int:
    """Give SQLite's primary code of an error; 0: it is not one of SQLite's own."""
    return getattr(problem, "sqlite_errorcode", 0) & 0xFF
