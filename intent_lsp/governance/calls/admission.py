"""The gate's decision on an agent's call, and its ticket (requirements section 6)."""

from dataclasses import dataclass, replace

from intent_lsp.core.agents.tickets import Ticket, TicketFile
from intent_lsp.core.gate.request import Allowed, Ask, Decision
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.governance.calls.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDecision:
    """A judged call. `ticket` is set if the call is allowed, governed and may change files.

    `again`: the host sent this call before and got the same answer. `program` is the first word of
    the command that it runs. `failed` is why the call could not be judged and was allowed without a
    decision. `before` are the outcomes recorded just before for the session's commands whose end
    was never reported.
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
        """The verdict that a record of the call would have now."""
        decision = self.decision.why if isinstance(self.decision, Ask) else self.decision
        return decision.verdict


def warned(admission: CallDecision, *warnings: str) -> CallDecision:
    """Return the decision with more warnings.

    A decision that does not allow the call is unchanged.
    """
    decision = admission.decision
    if not isinstance(decision, Allowed):
        return admission
    told = tuple(dict.fromkeys((*decision.warnings, *warnings)))
    return replace(admission, decision=Allowed(decision.verdict, told))


def of_ticket(ticket: Ticket, *, again: bool) -> CallDecision:
    """Return the decision for which a ticket was issued."""
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
