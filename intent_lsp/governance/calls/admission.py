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
    """The result of recording a ticket's call, or what the call has changed so far.

    Each verdict on changed files gives one record. `record` is the first of them, or None if it was
    not appended now; `queued` is why it waits in the queue instead, or None. `beside` are the
    other records that were appended now. `discarded` are drafts of uncommitted texts that the call
    discarded. `again`: the call was recorded before, and `recorded` is the stored result.
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
        """The unnamed files changed against the rules, and named paths that now leave the root.

        If the call deleted the session database, its directory and every changed file.
        """
        return self.recorded.violating


class CallDecision(Struct, frozen=True, kw_only=True):
    """The gate's decision on an agent's tool call, with the facts that its record needs.

    If `governed` is false, the call was allowed because it changes nothing, or without being
    judged, for example because governance is off. `ticket` is None unless the call is allowed and
    governed and a ticket can be kept. `again`: the host sent this call before and got the same
    answer. `program` is the program that decided how the call's command was judged, or "" if none
    did; None if it is not known here. `failed` is the error because of which the call was allowed
    unjudged, or None. `before` are the outcomes of earlier commands of the agent whose end the host
    has not reported; what they had changed was recorded just before this call.
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
