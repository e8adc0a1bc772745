"""A governed root that this connection is attached to: its desk and the editor's session on it."""

from dataclasses import dataclass

from intent_lsp.governance.desk import Governance
from intent_lsp.governance.sessions import Session


@dataclass(frozen=True, slots=True)
class Attached:
    """One desk and this connection's own session there."""

    desk: Governance
    session: Session
