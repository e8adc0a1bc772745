"""What became of an agent's call: its records, its violations, what it threw away."""

from dataclasses import dataclass

from intent_lsp.core.agents.tickets import Recorded, Ticket
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.store.state.drafts import Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a ticket; `record` is None where none was made, or it was made before.

    `queued` says why a record waits. `beside` are the records of files with other verdicts than
    those of `record`. `discarded` are drafts of what it threw away of others. `again`: it was told
    of before.
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
        """The files that nobody had named, and that its intent may not change."""
        return self.recorded.violating
