"""The last event of each agent host in a root's state, and what changed while a host did not ask.

A host asks when it runs our hook before a change. An unasked change may have been made by a host
that is at work in the root and did not ask.

Invariant: there is one last event for each host, and at most FILES_AT_MOST unasked changes of each
host, so that the tables stay small.
Invariant: storing an event deletes the unasked changes of all hosts with the same hook NAME.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import astuple

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.text import unpack
from intent_lsp.store.state.database import Database, packed, row_as

FILES_AT_MOST: Final = 1_000
"""The most files of a host whose unasked changes are stored."""


class HostContact(Struct, frozen=True, kw_only=True):
    """The last event that an agent host reported to us, stored in a root's state.

    `host` is the name in `intent-lsp hook NAME`, or `mcp` or `lsp`. `version` is the version of the
    host, or None if it is not known. `at` is an RFC 3339 time. `ended`: the event was the end of a
    session.
    """

    host: str
    event: str
    at: str
    version: str | None = None
    ended: bool = False


class UnaskedChanges(Struct, frozen=True, kw_only=True):
    """How many files changed while a host did not ask, and when the first and the last did.

    `host` is the host's name in our list of hosts, such as `vscode`. Several hosts, such as
    `vscode` and `copilot`, may use the same NAME in `intent-lsp hook NAME`. The times are RFC 3339.
    """

    host: str
    files: int
    since: str
    last: str


class HostContacts:
    """The last events of one root's hosts. Methods may raise StateUnavailableError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, contact: HostContact) -> None:
        """Store the last event of a host, replacing the one before.

        Without a version the stored one is kept. The unasked changes of the hook `contact.host` are
        deleted.
        """

        def heard(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO host_contact (host, event, at, version, ended) VALUES (?,?,?,?,?)"
                " ON CONFLICT (host) DO UPDATE SET event = excluded.event, at = excluded.at,"
                " version = coalesce(excluded.version, version), ended = excluded.ended",
                packed(*astuple(contact)),
            )
            connection.execute("DELETE FROM unasked_change WHERE hook = ?", packed(contact.host))

        self._database.write(heard)

    def note_unasked(
        self, host: str, hook: str, paths: Iterable[WorkspacePath], at: str, forget_before: str
    ) -> None:
        """Store that the files `paths` changed at the time `at` while the host `host` did not ask.

        `hook` is the host's NAME in `intent-lsp hook NAME`. Files of the host whose last change was
        before the time `forget_before` are forgotten. No more than `FILES_AT_MOST` of its files are
        stored.
        """

        def note(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM unasked_change WHERE host = ? AND last < ?",
                packed(host, forget_before),
            )
            query = "SELECT path FROM unasked_change WHERE host = ?"
            known = {unpack(row[0]) for row in connection.execute(query, packed(host))}
            given = dict.fromkeys(paths)
            new = [path for path in given if path not in known][: FILES_AT_MOST - len(known)]
            for path in (*known.intersection(given), *new):
                connection.execute(
                    "INSERT INTO unasked_change (host, hook, path, since, last) VALUES (?,?,?,?,?)"
                    " ON CONFLICT (host, path) DO UPDATE SET last = excluded.last",
                    packed(host, hook, path, at, at),
                )

        self._database.write(note)

    def unasked(self, since: str) -> tuple[UnaskedChanges, ...]:
        """Return for each host how many files changed unasked, and the first and the last time.

        Only files that changed last at or after the time `since` count. A host without any is left
        out.
        """
        query = (
            "SELECT host, count(*), min(since), max(last) FROM unasked_change WHERE last >= ?"
            " GROUP BY host"
        )
        return tuple(row_as(UnaskedChanges, row) for row in self._database.rows(query, since))

    def of(self, host: str) -> HostContact | None:
        """Return the last event of a host, or None if none is stored."""
        return next((each for each in self.every() if each.host == host), None)

    def every(self) -> tuple[HostContact, ...]:
        """Return the last event of each host, the newest first."""
        query = "SELECT host, event, at, version, ended FROM host_contact ORDER BY at DESC, host"
        rows = self._database.rows(query)
        return tuple(row_as(HostContact, (*said, bool(ended))) for *said, ended in rows)
