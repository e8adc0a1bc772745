"""Handles of agents' sessions: secret names that stand for a session, and sessions of subagents.

Invariant: an agent that knows only its own handle can name no other session by it.
"""

from datetime import timedelta
from typing import Final

from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.sessions import EXECUTION_AUTHORIZED
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.state.session_row import HANDLE, SessionRow

JUST_NOW: Final = timedelta(minutes=1)
"""The longest time between a hook's selection for a command and the start of the command."""

_LENGTH: Final = 16


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
        """Whether a session's main agent has a handle, so that nothing else should name it."""
        state = self._stores.state
        return state is not None and state.names.handle(session_id, "") is not None

    def just_selected(self, intent_id: str) -> SessionRow | None:
        """Return the row of the agent used last that has selected the intent `intent_id`, or None.

        It may be a subagent. It must have been used within the last minute, and have selected the
        intent in its present turn. A hook selects for the agent before its command runs.
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

        Return the session id and the subagent id of the child. A subagent of a subagent belongs to
        the same session as that one. An entry that the child already has is kept and returned.
        """
        session_id, _ = self.resolve(parent_id) or (parent_id, "")
        state = self._stores.state
        if state is None:
            return session_id, child_id
        state.names.put(child_id, session_id, child_id, timestamp(self._stores.clock()))
        return state.names.find(child_id) or (session_id, child_id)
