"""The agents that ask a root: when each host last asked, and the handles that stand for sessions.

Invariant: a host causes at most one write a second, except where one of its sessions ends or
begins, or its version changes.
Invariant: a note that cannot be stored changes no answer.
Invariant: a handle stands for one session or subagent only.
"""

from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.text import whole
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.sessions import EXECUTION_AUTHORIZED
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.state.host_contacts import HostContact
from intent_lsp.store.state.session_row import HANDLE, SessionRow

MCP: Final = "mcp"
"""The name under which calls of the MCP server are noted."""

LSP: Final = "lsp"
"""The name under which agents' requests to the language server are noted."""

APART: Final = timedelta(seconds=1)
"""The shortest time between two notes of one host."""

LONGEST: Final = 100
"""The most characters of a name or version that are stored."""

JUST_NOW: Final = timedelta(minutes=1)
"""The longest time between a hook's selection for a command and the start of the command."""

_LENGTH: Final = 16


class HeardHosts:
    """The agent hosts that have asked one root. Without a session database there are none."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._noted: dict[str, tuple[datetime, bool, str | None]] = {}

    def __call__(self) -> tuple[HostContact, ...]:
        """Return the last noted event of each host that has asked this root, the newest first."""
        state = self._stores.state
        return () if state is None else state.hosts.every()

    def note(
        self, host: str, event: str, *, version: str | None = None, ended: bool = False
    ) -> None:
        """Note an event of a host now. `ended`: it is the end of one of the host's sessions.

        An event less than APART after the last noted one may be left out, unless `ended` or the
        host's version has changed. Do nothing without a session database. A failure is logged.
        """
        state, now = self._stores.state, self._stores.clock()
        if state is None or self._is_recent(host, now, version, ended=ended):
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
            self._noted[host] = now, ended, version

    def _is_recent(self, host: str, now: datetime, version: str | None, *, ended: bool) -> bool:
        """Return whether `note` last noted the same of the host less than APART ago."""
        if host not in self._noted:
            return False
        at, had_ended, had_version = self._noted[host]
        same = ended == had_ended and version in (None, had_version)
        return same and timedelta(0) <= now - at < APART


class SessionHandles:
    """The handles of one root's sessions. Without a session database there are none."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def resolve(self, named: str) -> tuple[str, str] | None:
        """Return the session id and the subagent id ("": the main agent) that a name stands for.

        A name that does not begin like a handle and belongs to no subagent is a session id itself.
        Return None for an unknown handle.
        """
        state = self._stores.state
        known = None if state is None else state.names.find(named)
        if known is None and not named.startswith(HANDLE):
            return named, ""
        return known

    def handle(self, session_id: str, agent_id: str) -> str | None:
        """Return the handle of a session or subagent. If it has none yet, make one.

        Return None without a session database.
        """
        state = self._stores.state
        if state is None:
            return None
        known = state.names.handle(session_id, agent_id)
        if known is not None:
            return known
        new = HANDLE + self._stores.new_id().replace("-", "")[:_LENGTH]
        return state.names.handle_or(new, session_id, agent_id, timestamp(self._stores.clock()))

    def has_handle(self, session_id: str) -> bool:
        """Return whether a session's main agent has a handle.

        If it has, commands that an agent runs must name the session by the handle, not by its id.
        """
        state = self._stores.state
        return state is not None and state.names.handle(session_id, "") is not None

    def just_selected(self, intent_id: str) -> SessionRow | None:
        """Return the row of the most recently used agent that has selected `intent_id`, or None.

        It may be a subagent. It must have been used within the last minute, and have selected the
        intent in its present turn. A command whose hook has just selected the intent belongs to
        this agent.
        """
        state = self._stores.state
        if state is None:
            return None
        since = timestamp(self._stores.clock() - JUST_NOW)
        wanted, rows = ("agent", intent_id, EXECUTION_AUTHORIZED), state.sessions_since(since)
        found = (row for row in rows if (row.kind, row.active_intent, row.stage) == wanted)
        return next(found, None)

    def belongs_to(self, child_id: str, parent_id: str) -> tuple[str, str]:
        """Store that the session `child_id` is a subagent of `parent_id`, a session id or handle.

        Return the session id and the subagent id of the child. If the parent is a subagent itself,
        the child belongs to the parent's session. An entry that the child already has is kept and
        returned.
        """
        session_id, _ = self.resolve(parent_id) or (parent_id, "")
        state = self._stores.state
        if state is None:
            return session_id, child_id
        state.names.put(child_id, session_id, child_id, timestamp(self._stores.clock()))
        return state.names.find(child_id) or (session_id, child_id)


def _short(text: str) -> str:
    return whole(text)[:LONGEST]
