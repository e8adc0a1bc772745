"""What sessions have read of files that were moved: it goes with them (requirements section 1).

Invariant: all of a move is one transaction; what was read of the old name stays, since it is
there that it was read.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import pack
from intent_lsp.store.state.database import Database

_ALL: Final = "SELECT session_id, agent_id, path, hash, turn FROM read_hash"
_PUT: Final = "INSERT OR REPLACE INTO read_hash VALUES (?,?,?,?,?)"


class FileMoves:
    """Takes the read hashes of every session from the old names of files to the new ones."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def follow(self, moves: Iterable[tuple[WorkspacePath, WorkspacePath]]) -> None:
        """Take what was read of each old name for what was read of the new one.

        Raises StateUnavailableError.
        """
        new = {pack(old): pack(name) for old, name in moves}

        def work(connection: sqlite3.Connection) -> None:
            # One walk: no index leads from a path to who has read it, and moves are seldom.
            copied = [
                (session, agent, new[path], read, turn)
                for session, agent, path, read, turn in connection.execute(_ALL)
                if path in new
            ]
            connection.executemany(_PUT, copied)

        if new:
            self._database.write(work)
