"""Handles: the names under which MCP clients know their sessions.

Invariant: a handle is drawn at random and accepted only if this root has given it out, so that no
caller can act for an editor's session or for one that it has to guess.
"""

from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.state.session_names import HANDLE


def new_session(governance: Governance) -> Session:
    """Begin an agent's session and return it."""
    return governance.sessions.open_agent(governance.stores.new_id())


def handle_of(governance: Governance, session: Session) -> str:
    """Return the handle of a session. Without a session database that is its id."""
    return governance.handles.handle(session.id, session.agent_id) or session.id


def session_of_handle(governance: Governance, handle: str) -> Session | None:
    """Return the session, or the subagent of one, that a handle stands for.

    Return None if this root has not given the handle out, or if the session has ended.
    """
    kept = governance.stores.state is not None
    if kept and not handle.startswith(HANDLE):
        return None
    found = governance.handles.resolve(handle)
    row = None if found is None else governance.sessions.row(*found)
    if found is None or row is None or row.kind != "agent" or row.ended_at is not None:
        return None
    return governance.sessions.of_agent(*found)
