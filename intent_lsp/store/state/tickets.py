"""The tickets of a root and their claims, stored in its state (requirements section 6).

Invariant: each method is one transaction. Any number of threads and processes may call them.
Invariant: once a ticket has an outcome, that outcome never changes.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import astuple, replace

from intent_lsp.core.agents.tickets import CLAIMED_FOR, GOOD_FOR, Recorded, Ticket, TicketFile
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import pack, unpack
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.state.database import Database, Stored, packed, row_as
from intent_lsp.store.state.judging_state import TICKET_OVER, ticket_over
from intent_lsp.store.state.open_commands import (
    WITH_TREE,
    KeptTree,
    OpenCommands,
    end_command,
    forget_commands,
    keep_command,
    parsed,
    spelled,
)

NO_CONTENTS: Final[Mapping[ContentHash, bytes]] = MappingProxyType({})

_ENDED: Final = "SELECT body FROM ticket WHERE session_id = ? AND agent_id = ? AND use_id = ?"


class Refused(Struct, frozen=True, kw_only=True):
    """A stored refusal of a tool call. `fingerprint` identifies the call, or is None.

    `intent_id` is the id of the intent that was selected then, or None, and `files` are the files
    that the call would have changed.
    """

    denied: Denied
    fingerprint: ContentHash | None = None
    intent_id: str | None
    files: tuple[TicketFile, ...] = ()


class HeldSave(Struct, frozen=True, kw_only=True):
    """An editor's save of a file that a ticket claims: the editor's session and the saved hash."""

    path: WorkspacePath
    ticket_id: str
    session_id: str
    hash: ContentHash


class Tickets:
    """The tickets of one root. Every method may raise StateUnavailableError."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.commands = OpenCommands(database)

    def issue(
        self, ticket: Ticket, now: datetime, contents: Mapping[ContentHash, bytes] = NO_CONTENTS
    ) -> None:
        """Store a ticket with its `contents`, claim its files, delete expired tickets and claims.

        An earlier answer for the same tool use id is no longer returned for that id; if it was a
        ticket, it can be recorded by its own id. A ticket with a snapshot is kept in memory too.
        """
        oldest, present = packed(timestamp(now - GOOD_FOR), timestamp(now))
        key = packed(ticket.id, ticket.session_id, ticket.agent_id)
        body = spelled(replace(ticket, tree=None))
        row = (*key, *packed(ticket.tool_use_id, ticket.issued_at, body))
        tree = None if ticket.tree is None else KeptTree.of(ticket.tree)
        until = timestamp(now + CLAIMED_FOR)
        claims = [packed(file.path, *key, until) for file in ticket.files]
        kept = [packed(hash_, ticket.id, data) for hash_, data in contents.items()]

        def work(connection: sqlite3.Connection) -> None:
            forgotten = connection.execute("DELETE FROM ticket WHERE issued_at < ?", (oldest,))
            if forgotten.rowcount:
                connection.execute(
                    "DELETE FROM ticket_content WHERE ticket_id NOT IN (SELECT id FROM ticket)"
                )
                forget_commands(connection)
            connection.execute("DELETE FROM claim WHERE until < ?", (present,))
            if ticket.tool_use_id is not None:
                _forget_use(connection, row[1:4])
            connection.execute("INSERT INTO ticket VALUES (?,?,?,?,?,?,NULL)", row)
            if tree is not None:
                keep_command(connection, (*key, row[4]), tree)
            connection.executemany("INSERT INTO claim VALUES (?,?,?,?,?)", claims)
            connection.executemany("INSERT INTO ticket_content VALUES (?,?,?)", kept)
            if ticket.by_save:
                # Apart from the claim, since a person may take longer to save than it lasts.
                saves = [claim[:2] for claim in claims]
                connection.executemany("INSERT INTO saved_for VALUES (?,?)", saves)

        self._database.write(work)
        if ticket.tree is not None:
            self.commands.remember(ticket)

    def begin_command(self, ticket: Ticket) -> None:
        """Replace a stored ticket by `ticket`, and store its snapshot `ticket.tree` if it has one.

        A snapshot that is stored already stays. Do nothing for an unknown or ended ticket.
        """
        body = spelled(replace(ticket, tree=None))
        tree = None if ticket.tree is None else KeptTree.of(ticket.tree)
        names = packed(ticket.id, ticket.session_id, ticket.agent_id, ticket.issued_at)

        def work(connection: sqlite3.Connection) -> bool:
            query = "UPDATE ticket SET body = ? WHERE id = ? AND outcome IS NULL"
            is_open = connection.execute(query, (body, names[0])).rowcount > 0
            if is_open and tree is not None:
                keep_command(connection, names, tree)
            return is_open

        if self._database.write(work) and tree is not None:
            self.commands.remember(ticket)

    def ticket(self, ticket_id: str, now: datetime) -> tuple[Ticket, Recorded | None] | None:
        """Return (ticket, its outcome or None while it is open), or None if unknown or expired."""
        query = (
            f"SELECT ticket.body, tree.body, gone_on, outcome FROM ticket {WITH_TREE}"  # noqa: S608 - ours
            " WHERE ticket.id = ? AND ticket.issued_at >= ?"
        )
        rows = self._database.rows(query, ticket_id, timestamp(now - GOOD_FOR))
        if not rows:
            return None
        *ticket, outcome = rows[0]
        ended = None if outcome is None else parsed(Recorded, outcome)
        return self.commands.with_tree(*ticket), ended

    def of_use(self, session_id: str, agent_id: str, tool_use_id: str) -> Ticket | None:
        """Return the ticket, open or ended, issued for a tool use id, or None if there is none.

        `agent_id` is the id of a subagent, or "". The ticket comes without a snapshot.
        """
        rows = self._database.rows(_ENDED, session_id, agent_id, tool_use_id)
        return parsed(Ticket, rows[0][0]) if rows else None

    def open_of(self, session_id: str, agent_id: str, now: datetime) -> tuple[Ticket, ...]:
        """Return the open tickets of a session or of one of its subagents, oldest first.

        They come without snapshots of work trees. Tickets that are too old at `now` are left out.
        """
        query = (
            "SELECT body FROM ticket WHERE session_id = ? AND agent_id = ? AND outcome IS NULL"
            " AND issued_at >= ? ORDER BY issued_at"
        )
        rows = self._database.rows(query, session_id, agent_id, timestamp(now - GOOD_FOR))
        return tuple(parsed(Ticket, body) for (body,) in rows)

    def refuse(
        self, session_id: str, agent_id: str, tool_use_id: str, refused: Refused, now: datetime
    ) -> None:
        """Store the refusal of a call, replacing an earlier answer for the same tool use id.

        Delete the refusals that are too old at `now`.
        """
        key = packed(session_id, agent_id, tool_use_id)
        row = (*key, *packed(timestamp(now), spelled(refused)))
        oldest = packed(timestamp(now - GOOD_FOR))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM refusal WHERE at < ?", oldest)
            _forget_use(connection, key)
            connection.execute("INSERT INTO refusal VALUES (?,?,?,?,?)", row)

        self._database.write(work)

    def refused_use(
        self, session_id: str, agent_id: str, tool_use_id: str, now: datetime
    ) -> Refused | None:
        """Return the refusal stored for a tool use id of a session, or None if there is none.

        A refusal that is too old at `now` counts as none.
        """
        query = (
            "SELECT body FROM refusal WHERE session_id = ? AND agent_id = ? AND use_id = ?"
            " AND at >= ?"
        )
        oldest = timestamp(now - GOOD_FOR)
        rows = self._database.rows(query, session_id, agent_id, tool_use_id, oldest)
        return parsed(Refused, rows[0][0]) if rows else None

    def content(self, hash_: ContentHash) -> bytes | None:
        """Return the content with a hash, if it is stored with some open ticket, or None."""
        rows = self._database.rows("SELECT data FROM ticket_content WHERE hash = ? LIMIT 1", hash_)
        return bytes(rows[0][0]) if rows else None

    def end(self, ticket_id: str, outcome: Recorded) -> Recorded:
        """Store the outcome of a ticket, and end its claims. Return the outcome that is stored.

        An outcome that the ticket has already stays. For an unknown ticket, return `outcome`.
        """
        key, told = pack(ticket_id), spelled(outcome)

        def work(connection: sqlite3.Connection) -> Recorded:
            for table in ("claim", "saved_for", "held_save", "ticket_content"):
                connection.execute(f"DELETE FROM {table} WHERE ticket_id = ?", (key,))  # noqa: S608 - ours
            end_command(connection, key)
            connection.execute(
                "UPDATE ticket SET outcome = ? WHERE id = ? AND outcome IS NULL", (told, key)
            )
            rows = connection.execute("SELECT outcome FROM ticket WHERE id = ?", (key,)).fetchall()
            return parsed(Recorded, rows[0][0]) if rows else outcome

        kept = self._database.write(work)
        self.commands.forget(ticket_id)
        return kept

    def end_claims(self, session_id: str, agent_id: str) -> None:
        """End all claims of a session or subagent, because its next turn begins."""
        query = "DELETE FROM claim WHERE session_id = ? AND agent_id = ?"
        self._database.do(query, session_id, agent_id)

    def over(self, path: WorkspacePath, now: datetime) -> Ticket | None:
        """Return the newest open ticket that an editor's save of `path` may belong to, or None.

        Such a ticket has a claim on the path, or is for a change that an editor saves (`by_save`).
        """
        rows = self._database.rows(TICKET_OVER, *ticket_over(path, now))
        return parsed(Ticket, rows[0][0]) if rows else None

    def saved(self, path: WorkspacePath, ticket_id: str) -> bool:
        """Record that an editor has saved a file of a ticket that leaves its changes to editors.

        Return whether all files of the ticket have now been saved.
        """
        values = packed(path, ticket_id)

        def work(connection: sqlite3.Connection) -> bool:
            connection.execute("DELETE FROM saved_for WHERE path = ? AND ticket_id = ?", values)
            query = "SELECT 1 FROM saved_for WHERE ticket_id = ?"
            return not connection.execute(query, values[1:]).fetchall()

        return self._database.write(work)

    def hold(self, save: HeldSave) -> None:
        """Store an editor's save that may belong to a ticket, until `end` or `lapsed` deletes it.

        It replaces an earlier save of the same file for the same ticket.
        """
        query = "INSERT OR REPLACE INTO held_save VALUES (?,?,?,?)"
        self._database.do(query, *astuple(save))

    def held(self, ticket_id: str) -> tuple[WorkspacePath, ...]:
        """Return those files of a ticket for which `hold` has stored an editor's save."""
        rows = self._database.rows("SELECT path FROM held_save WHERE ticket_id = ?", ticket_id)
        return tuple(WorkspacePath(unpack(row[0])) for row in rows)

    def lapsed(self, now: datetime) -> tuple[tuple[HeldSave, Ticket], ...]:
        """Delete and return the held saves of open tickets without any claim left, with the ticket.

        A claim that has expired at `now` does not count. Held saves of tickets that are not open
        are deleted and not returned.
        """
        until = packed(timestamp(now))
        query = (
            "SELECT path, ticket_id, held_save.session_id, hash, body FROM held_save"
            " JOIN ticket ON ticket.id = ticket_id WHERE outcome IS NULL AND NOT EXISTS"
            " (SELECT 1 FROM claim WHERE claim.ticket_id = held_save.ticket_id AND until >= ?)"
        )

        def work(connection: sqlite3.Connection) -> list[tuple[bytes, ...]]:
            rows = connection.execute(query, until).fetchall()
            drop = "DELETE FROM held_save WHERE path = ? AND ticket_id = ?"
            connection.executemany(drop, [row[:2] for row in rows])
            # A save held for an ended ticket is part of that ticket's record.
            connection.execute(
                "DELETE FROM held_save WHERE ticket_id NOT IN"
                " (SELECT id FROM ticket WHERE outcome IS NULL)"
            )
            return rows

        lapsed = self._database.write(work)
        return tuple((row_as(HeldSave, save), parsed(Ticket, body)) for *save, body in lapsed)


def _forget_use(connection: sqlite3.Connection, key: Sequence[Stored]) -> None:
    """Remove the link between a tool call and its earlier answers, so that they are not returned.

    A refusal is deleted, a ticket is kept. `key` is (session, subagent, tool use id) of the call.
    """
    of_call = "WHERE session_id = ? AND agent_id = ? AND use_id = ?"
    connection.execute(f"UPDATE ticket SET use_id = NULL {of_call}", key)  # noqa: S608 - ours
    connection.execute(f"DELETE FROM refusal {of_call}", key)  # noqa: S608 - ours


KNOWN: Final = register_msgspec_types(Ticket, Recorded, Refused)
