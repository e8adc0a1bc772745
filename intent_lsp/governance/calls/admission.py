"""The gate's decision on an agent's call with its ticket, and the outcome of recording the call.

Specified in requirements section 6.
"""

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Recorded, Ticket, TicketFile
from intent_lsp.core.gate.request import Allowed, Ask, Decision
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, Record, ScopeValidation
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


class CallDecision(Struct, frozen=True, kw_only=True):
    """The gate's decision on an agent's tool call, with the facts that its record needs.

    `governed` is false for an allowed call that changes nothing or that was not judged, for example
    because governance is off. `ticket` is None unless the call is allowed and governed and a ticket
    can be kept. `again`: the host sent this call before and got the same answer. `program` is the
    first word of the part of the call's command that decided how the command was judged; None
    without such a part, or if the word may hold a secret. `failed` is set if judging failed and the
    call was allowed unjudged; it is the error. `before` are the outcomes of earlier commands of the
    agent whose end the host never reported; they were recorded just before this call.
    """

    decision: Decision
    tool_name: str
    intent_id: str | None
    mutation_class: MutationClass | None = None
    files: tuple[TicketFile, ...] = ()
    ticket: Ticket | None = None
    program: str | None = None
    governed: bool = True
    again: bool = False
    failed: str | None = None
    before: tuple[Outcome, ...] = ()

    @property
    def verdict(self) -> ScopeValidation:
        """The verdict for the call's record; a call that awaits approval counts as denied."""
        decision = self.decision.why if isinstance(self.decision, Ask) else self.decision
        return decision.verdict


def warned(admission: CallDecision, *warnings: str) -> CallDecision:
    """Return the decision with `warnings` added, or unchanged if it does not allow the call."""
    decision = admission.decision
    if not isinstance(decision, Allowed):
        return admission
    told = tuple(dict.fromkeys((*decision.warnings, *warnings)))
    return replace(admission, decision=Allowed(decision.verdict, told))


def of_ticket(ticket: Ticket, *, again: bool) -> CallDecision:
    """Return the decision that allowed the ticket's call, rebuilt from the ticket.

    `again`: the host has sent the call a second time.
    """
    return CallDecision(
        decision=Allowed(ticket.verdict, ticket.warnings),
        tool_name=ticket.tool_name,
        intent_id=ticket.intent_id,
        mutation_class=ticket.mutation_class,
        files=ticket.files,
        ticket=ticket,
        program=ticket.program,
        again=again,
    )
