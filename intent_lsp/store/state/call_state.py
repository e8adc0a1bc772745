"""What a root's state knows of the files of a call, all of one moment (requirements section 6).

Invariant: one transaction reads all of it, so that a claim and a read belong to one another.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.request import Unread
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import pack, unpack
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.database import Database

# One row for each path, whatever is known of it; every part of it is found by a primary key.
_QUERY: Final = """
    SELECT
        (SELECT hash FROM own_write WHERE path = ?1),
        (SELECT session_id FROM claim WHERE path = ?1 AND until >= ?4
            AND NOT (session_id = ?2 AND agent_id = ?3) ORDER BY ticket_id DESC LIMIT 1),
        read.turn, read.hash
    FROM (SELECT 1) LEFT JOIN read_hash AS read
        ON read.session_id = ?2 AND read.agent_id = ?3 AND read.path = ?1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMemory:
    """What is known of one file: our own last write of it, what the asker read of it and when.

    `read` is None where the asker read that there is no such file; `turn` is None where it never
    read it. `claimed_by` is another session (or another agent's) with a live claim on it.
    """

    own_write: ContentHash | None = None
    read: ContentHash | Unread | None = Unread.NEVER
    turn: int | None = None
    claimed_by: str | None = None


class CallState:
    """What one root's state remembers for judging a call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(
        self, paths: Iterable[WorkspacePath], asker: tuple[str, str], now: datetime
    ) -> Mapping[WorkspacePath, FileMemory]:
        """Tell what is known of each path, to a session or a subagent. Raises as State does."""
        keys = {path: pack(path) for path in paths}
        session, agent, at = *map(pack, asker), timestamp(now)
        if len(keys) == 1:
            ((path, key),) = keys.items()
            (row,) = self._database.rows(_QUERY, (key, session, agent, at))
            return {path: _memory(row)}

        def work(connection: sqlite3.Connection) -> dict[WorkspacePath, FileMemory]:
            return {
                path: _memory(connection.execute(_QUERY, (key, session, agent, at)).fetchone())
                for path, key in keys.items()
            }

        return self._database.read(work)


def _memory(row: tuple[Any, ...]) -> FileMemory:
    own_write, claimed_by, turn, read = row
    return FileMemory(
        own_write=_hash(own_write),
        read=Unread.NEVER if turn is None else _hash(read),
        turn=turn,
        claimed_by=None if claimed_by is None else unpack(claimed_by),
    )


def _hash(data: bytes | None) -> ContentHash | None:
    return None if data is None else ContentHash(unpack(data))
