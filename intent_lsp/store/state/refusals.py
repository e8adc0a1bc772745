"""The edits that were refused to agents, in a root's state: kept for ten minutes.

Invariant: a refused edit that was made all the same is kept for thirty days, so that its diagnostic
can name tool and host.
"""

import sqlite3
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.agents.refused_edits import KEPT_FOR, RefusedEdit
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.state.database import Database, packed
from intent_lsp.store.state.open_commands import parsed, spelled

MADE_KEPT_FOR: Final = timedelta(days=30)
"""How long after its refusal a refused edit is kept if it was made all the same."""


class RefusedEdits:
    """The refused edits of one root. Methods may raise StateUnavailableError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, edits: Iterable[RefusedEdit], now: datetime) -> None:
        """Store the edits of a refused call, and delete stored edits that are too old at `now`.

        Without any `edits`, do nothing.
        """
        rows = [packed(each.path, each.call, each.at, spelled(each)) for each in edits]
        old = packed(timestamp(now - KEPT_FOR), timestamp(now - MADE_KEPT_FOR))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM refused_edit WHERE at < ?2 OR (at < ?1 AND made = 0)", old
            )
            connection.executemany("INSERT OR REPLACE INTO refused_edit VALUES (?,?,?,0,?)", rows)

        if rows:
            self._database.write(work)

    def lately(self, path: WorkspacePath, now: datetime) -> tuple[RefusedEdit, ...]:
        """Return the edits of a file that were refused in the last ten minutes, newest first.

        Those that were made all the same are left out.
        """
        query = (
            "SELECT body FROM refused_edit WHERE path = ? AND at >= ? AND made = 0 ORDER BY at DESC"
        )
        rows = self._database.rows(query, path, timestamp(now - KEPT_FOR))
        return tuple(parsed(RefusedEdit, body) for (body,) in rows)

    def note_made(self, edit: RefusedEdit) -> None:
        """Store that a refused edit was made all the same, and delete the texts of that edit.

        Do nothing if the edit is not stored.
        """
        body = spelled(replace(edit, pieces=()))
        query = "UPDATE refused_edit SET made = 1, body = ? WHERE path = ? AND call = ?"
        self._database.do(query, body, edit.path, edit.call)

    def made(self, path: WorkspacePath, call: ContentHash) -> RefusedEdit | None:
        """Return the stored edit of a file that the refused call `call` would have made, or None.

        Whether it was made all the same is not checked.
        """
        query = "SELECT body FROM refused_edit WHERE path = ? AND call = ?"
        rows = self._database.rows(query, path, call)
        return parsed(RefusedEdit, rows[0][0]) if rows else None


KNOWN: Final = register_msgspec_types(RefusedEdit)
