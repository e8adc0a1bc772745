"""The last event of each agent host in a root's state: when a hook, MCP or the protocol was used.

Invariant: there is one row for each host, so that the table stays small.
"""

from dataclasses import astuple, dataclass

from intent_lsp.core.text import unpack, unpack_perhaps
from intent_lsp.store.state.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class HostContact:
    """The last event that was noted of a host.

    `host` is the name in `intent-lsp hook NAME`, or `mcp` or `lsp`. `version` is the host's, or
    None if it is not known. `at` is an RFC 3339 time. `ended`: the event was the end of a session.
    """

    host: str
    event: str
    at: str
    version: str | None = None
    ended: bool = False


class HostContacts:
    """The last events of one root's hosts. Methods may raise StateUnavailableError."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, contact: HostContact) -> None:
        """Store the last event of a host, replacing the one before. A known version stays known."""
        self._database.do(
            "INSERT INTO host_contact (host, event, at, version, ended) VALUES (?,?,?,?,?)"
            " ON CONFLICT (host) DO UPDATE SET event = excluded.event, at = excluded.at,"
            " version = coalesce(excluded.version, version), ended = excluded.ended",
            *astuple(contact),
        )

    def of(self, host: str) -> HostContact | None:
        """Return the last event of a host, or None if it never asked."""
        return next((each for each in self.every() if each.host == host), None)

    def every(self) -> tuple[HostContact, ...]:
        """Return the last event of each host, the newest first."""
        query = "SELECT host, event, at, version, ended FROM host_contact ORDER BY at DESC, host"
        return tuple(
            HostContact(
                host=unpack(host),
                event=unpack(event),
                at=unpack(at),
                version=unpack_perhaps(version),
                ended=bool(ended),
            )
            for host, event, at, version, ended in self._database.rows(query)
        )
