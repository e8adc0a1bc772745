"""Handles: the secret names under which MCP clients know their sessions.

Invariant: a handle is drawn at random, and accepted only if the root that a call is about has given
it out. So no caller can act for an editor's session, or, unless there is no session database, for
one whose id it has read in a record.
"""

from typing import NamedTuple

from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.state.session_row import HANDLE


class NamedSession(NamedTuple):
    """An agent's session, or a subagent of one, and the handle that stands for it."""

    handle: str
    session: Session


def new_session(governance: Governance) -> NamedSession:
    """Begin a new session of an agent and return it with a new handle."""
    name = governance.stores.new_id()
    handle = governance.handles.handle(name, "")
    if handle is None:
        # Without a session database the handle is the id: the session ends with this process.
        handle = name = HANDLE + name.replace("-", "")
    return NamedSession(handle, governance.sessions.open_agent(name))


def session_of_handle(governance: Governance, handle: str) -> NamedSession | None:
    """Return the session, or the subagent of one, that a handle stands for.

    A session that has ended is reopened. Return None for an unknown handle, or for one of a session
    that is no agent's. The handle may be one that a hook has given the agent: then the session is
    that of the agent's host.
    """
    if not handle.startswith(HANDLE):
        return None
    known = governance.handles.resolve(handle)
    row = governance.sessions.row(*(known or (handle, "")))
    if (known is None and row is None) or (row is not None and row.kind != "agent"):
        return None
    return NamedSession(handle, governance.sessions.open_agent(*(known or (handle, ""))))
