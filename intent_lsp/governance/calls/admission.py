"""What the gate said of an agent's call, and what it is recorded under (requirements section 6)."""

from dataclasses import dataclass, replace

from intent_lsp.core.agents.tickets import Ticket, TicketFile
from intent_lsp.core.gate.request import Allowed, Ask, Decision
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.governance.calls.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDecision:
    """A judged call; `ticket` is there when it may happen, is governed and changes files.

    `again`: its host has asked before, and was given the same answer. `program` is the first word
    of the command that it runs. `failed` is why it could not be judged, and was allowed all the
    same. `before` is what was recorded of its session's commands whose end nobody had told.
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
        """The verdict that a record of it would have now."""
        decision = self.decision.why if isinstance(self.decision, Ask) else self.decision
        return decision.verdict


def warned(admission: CallDecision, *warnings: str) -> CallDecision:
    """Give an admission with more warnings; a refusal has none."""
    decision = admission.decision
    if not isinstance(decision, Allowed):
        return admission
    told = tuple(dict.fromkeys((*decision.warnings, *warnings)))
    return replace(admission, decision=Allowed(decision.verdict, told))


def of_ticket(ticket: Ticket, *, again: bool) -> CallDecision:
    """Give the admission that a ticket was issued for."""
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
