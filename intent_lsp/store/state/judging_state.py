"""Reads from a root's state what is needed to judge a tool call or an editor's save.

Specified in requirements sections 1, 6 and 7.

Invariant: each method is one transaction, so that all that it reads is from the same moment.
Invariant: what was stored for the old path of a moved file stays stored.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import GOOD_FOR, Ticket
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.request import Unread
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import pack, unpack_perhaps
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.database import Database, hash_in, packed, row_as
from intent_lsp.store.state.open_commands import parsed
from intent_lsp.store.state.session_row import SESSION_QUERY, SessionRow

# Always one row for a path, even if nothing is known of it. Each part is found by a primary key.
_QUERY: Final = """
    SELECT
        (SELECT hash FROM own_write WHERE path = ?1),
        (SELECT session_id FROM claim WHERE path = ?1 AND until >= ?4
            AND NOT (session_id = ?2 AND agent_id = ?3) ORDER BY ticket_id DESC LIMIT 1),
        read.turn, read.hash
    FROM (SELECT 1) LEFT JOIN read_hash AS read
        ON read.session_id = ?2 AND read.agent_id = ?3 AND read.path = ?1
"""

_ALL: Final = "SELECT session_id, agent_id, path, hash, turn FROM read_hash"
PUT_READ: Final = "INSERT OR REPLACE INTO read_hash VALUES (?,?,?,?,?)"
"""SQL that stores a `ReadHash`: session id, subagent id, path, hash, turn."""

TICKET_OVER: Final = (
    "SELECT body FROM ticket WHERE outcome IS NULL AND issued_at >= ?1 AND id IN ("
    " SELECT ticket_id FROM claim WHERE path = ?2 AND until >= ?3"
    " UNION SELECT ticket_id FROM saved_for WHERE path = ?2)"
    " ORDER BY issued_at DESC LIMIT 1"
)
"""SQL that finds the newest open ticket that a save may belong to, if there is one.

Its parameters are what `ticket_over` returns.
"""


class FileMemory(Struct, frozen=True, kw_only=True):
    """What a root's state has stored about one file, from the viewpoint of one session or subagent.

    `own_write` is the hash of the last write by this program, or None. `read` is the hash that the
    session or subagent last read or wrote: None if the file did not exist then, NEVER if the
    session or subagent has neither read nor written the file. `turn` is the turn in which it did,
    or None. `claimed_by` is the session id of a live claim on the file by another session or
    subagent, or None.
    """

    own_write: ContentHash | None = None
    read: ContentHash | Unread | None = Unread.NEVER
    turn: int | None = None
    claimed_by: str | None = None


class SaveMemory(Struct, frozen=True, kw_only=True):
    """What a root's state has stored about a session and the file that it saves.

    `row` is the session's row, or None if the session is unknown. `ticket` is an open ticket that
    the save may belong to, or None. `own_write` is the hash of this program's last write of the
    file, or None.
    """

    row: SessionRow | None = None
    ticket: Ticket | None = None
    own_write: ContentHash | None = None


class JudgingState:
    """Reads what is needed to judge a call or a save, and copies what was read of moved files."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def for_call(
        self, paths: Iterable[WorkspacePath], asker: tuple[str, str], now: datetime
    ) -> Mapping[WorkspacePath, FileMemory]:
        """Return what the state has stored about each path, for one session or subagent.

        `asker` is (session id, subagent id). Claims that have expired at `now` do not count. Raise
        StateUnavailableError if the state cannot be read.
        """
        asked = {path: packed(path, *asker, timestamp(now)) for path in paths}

        def work(connection: sqlite3.Connection) -> dict[WorkspacePath, FileMemory]:
            return {
                path: _memory(connection.execute(_QUERY, values).fetchone())
                for path, values in asked.items()
            }

        return self._database.read(work)

    def for_save(self, session_id: str, path: WorkspacePath, now: datetime) -> SaveMemory:
        """Return what the state has stored about a session and the file at `path` that it saves.

        Raise StateUnavailableError if the state cannot be read.
        """
        asked = (
            (SESSION_QUERY, packed(session_id, "")),
            (TICKET_OVER, packed(*ticket_over(path, now))),
            ("SELECT hash FROM own_write WHERE path = ?", packed(path)),
        )

        def work(connection: sqlite3.Connection) -> list[tuple[Any, ...] | None]:
            return [connection.execute(*each).fetchone() for each in asked]

        session, ticket, own_write = self._database.read(work)
        return SaveMemory(
            row=None if session is None else row_as(SessionRow, session),
            ticket=None if ticket is None else parsed(Ticket, ticket[0]),
            own_write=None if own_write is None else hash_in(own_write[0]),
        )

    def follow(self, moves: Iterable[tuple[WorkspacePath, WorkspacePath]]) -> None:
        """Copy what each session and subagent last read of moved files from old to new paths.

        What the same session or subagent had read at the new path is replaced. `moves` are (old
        path, new path). Raise StateUnavailableError if the state cannot be written.
        """
        new = {pack(old): pack(name) for old, name in moves}

        def work(connection: sqlite3.Connection) -> None:
            # Read the whole table: it has no index by path, and moves are rare.
            copied = [
                (session, agent, new[path], read, turn)
                for session, agent, path, read, turn in connection.execute(_ALL)
                if path in new
            ]
            connection.executemany(PUT_READ, copied)

        if new:
            self._database.write(work)


def _memory(row: tuple[Any, ...]) -> FileMemory:
    own_write, claimed_by, turn, read = row
    return FileMemory(
        own_write=hash_in(own_write),
        read=Unread.NEVER if turn is None else hash_in(read),
        turn=turn,
        claimed_by=unpack_perhaps(claimed_by),
    )


def ticket_over(path: WorkspacePath, now: datetime) -> tuple[str, ...]:
    """Return the parameters of the query `TICKET_OVER`.

    With them, the query finds the newest ticket, open at `now`, that an editor's save of `path` may
    belong to.
    """
    return timestamp(now - GOOD_FOR), path, timestamp(now)
