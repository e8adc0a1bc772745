"""Open tickets of agents' commands, each with a snapshot of the work tree from before the command.

Invariant: equal snapshots are stored once, as long as a ticket with one of them is open.
Invariant: this process also remembers the newest of these tickets that it issued, since a command
may delete the database.
"""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import GOOD_FOR, Ticket, TreeSnapshot
from intent_lsp.core.text import pack
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.store.state.database import Database, Stored

T = TypeVar("T")

WITH_TREE: Final = (
    "LEFT JOIN open_command ON open_command.ticket_id = ticket.id"
    " LEFT JOIN tree ON tree.id = open_command.tree_id"
)
"""SQL that joins a ticket with its snapshot. NULL if it has none or has ended."""

_OPEN: Final = (
    "SELECT ticket.body, tree.body, gone_on FROM open_command"
    " JOIN ticket ON ticket.id = open_command.ticket_id JOIN tree ON tree.id = open_command.tree_id"
)
GO_ON: Final = "UPDATE open_command SET gone_on = 1 WHERE session_id = ? AND agent_id = ?"
"""SQL that sets the flag `gone_on` of all open commands of a session or subagent."""

_GIVEN_AT_MOST: Final = 20
"""The most tickets of commands that a process remembers outside the file."""

_TREES_AT_ONCE: Final = 8
"""The most parsed snapshots in the cache. Each look at the disk needs those of all open tickets."""


class KeptTree(Struct, frozen=True):
    """A work tree's snapshot in its stored form. Equal snapshots have the same id."""

    id: bytes
    body: bytes

    @classmethod
    def of(cls, tree: TreeSnapshot) -> "KeptTree":
        """Return a work tree's snapshot in its stored form."""
        body = spelled(tree)
        return cls(sha256(body).digest(), body)

    def keep(self, connection: sqlite3.Connection) -> None:
        """Store the snapshot in the database, unless an equal one is stored already."""
        connection.execute("INSERT OR IGNORE INTO tree VALUES (?,?)", (self.id, self.body))


class OpenCommands:
    """The open tickets of agents' shell commands, which may change any file.

    Methods that read or write the database may raise StateUnavailableError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._given: dict[str, Ticket] = {}

    def remember(self, ticket: Ticket) -> None:
        """Keep the ticket of a command in memory too, because the command may delete the database.

        Only the newest tickets are kept there.
        """
        self._given[ticket.id] = ticket
        for old in tuple(self._given)[:-_GIVEN_AT_MOST]:
            self._given.pop(old, None)

    def forget(self, ticket_id: str) -> None:
        """Remove a ticket from memory, because it has ended."""
        self._given.pop(ticket_id, None)

    def remembered(self, ticket_id: str, now: datetime) -> Ticket | None:
        """Return the ticket with an id from memory, or None if not there, or too old at `now`."""
        ticket = self._given.get(ticket_id)
        old = ticket is None or ticket.issued_at < timestamp(now - GOOD_FOR)
        return None if old else ticket

    def since(self, moment: datetime) -> tuple[Ticket, ...]:
        """Return the open tickets of commands issued at or after `moment`, newest first."""
        where = " WHERE open_command.issued_at >= ? ORDER BY open_command.issued_at DESC"
        rows = self._database.rows(_OPEN + where, timestamp(moment))
        return tuple(self.with_tree(*row) for row in rows)

    def of(self, session_id: str, agent_id: str, now: datetime) -> tuple[Ticket, ...]:
        """Return the open tickets of commands of one session or one subagent, oldest first.

        `agent_id` is the id of the subagent, or "" for the session's own agent. Tickets that are
        too old at `now` are left out.
        """
        where = (
            " WHERE open_command.session_id = ? AND open_command.agent_id = ?"
            " AND open_command.issued_at >= ? ORDER BY open_command.issued_at"
        )
        oldest = timestamp(now - GOOD_FOR)
        rows = self._database.rows(_OPEN + where, session_id, agent_id, oldest)
        return tuple(self.with_tree(*row) for row in rows)

    def go_on(self, ticket_id: str, tree: TreeSnapshot) -> None:
        """Replace the snapshot of an open ticket by `tree`, and set the ticket's flag `gone_on`.

        The flag says that the session made another call before the end of the ticket's command was
        reported.
        """
        now, key = KeptTree.of(tree), pack(ticket_id)

        def work(connection: sqlite3.Connection) -> None:
            now.keep(connection)
            query = "UPDATE open_command SET tree_id = ?, gone_on = 1 WHERE ticket_id = ?"
            connection.execute(query, (now.id, key))
            _drop_unused(connection)

        self._database.write(work)
        given = self._given.get(ticket_id)
        if given is not None:
            self._given[ticket_id] = replace(given, tree=tree, gone_on=True)

    def with_tree(self, body: bytes, tree: bytes | None, gone_on: int | None) -> Ticket:
        """Decode a stored ticket, with its work tree's snapshot if it still has one.

        `body` and `tree` are the stored forms of the ticket and of the snapshot. `gone_on` is 1
        if the session made another call before the command's end was reported, else 0. If the
        ticket has no snapshot, `tree` and `gone_on` are None.
        """
        ticket = parsed(Ticket, body)
        if tree is None:
            return ticket
        return replace(ticket, gone_on=bool(gone_on), tree=_tree(tree))


def keep_command(connection: sqlite3.Connection, names: Sequence[Stored], tree: KeptTree) -> None:
    """Add a command's ticket to the open commands, with the snapshot `tree` from before it.

    `names` are (ticket id, session id, subagent id, issue time). A ticket that is among the open
    commands already keeps its snapshot.
    """
    tree.keep(connection)
    connection.execute("INSERT OR IGNORE INTO open_command VALUES (?,?,?,?,?,0)", (*names, tree.id))


def end_command(connection: sqlite3.Connection, ticket_id: bytes) -> None:
    """Remove a ticket that has ended from the open commands, and delete its snapshot.

    The snapshot stays if another open ticket has an equal one.
    """
    drop = "DELETE FROM open_command WHERE ticket_id = ?"
    if connection.execute(drop, (ticket_id,)).rowcount:
        _drop_unused(connection)


def forget_commands(connection: sqlite3.Connection) -> None:
    """Delete the commands whose tickets were deleted, and snapshots that no open ticket uses."""
    connection.execute("DELETE FROM open_command WHERE ticket_id NOT IN (SELECT id FROM ticket)")
    _drop_unused(connection)


@lru_cache(_TREES_AT_ONCE)
def _tree(body: bytes) -> TreeSnapshot:
    return parsed(TreeSnapshot, body)


def _drop_unused(connection: sqlite3.Connection) -> None:
    """Delete the snapshots that no open ticket uses."""
    connection.execute("DELETE FROM tree WHERE id NOT IN (SELECT tree_id FROM open_command)")


def spelled(value: Any) -> bytes:  # noqa: ANN401 - whatever msgspec reads back
    """Encode a value in its stored form: JSON in ASCII."""
    # Only ASCII: file names that are not UTF-8 hold lone surrogates, which cannot be encoded.
    return json.dumps(msgspec.to_builtins(value)).encode("ascii")


def parsed(kind: type[T], body: bytes) -> T:
    """Decode a value of the class `kind` from its stored form.

    A ticket has no snapshot, because snapshots are stored apart from tickets.
    """
    return msgspec.convert(json.loads(body), kind)


KNOWN: Final = register_msgspec_types(Ticket, TreeSnapshot)
