"""One governed root that a connection has open, with the editor's session on it."""

from dataclasses import dataclass, field
from functools import cached_property

from intent_lsp.doors.lsp.runtime.executor import FifoLock
from intent_lsp.doors.lsp.runtime.hook_listener import HookListener
from intent_lsp.governance.authoring.authoring import IntentsAuthoring
from intent_lsp.governance.authoring.completion import ControlFileCompletion
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.saves.open_file import GovernedPlace
from intent_lsp.store.fs.resolve import ResolvedPath


@dataclass(frozen=True)
class OpenRoot:
    """A governed root that a connection has open, and the connection's own session in it.

    `governance` has the root's rules, stores and use cases. `save_turns` is a lock that keeps the
    records of saves in the order in which the editor reports them. `hooks` answers the hooks of
    agent hosts, or is None if they judge by themselves.
    """

    governance: Governance
    session: Session
    save_turns: FifoLock = field(default_factory=FifoLock, compare=False)
    hooks: HookListener | None = field(default=None, compare=False)

    @cached_property
    def authoring(self) -> IntentsAuthoring:
        """The answers about the parts of the root's intents file, which only editors ask for."""
        return IntentsAuthoring(self.governance.stores, self.governance.listing)

    @cached_property
    def completion(self) -> ControlFileCompletion:
        """The completion of the root's control files, which only editors ask for."""
        return ControlFileCompletion(self.governance.stores)

    def governed(self, place: ResolvedPath) -> GovernedPlace:
        """Return `place`, a file of this root, with the `Saves` and the session that govern it."""
        return GovernedPlace(self.governance.saves, self.session, place)
