"""The session database of a root, `.local/state.sqlite3` (requirements sections 1, 2, 8).

Invariant: each method is one transaction. Any number of threads and processes may call them.
Invariant: text is stored as bytes, so that every name of a file system or client can be stored.
"""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import astuple

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import unpack, unpack_perhaps
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.fs.sqlite_file import connected
from intent_lsp.store.state.database import Database, hash_in, packed, row_as
from intent_lsp.store.state.host_contacts import HostContacts
from intent_lsp.store.state.judging_state import PUT_READ, JudgingState
from intent_lsp.store.state.notes import Notes
from intent_lsp.store.state.open_commands import GO_ON
from intent_lsp.store.state.refusals import RefusedEdits
from intent_lsp.store.state.schema import StateInMemory, lay_out
from intent_lsp.store.state.session_row import SESSION_QUERY, SessionNames, SessionRow
from intent_lsp.store.state.tickets import Tickets

FILE_NAME = "state.sqlite3"
INHERITABLE_FOR = timedelta(days=14)
"""How long after its end a session's intent can be inherited by the next session."""

_BUSY_SECONDS = 2.0
_CANDIDATES = 64
_session: Final = partial(row_as, SessionRow)


class BaselineFile(Struct, frozen=True):
    """The content hash of a file in a session's baseline, or None if the file did not exist.

    The file differed from HEAD when the baseline was taken, or `move_baseline` has set its hash
    since.
    """

    hash: ContentHash | None


class ReadHash(Struct, frozen=True):
    """The hash of a file as a session last read it (None: no file), and the turn of that read."""

    hash: ContentHash | None
    turn: int


class SessionDb:
    """The session database of one root.

    Methods raise StateUnavailableError if they need the file and it cannot be used. A damaged file
    is renamed and a new one is begun: its sessions are then unknown. With `in_memory_meanwhile`,
    memory may replace a file that cannot be used (see `Database`), and `problem` returns why.
    """

    def __init__(self, local_room: Path, *, in_memory_meanwhile: bool = False) -> None:
        self.path = local_room / FILE_NAME
        stand_in = StateInMemory() if in_memory_meanwhile else None
        self._database = Database(self.path, _connect, stand_in=stand_in)
        self.tickets = Tickets(self._database)
        self.judging = JudgingState(self._database)
        self.notes = Notes(self._database)
        self.names = SessionNames(self._database)
        self.hosts = HostContacts(self._database)
        self.refusals = RefusedEdits(self._database)

    def close(self) -> None:
        """Close the database file. The next call opens it again."""
        self._database.close()

    def problem(self) -> str | None:
        """Return why memory stands in for the file, or None if memory does not stand in.

        The database is used first, so that the answer is a present one. While memory stands in, the
        file is tried again every two seconds at most.
        """
        self._database.rows("SELECT 1")
        return self._database.problem

    @property
    def last_problem(self) -> str | None:
        """What `problem` would have returned at the last use of the database."""
        return self._database.problem

    def session(self, session_id: str, agent_id: str = "") -> SessionRow | None:
        """Return the row of a session or of one of its subagents, or None if there is none."""
        rows = self._database.rows(SESSION_QUERY, session_id, agent_id)
        return _session(rows[0]) if rows else None

    def sessions_since(self, moment: str) -> tuple[SessionRow, ...]:
        """Return the rows of sessions and subagents last used at or after a time, newest first.

        `moment` is that time, as a timestamp.
        """
        query = "SELECT * FROM session WHERE last_used_at >= ? ORDER BY last_used_at DESC"
        return tuple(map(_session, self._database.rows(query, moment)))

    def unended_editors(self) -> tuple[SessionRow, ...]:
        """Return the editor sessions without a recorded end, the most recently used first.

        A session whose process was killed has no recorded end either.
        """
        query = (
            "SELECT * FROM session WHERE kind = ? AND agent_id = ? AND ended_at IS NULL"
            " ORDER BY last_used_at DESC"
        )
        return tuple(map(_session, self._database.rows(query, "editor", "")))

    def sessions_of(self, user: str) -> frozenset[str]:
        """Return the ids of all sessions, ended ones included, that a user has had in this root."""
        rows = self._database.rows("SELECT DISTINCT session_id FROM session WHERE user = ?", user)
        return frozenset(unpack(session_id) for (session_id,) in rows)

    def put_session(self, row: SessionRow) -> None:
        """Store the row of a session or subagent, replacing its old row."""
        self._database.do(
            "INSERT OR REPLACE INTO session VALUES (?,?,?,?,?,?,?,?,?,?,?)", *astuple(row)
        )

    def begin_session(self, row: SessionRow) -> SessionRow:
        """Store the first row of a session or subagent. If it already has a row, keep that one.

        Return the row that is stored.
        """
        values = packed(*astuple(row))

        def work(connection: sqlite3.Connection) -> SessionRow:
            insert = "INSERT OR IGNORE INTO session VALUES (?,?,?,?,?,?,?,?,?,?,?)"
            connection.execute(insert, values)
            return _session(connection.execute(SESSION_QUERY, values[:2]).fetchone())

        return self._database.write(work)

    def end_session(self, session_id: str, at: str) -> None:
        """Record that a session and its subagents have ended at the time `at`.

        The session's intent stays, so that the next session can inherit it.
        """
        query = "UPDATE session SET last_used_at = ?1, ended_at = ?1 WHERE session_id = ?2"
        self._database.do(query, at, session_id)

    def last_ended_editor_session(
        self, user: str, *, now: datetime, is_alive: Callable[[str], bool]
    ) -> SessionRow | None:
        """Return the user's last used editor session that has an intent and does not run, or None.

        A session that was killed counts as ended when it was last used (protocol section 1).
        `is_alive` gets a session id and returns whether that session runs. Sessions that ended more
        than `INHERITABLE_FOR` before `now` are left out. Only the newest `_CANDIDATES` are
        examined.
        """
        query = (
            "SELECT * FROM session WHERE kind = ? AND agent_id = ? AND user = ?"
            " AND active_intent IS NOT NULL AND coalesce(ended_at, last_used_at) >= ?"
            " ORDER BY coalesce(ended_at, last_used_at) DESC LIMIT ?"
        )
        rows = self._database.rows(
            query, "editor", "", user, timestamp(now - INHERITABLE_FOR), _CANDIDATES
        )
        # Outside the transaction: `is_alive` tries locks on other files.
        ended = (row for row in map(_session, rows) if not is_alive(row.session_id))
        return next(ended, None)

    def replace_baseline(
        self, session_id: str, head: str | None, files: Mapping[WorkspacePath, ContentHash | None]
    ) -> None:
        """Replace a session's baseline: a commit and the hashes of the files that differ from it.

        `head` is the commit's id, or that of git's empty tree if there is no commit yet. If no
        snapshot could be taken, `head` is None and `files` is empty. A hash is None if the file
        does not exist.
        """
        listed = [packed(session_id, path, hash_) for path, hash_ in files.items()]
        row = packed(session_id, head)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO baseline VALUES (?,?)", row)
            connection.execute("DELETE FROM baseline_file WHERE session_id = ?", row[:1])
            connection.executemany("INSERT INTO baseline_file VALUES (?,?,?)", listed)

        self._database.write(work)

    def move_baseline(
        self, session_id: str, path: WorkspacePath, hash_: ContentHash | None
    ) -> None:
        """Set the hash of one file in a session's baseline, after a rename or to correct it.

        The hash is None if the file did not exist.
        """
        self._database.do(
            "INSERT OR REPLACE INTO baseline_file VALUES (?,?,?)", session_id, path, hash_
        )

    def baseline_head(self, session_id: str) -> str | None:
        """Return the id of the commit in a session's baseline.

        If there was no commit yet, return the id of git's empty tree. Return None if no snapshot
        could be taken or the session has no baseline.
        """
        rows = self._database.rows("SELECT head FROM baseline WHERE session_id = ?", session_id)
        return unpack_perhaps(rows[0][0]) if rows else None

    def baseline_of(self, session_id: str, path: WorkspacePath) -> BaselineFile | None:
        """Return a file in a session's baseline, or None if the baseline does not have it.

        Return None also if the session has no baseline.
        """
        query = "SELECT hash FROM baseline_file WHERE session_id = ? AND path = ?"
        rows = self._database.rows(query, session_id, path)
        return BaselineFile(hash_in(rows[0][0])) if rows else None

    def put_read(self, session_id: str, agent_id: str, path: WorkspacePath, read: ReadHash) -> None:
        """Store the hash of a file that a session or subagent has just read by a call.

        The open commands of the session or subagent are marked as `gone_on`: this call came before
        their end was reported.
        """
        row = packed(session_id, agent_id, path, read.hash, read.turn)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(PUT_READ, row)
            connection.execute(GO_ON, row[:2])

        self._database.write(work)

    def put_reads(
        self, session_id: str, agent_id: str, reads: Mapping[WorkspacePath, ReadHash]
    ) -> None:
        """Store the hash of each file that a session or subagent has just read or written.

        Either all are stored or none.
        """
        rows = [
            packed(session_id, agent_id, path, read.hash, read.turn) for path, read in reads.items()
        ]
        if rows:
            self._database.write(lambda connection: connection.executemany(PUT_READ, rows))

    def note_own_write(self, path: WorkspacePath, hash_: ContentHash) -> None:
        """Store the hash of the content that this program is about to write to a file.

        Other processes then do not take that write for somebody else's edit.
        """
        self._database.do("INSERT OR REPLACE INTO own_write VALUES (?,?)", path, hash_)

    def own_write(self, path: WorkspacePath) -> ContentHash | None:
        """Return the hash of this program's last write to a file, by any process, or None."""
        rows = self._database.rows("SELECT hash FROM own_write WHERE path = ?", path)
        return hash_in(rows[0][0]) if rows else None

    def forget_own_write(self, path: WorkspacePath) -> None:
        """Delete the hash of this program's last write to a file that others changed since."""
        self._database.do("DELETE FROM own_write WHERE path = ?", path)

    def note_selected(self, intent_id: str, at: str) -> None:
        """Record that an intent was selected at the time `at`."""
        self._database.do("INSERT OR REPLACE INTO recent_intent VALUES (?,?)", intent_id, at)

    def recent_intents(self, limit: int) -> tuple[str, ...]:
        """Return the ids of the `limit` intents selected last, newest first."""
        query = "SELECT intent_id FROM recent_intent ORDER BY at DESC, intent_id LIMIT ?"
        return tuple(unpack(row[0]) for row in self._database.rows(query, limit))


def _connect(path: Path) -> sqlite3.Connection:
    return connected(path, lay_out, busy_seconds=_BUSY_SECONDS)
