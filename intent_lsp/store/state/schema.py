"""The tables of the state file, and the transfer of rows collected in memory to that file."""

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.store.fs.sqlite_file import create_tables, transaction

_VERSION: Final = 9
"""The version of these tables, stored as SQLite's `user_version`."""

_TABLES: Final = """
    CREATE TABLE session (
        session_id BLOB, agent_id BLOB, kind BLOB, user BLOB, active_intent BLOB, turn INTEGER,
        stage BLOB, started_at BLOB, last_used_at BLOB, ended_at BLOB, pid INTEGER,
        PRIMARY KEY (session_id, agent_id)
    ) WITHOUT ROWID;
    CREATE TABLE session_name (
        name BLOB PRIMARY KEY, session_id BLOB, agent_id BLOB, at BLOB
    ) WITHOUT ROWID;
    CREATE INDEX session_name_session ON session_name (session_id, agent_id);
    CREATE TABLE baseline (session_id BLOB PRIMARY KEY, head BLOB) WITHOUT ROWID;
    CREATE TABLE baseline_file (
        session_id BLOB, path BLOB, hash BLOB, PRIMARY KEY (session_id, path)
    ) WITHOUT ROWID;
    CREATE TABLE read_hash (
        session_id BLOB, agent_id BLOB, path BLOB, hash BLOB, turn INTEGER,
        PRIMARY KEY (session_id, agent_id, path)
    ) WITHOUT ROWID;
    CREATE TABLE own_write (path BLOB PRIMARY KEY, hash BLOB) WITHOUT ROWID;
    CREATE TABLE recent_intent (intent_id BLOB PRIMARY KEY, at BLOB) WITHOUT ROWID;
    CREATE TABLE ticket (
        id BLOB PRIMARY KEY, session_id BLOB, agent_id BLOB, use_id BLOB, issued_at BLOB,
        body BLOB, outcome BLOB
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX ticket_use ON ticket (session_id, agent_id, use_id);
    CREATE INDEX ticket_age ON ticket (issued_at);
    CREATE TABLE claim (
        path BLOB, ticket_id BLOB, session_id BLOB, agent_id BLOB, until BLOB,
        PRIMARY KEY (path, ticket_id)
    ) WITHOUT ROWID;
    CREATE INDEX claim_ticket ON claim (ticket_id);
    CREATE TABLE event (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, intent_id BLOB, event BLOB, in_file INTEGER
    );
    CREATE INDEX event_intent ON event (intent_id, seq);
    CREATE TABLE lesson (session_id BLOB PRIMARY KEY, told INTEGER) WITHOUT ROWID;
    CREATE TABLE voice (
        session_id BLOB, agent_id BLOB, model BLOB, url BLOB, PRIMARY KEY (session_id, agent_id)
    ) WITHOUT ROWID;
    CREATE TABLE ticket_content (
        hash BLOB, ticket_id BLOB, data BLOB, PRIMARY KEY (hash, ticket_id)
    );
    CREATE INDEX content_ticket ON ticket_content (ticket_id);
    CREATE TABLE saved_for (
        path BLOB, ticket_id BLOB, PRIMARY KEY (path, ticket_id)
    ) WITHOUT ROWID;
    CREATE TABLE held_save (
        path BLOB, ticket_id BLOB, session_id BLOB, hash BLOB, PRIMARY KEY (path, ticket_id)
    ) WITHOUT ROWID;
    CREATE TABLE refusal (
        session_id BLOB, agent_id BLOB, use_id BLOB, at BLOB, body BLOB,
        PRIMARY KEY (session_id, agent_id, use_id)
    ) WITHOUT ROWID;
    CREATE INDEX refusal_age ON refusal (at);
    CREATE TABLE host_contact (
        host BLOB PRIMARY KEY, event BLOB, at BLOB, version BLOB, ended INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE unasked_change (
        host BLOB, hook BLOB, path BLOB, since BLOB, last BLOB, PRIMARY KEY (host, path)
    ) WITHOUT ROWID;
    CREATE TABLE refused_edit (
        path BLOB, call BLOB, at BLOB, made INTEGER, body BLOB, PRIMARY KEY (path, call)
    ) WITHOUT ROWID;
    CREATE TABLE moment (name BLOB PRIMARY KEY, at BLOB) WITHOUT ROWID;
    CREATE TABLE tree (id BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;
    CREATE TABLE open_command (
        ticket_id BLOB PRIMARY KEY, session_id BLOB, agent_id BLOB, issued_at BLOB, tree_id BLOB,
        gone_on INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX open_command_session ON open_command (session_id, agent_id);
    CREATE INDEX open_command_tree ON open_command (tree_id)
"""

_NUMBERED: Final = "event"
"""The table with numbered rows. In the file, a number that memory gave may be another row's."""

TableRows = set[tuple[Any, ...]]
"""The rows of one table."""


def lay_out(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in an empty state file.

    Raise StateUnavailableError if a newer version of this program wrote the file. The tables of an
    older version are left as they are. A query that misses a table then raises sqlite3.Error.
    """
    if create_tables(connection, _TABLES.split(";"), _VERSION) > _VERSION:
        raise StateUnavailableError(
            path=os.fspath(path),
            problem="was written by a newer version of intent-lsp",
            cure="install that version or a newer one",
        )


class StateInMemory:
    """Remembers the rows with which an in-memory stand-in for the state file began.

    Later only the rows added since are written back to the file.
    """

    def __init__(self) -> None:
        self._given: dict[str, TableRows] = {}

    def begin(self, memory: sqlite3.Connection) -> None:
        """Remember that the in-memory database begins with the rows that it has now."""
        self._given = {table: _rows(memory, table) for table in _tables(memory)}

    def read(self, file: sqlite3.Connection, memory: sqlite3.Connection) -> None:
        """Copy all tables of the file into memory, and remember that memory begins with them."""
        file.backup(memory)
        self.begin(memory)

    def put_back(self, memory: sqlite3.Connection, file: sqlite3.Connection) -> None:
        """Write the rows that memory has collected since its beginning to the file, all or none.

        Rows that were deleted in memory stay in the file.
        """
        with transaction(file):
            for table in _tables(memory):
                _put(file, table, _rows(memory, table) - self._given.get(table, set()))


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    return [name for (name,) in connection.execute(query)]


def _rows(connection: sqlite3.Connection, table: str) -> TableRows:
    return set(connection.execute(f"SELECT * FROM {table}"))  # noqa: S608 - a table of ours


def _put(file: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows into a table of the state file, replacing rows with the same key.

    Rows of the table `event` (`_NUMBERED`) get new numbers.
    """
    for row in rows:
        values = (None, *row[1:]) if table == _NUMBERED else row
        marks = ",".join("?" * len(values))
        file.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", values)  # noqa: S608 - ours
