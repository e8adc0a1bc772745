"""Handles: the names under which MCP clients know their sessions.

Invariant: a handle is drawn at random and accepted only if this root has given it out, so that no
caller can act for an editor's session or for one that it has to guess.
"""

import re
from typing import Final

from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session

_HANDLE: Final = re.compile(r"h-[0-9a-f]{32}")


def new_session(governance: Governance) -> Session:
    """Begin an agent's session and return it. Its id is a new handle."""
    handle = f"h-{governance.stores.new_id().replace('-', '')}"
    return governance.sessions.open_agent(handle)


def session_of_handle(governance: Governance, handle: str) -> Session | None:
    """Return the session, or the subagent of one, that a handle stands for; None if unknown."""
    row = governance.sessions.row(handle) if _HANDLE.fullmatch(handle) else None
    if row is None or row.kind != "agent" or row.ended_at is not None:
        return None
    return governance.sessions.of_agent(handle)
