"""The tables of the state file, and their migration from version to version.

Invariant: a layout that was released is never edited. A change is a new layout at the end.
"""

import os
import sqlite3
from pathlib import Path

from intent_lsp.core.errors import StateUnavailableError

# Each script migrates by one version. SQLite's `user_version` counts the scripts that have run.
_LAYOUTS = (
    """
    CREATE TABLE session (
        session_id BLOB, agent_id BLOB, kind BLOB, user BLOB, active_intent BLOB, turn INTEGER,
        stage BLOB, started_at BLOB, last_used_at BLOB, ended_at BLOB, pid INTEGER,
        PRIMARY KEY (session_id, agent_id)
    ) WITHOUT ROWID;
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
    """,
    """
    CREATE TABLE ticket (
        id BLOB PRIMARY KEY, session_id BLOB, agent_id BLOB, use_id BLOB, issued_at BLOB,
        body BLOB, outcome BLOB
    ) WITHOUT ROWID;
    CREATE UNIQUE INDEX ticket_use ON ticket (session_id, agent_id, use_id);
    CREATE INDEX ticket_age ON ticket (issued_at);
    CREATE TABLE claim (
        path BLOB, ticket_id BLOB, session_id BLOB, agent_id BLOB, until TEXT,
        PRIMARY KEY (path, ticket_id)
    ) WITHOUT ROWID;
    CREATE INDEX claim_ticket ON claim (ticket_id);
    """,
    """
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
    CREATE TABLE watched_command (
        session_id BLOB, agent_id BLOB, command BLOB, ticket_id BLOB,
        PRIMARY KEY (session_id, agent_id, command)
    ) WITHOUT ROWID;
    CREATE TABLE moment (name BLOB PRIMARY KEY, at BLOB) WITHOUT ROWID;
    """,
    """
    CREATE TABLE tree (id BLOB PRIMARY KEY, body BLOB) WITHOUT ROWID;
    CREATE TABLE open_command (
        ticket_id BLOB PRIMARY KEY, session_id BLOB, agent_id BLOB, issued_at BLOB, tree_id BLOB,
        gone_on INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX open_command_session ON open_command (session_id, agent_id);
    CREATE INDEX open_command_tree ON open_command (tree_id);
    """,
    "DROP TABLE watched_command",
)


def lay_out(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate the tables to the current version. Raise StateUnavailableError for a newer one."""
    if _layout(connection) == len(_LAYOUTS):
        return
    connection.execute("BEGIN IMMEDIATE")
    # Check again inside the transaction: another process may have migrated the file meanwhile.
    found = _layout(connection)
    if found > len(_LAYOUTS):
        raise StateUnavailableError(
            path=os.fspath(path), problem="was written by a newer version of intent-lsp"
        )
    for script in _LAYOUTS[found:]:
        for statement in script.split(";"):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(_LAYOUTS)}")
    connection.execute("COMMIT")


def _layout(connection: sqlite3.Connection) -> int:
    """Return the version of the file's tables."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
