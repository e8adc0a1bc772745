"""Reads from a root's state what is needed to judge an editor's save (requirements section 7).

Invariant: one transaction reads everything, so that intent and claims are from the same moment.
"""

import sqlite3
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import GOOD_FOR, Ticket
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.database import Database, hash_in, packed, row_as
from intent_lsp.store.state.open_commands import parsed
from intent_lsp.store.state.session_row import SESSION_QUERY, SessionRow

TICKET_OVER: Final = (
    "SELECT body FROM ticket WHERE outcome IS NULL AND issued_at >= ?1 AND id IN ("
    " SELECT ticket_id FROM claim WHERE path = ?2 AND until >= ?3"
    " UNION SELECT ticket_id FROM saved_for WHERE path = ?2)"
    " ORDER BY issued_at DESC LIMIT 1"
)
"""Finds the newest open ticket over a path, with the values that `ticket_over` returns."""


class SaveMemory(Struct, frozen=True, kw_only=True):
    """What a root's state has stored about a session and the file that it saves.

    `row` is the session's row, or None if the session is unknown. `ticket` is an open ticket that
    the save may belong to, or None. `own_write` is the hash of this program's last write of the
    file, or None.
    """

    row: SessionRow | None = None
    ticket: Ticket | None = None
    own_write: ContentHash | None = None


class SaveState:
    """Reads from a root's state what is needed to judge a save in an editor."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, session_id: str, path: WorkspacePath, now: datetime) -> SaveMemory:
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


def ticket_over(path: WorkspacePath, now: datetime) -> tuple[str, ...]:
    """Return the parameters of the query `TICKET_OVER`.

    It finds the newest ticket, open at `now`, that an editor's save of `path` may belong to.
    """
    return timestamp(now - GOOD_FOR), path, timestamp(now)
