"""The outcome of an agent's call: its records, its violations, and what it discarded."""

from dataclasses import dataclass

from intent_lsp.core.agents.tickets import Recorded, Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.store.state.drafts import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a ticket.

    `record` is None if nothing was recorded, or it was recorded earlier. `queued` is why the record
    waits for the ledger. `beside` are further records, of files with other verdicts. `discarded`
    are drafts of uncommitted texts that the call threw away. `again`: the outcome was returned
    before.
    """

    ticket: Ticket
    recorded: Recorded
    record: Record | None = None
    queued: str | None = None
    error: str | None = None
    discarded: tuple[Draft, ...] = ()
    again: bool = False
    beside: tuple[Record, ...] = ()

    @property
    def violating(self) -> tuple[WorkspacePath, ...]:
        """The changed files that the call had not named and that its intent may not change."""
        return self.recorded.violating
