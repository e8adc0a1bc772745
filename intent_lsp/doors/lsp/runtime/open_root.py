"""A governed root that this connection is attached to: its desk and the editor's session on it."""

from dataclasses import dataclass, field

from intent_lsp.doors.lsp.runtime.fifo import FifoLock
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """One desk and this connection's own session there.

    Saves are recorded in `save_turns`, taken as the editor tells of them.
    """

    governance: Governance
    session: Session
    save_turns: FifoLock = field(default_factory=FifoLock, compare=False)
