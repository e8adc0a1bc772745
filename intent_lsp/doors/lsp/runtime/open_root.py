"""One governed root that a connection has open, with the editor's session on it."""

from dataclasses import dataclass, field

from intent_lsp.doors.lsp.runtime.fifo import FifoLock
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """A governed root and this connection's own session there.

    `save_turns` orders the records of saves as the editor reports them.
    """

    governance: Governance
    session: Session
    save_turns: FifoLock = field(default_factory=FifoLock, compare=False)
