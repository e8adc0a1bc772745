"""The outcome of an agent's call: its records, its violations, and what it discarded."""

from msgspec import Struct

from intent_lsp.core.agents.tickets import Recorded, Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.store.state.drafts import Draft


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of recording a ticket's call.

    `recorded` is what is stored with the ticket. `record` is the first record, if it was appended
    now, else None. `queued` is why the record is queued and not yet in the ledger, or None.
    `beside` are further records, for files with other verdicts. `discarded` are drafts of
    uncommitted texts that the call discarded. `again`: the call was recorded before.
    """

    ticket: Ticket
    recorded: Recorded
    record: Record | None = None
    queued: str | None = None
    discarded: tuple[Draft, ...] = ()
    again: bool = False
    beside: tuple[Record, ...] = ()

    @property
    def error(self) -> str | None:
        """Why the call failed, or None."""
        return self.recorded.error

    @property
    def violating(self) -> tuple[WorkspacePath, ...]:
        """The unnamed files changed against the rules, and named paths that now leave the root."""
        return self.recorded.violating
