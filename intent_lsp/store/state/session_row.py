"""The row of a session, or of one of its subagents, in the session database, and its other names.

Other names are handles, and the ids of sessions that are subagents of another session.

Invariant: a name stands for one session or subagent for as long as the state is kept.
"""

import os
import sqlite3
from collections.abc import Iterable
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.text import unpack
from intent_lsp.store.state.database import Database, packed

HANDLE: Final = "h-"
"""The beginning of every handle. No agent host begins the ids of its sessions with it."""

SESSION_QUERY: Final = "SELECT * FROM session WHERE session_id = ? AND agent_id = ?"
_NAMES: Final = "SELECT name FROM session_name WHERE session_id = ? AND agent_id = ?"


class SessionRow(Struct, frozen=True, kw_only=True):
    """The stored row of a session (`agent_id` is ""), or of one of its subagents.

    Times are formatted by `core.timestamps`. `active_intent` is the selected intent's id, or None.
    `turn` counts from 1. `stage` is "execution_authorized" if the intent was selected in this turn,
    else "checkout_required" (requirements section 1). `ended_at` is None while the session is open;
    it stays None if the session's process is killed. `pid` is the id of its process, or None.
    """

    session_id: str
    agent_id: str = ""
    kind: Literal["editor", "agent"]
    user: str
    active_intent: str | None
    turn: int
    stage: str
    started_at: str
    last_used_at: str
    ended_at: str | None = None
    pid: int | None = None

    def reopened(self, at: str) -> "SessionRow":
        """Return a copy of the row for a session that this process uses again, last used at `at`.

        The copy has no end, and the id of this process as `pid`.
        """
        return replace(self, last_used_at=at, ended_at=None, pid=os.getpid())

    def choosing(self, intent_id: str | None, stage: str, at: str) -> "SessionRow":
        """Return a copy of the row with another intent (None: none) and stage, used at `at`."""
        return replace(self, active_intent=intent_id, stage=stage, last_used_at=at)


class SessionNames:
    """The other names of one root's sessions and subagents, among them handles (`h-…`).

    Methods may raise StateUnavailableError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, name: str) -> tuple[str, str] | None:
        """Return (session id, subagent id) for a stored name, or None if it is not stored."""
        query = "SELECT session_id, agent_id FROM session_name WHERE name = ?"
        rows = self._database.rows(query, name)
        return (unpack(rows[0][0]), unpack(rows[0][1])) if rows else None

    def put(self, name: str, session_id: str, agent_id: str, at: str) -> None:
        """Store a handle or another name of a session or subagent, with the time `at`.

        A name that is stored already keeps its meaning.
        """
        query = "INSERT OR IGNORE INTO session_name VALUES (?,?,?,?)"
        self._database.do(query, name, session_id, agent_id, at)

    def handle(self, session_id: str, agent_id: str) -> str | None:
        """Return the handle of a session or subagent, or None if it has none."""
        return _handle_in(self._database.rows(_NAMES, session_id, agent_id))

    def handle_or(self, new: str, session_id: str, agent_id: str, at: str) -> str:
        """Return the handle of a session or subagent. If it has none, store and return `new`.

        `at` is the time to store with it.
        """
        values = packed(session_id, agent_id)
        row = packed(new, session_id, agent_id, at)

        def work(connection: sqlite3.Connection) -> str:
            known = _handle_in(connection.execute(_NAMES, values))
            if known is None:
                connection.execute("INSERT INTO session_name VALUES (?,?,?,?)", row)
            return known or new

        return self._database.write(work)


def _handle_in(rows: Iterable[tuple[Any, ...]]) -> str | None:
    """Return the first name in `rows` that is a handle, or None. Each row has one stored name."""
    names = (unpack(name) for (name,) in rows)
    return next((name for name in names if name.startswith(HANDLE)), None)
