"""Which agent hosts have asked this root, and when: of each, the last noted event is kept.

Invariant: a host costs at most one write a second, except where one of its sessions ends or begins,
or its version changes.
Invariant: a note that cannot be stored changes no answer.
"""

from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.text import whole
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.state.host_contacts import HostContact

MCP: Final = "mcp"
"""The name under which calls of the MCP server are noted."""

LSP: Final = "lsp"
"""The name under which agents' requests to the language server are noted."""

APART: Final = timedelta(seconds=1)
"""The shortest time between two notes of one host."""

LONGEST: Final = 100
"""The most characters of a name or version that are stored."""


class HeardHosts:
    """The agent hosts that have asked one root. Without a session database there are none."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._noted: dict[str, tuple[datetime, bool]] = {}

    def __call__(self) -> tuple[HostContact, ...]:
        """Return the last noted event of each host that has asked this root, the newest first."""
        state = self._stores.state
        return () if state is None else state.hosts.every()

    def note(
        self, host: str, event: str, *, version: str | None = None, ended: bool = False
    ) -> None:
        """Note an event of a host now. `ended`: it is the end of one of the host's sessions.

        Notes are at least APART apart, except where `ended` or the version changes: an event
        between them is left out. Do nothing without a session database. A failure is logged.
        """
        state, now = self._stores.state, self._stores.clock()
        if state is None or self._is_recent(host, now, ended=ended):
            return
        with step("when an agent host asked"):
            known = state.hosts.of(host)
            due = known is None or known.ended != ended or known.at < timestamp(now - APART)
            if due or (version is not None and known is not None and known.version != version):
                state.hosts.put(
                    HostContact(
                        host=host,
                        event=_short(event),
                        at=timestamp(now),
                        version=None if version is None else _short(version),
                        ended=ended,
                    )
                )
            self._noted[host] = now, ended

    def _is_recent(self, host: str, now: datetime, *, ended: bool) -> bool:
        """Whether this process looked at the host's note, for this `ended`, less than APART ago."""
        noted = self._noted.get(host)
        return noted is not None and noted[1] == ended and timedelta(0) <= now - noted[0] < APART


def _short(text: str) -> str:
    return whole(text)[:LONGEST]
