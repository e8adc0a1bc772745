"""Read hashes of moved files: what a session has read of a file is also known by its new name.

Specified in requirements section 1.

Invariant: all files of a move are one transaction. What was read under the old name stays too.
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
    """Copies every session's read hashes from the old names of files to the new ones."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def follow(self, moves: Iterable[tuple[WorkspacePath, WorkspacePath]]) -> None:
        """Copy what was read of each old name to its new name. Raise StateUnavailableError."""
        new = {pack(old): pack(name) for old, name in moves}

        def work(connection: sqlite3.Connection) -> None:
            # Read the whole table: it has no index by path, and moves are rare.
            copied = [
                (session, agent, new[path], read, turn)
                for session, agent, path, read, turn in connection.execute(_ALL)
                if path in new
            ]
            connection.executemany(_PUT, copied)

        if new:
            self._database.write(work)
