"""Authorization of an agent's call: look up its facts, ask the gate, and issue a ticket.

Specified in requirements section 6.

Invariant: the caller holds the root's lock until the ticket is stored, so that the files still have
the hashes that were judged.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.explain import ExplainedRow, explain_call
from intent_lsp.core.gate.gate import judge_call, refusal_with, rejected, unavailable
from intent_lsp.core.gate.request import Allowed, ApprovalAnswer, Ask, CallFacts, Denied
from intent_lsp.core.policy import Enforcement
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.calls.admission import (
    CallDecision,
    JudgedCall,
    of_ticket,
    ticket_files,
    ticket_of,
    warned,
)
from intent_lsp.governance.calls.protected_files import guarded_now
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.judging.call_facts import CallFactsOf, Hearing
from intent_lsp.governance.judging.refused_calls import keep_refused
from intent_lsp.governance.root.sessions import Asker
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.state.tickets import Refused

_IN_EVERY_MODE: Final = frozenset(
    {GateCode.PATH_DENIED, GateCode.OUTSIDE_WORKSPACE, GateCode.TOOL_BLOCKED}
)
"""Codes of refusals that no policy turns into warnings."""

NO_MEMORY: Final = (
    ".orchestration/.local cannot be written, so this call will have no record. Make sure that"
    " intent-lsp can write files there; then restart the server if one is running."
)
IN_MEMORY: Final = "{problem}. Until that is fixed, this call is known only to the running server."
NOT_COMPARED: Final = (
    "intent-lsp cannot find out which files this command changes, so the record will lack those"
    " that the command does not name."
)
WITH_TICKET_AT_MOST: Final = 64 * 1024
"""Bytes up to which a file's content is stored in the database with the ticket."""
FILES_WITH_TICKET: Final = 100
FIRST_INTENT: Final = "run intent-lsp intents add, or ask a person to add the first intent"


class CallAuthorizer(Struct, frozen=True, kw_only=True):
    """Judges the calls of one root's agents and issues their tickets."""

    stores: Stores
    contents: Contents
    work_tree: WorkTree
    facts: CallFactsOf

    def admit(self, hearing: Hearing, *, by_save: bool = False) -> CallDecision:
        """Judge a call, and issue a ticket if it is allowed and may change governed files.

        If the decision on an earlier sending of the same call is stored, it is returned. Tickets
        and refusals are stored. If a person has to approve the call and can be asked, the decision
        is Ask, and it is not stored. If storing the ticket fails, the policy decides whether the
        call is allowed. Without a session database, a call that the gate allows gets a warning
        and no ticket. `by_save`: an editor makes the change, and its save is recorded under the
        ticket.
        """
        hearing = self.facts.heard(hearing)
        call, rules = hearing.call, hearing.rules
        word = hearing.word.counted(rules.policy.hitl_by)
        hearing = replace(hearing, word=word)
        before = self._given_before(hearing.asker, call)
        if before is not None:
            return before
        judged = self.judge(hearing)
        decision = judged.decision
        unasked = isinstance(decision, Ask) and not word.can_be_asked
        if unasked or (word.final and isinstance(decision, Allowed)):
            decision = rejected(judged.question, _feedback(word, judged.facts))
        if isinstance(decision, Denied) and not word.final:
            decision = tolerated(decision, judged, rules.policy.agents)
        governed = hearing.reading.mutating and rules.governed
        if isinstance(decision, Allowed) and governed:
            admission = self._issue(judged, decision, by_save=by_save)
            problem = self.stores.problem()
            if problem is None or admission.ticket is None:
                return admission
            if rules.policy.fail_open:
                told = (*admission.ticket.warnings, IN_MEMORY.format(problem=problem))
                return of_ticket(replace(admission.ticket, warnings=told), again=False)
            # Storing this ticket failed, for example because the disk is full: deny the call
            # instead.
            decision = unavailable(problem, ())
        if isinstance(decision, Denied):
            self._keep_refusal(judged, decision)
        return CallDecision(
            decision=decision,
            tool_name=call.tool_name,
            intent_id=judged.question.active_intent,
            files=ticket_files(judged),
            program=hearing.reading.program,
            governed=governed or isinstance(decision, Denied),
        )

    def judge(self, hearing: Hearing) -> JudgedCall:
        """Return the gate's decision on a call, with the request, facts and files that were judged.

        Nothing is stored.
        """
        judged = hearing.reading.mutating and hearing.rules.governed
        files = self.facts.files(hearing.reading) if judged else ()
        facts = self.facts.of_call(hearing, files)
        question = self.facts.question(hearing, files, facts)
        return JudgedCall(
            hearing=hearing,
            question=question,
            facts=facts,
            files=files,
            decision=judge_call(question, facts),
        )

    def explain(self, hearing: Hearing) -> tuple[tuple[ExplainedRow, ...], CallDecision]:
        """Return every check of the gate on a call, and the decision. Nothing is stored.

        Where a person would be asked, the decision is the one on a call that nobody approves.
        """
        hearing = self.facts.heard(hearing)
        judged = self.judge(hearing)
        decision = judged.decision
        if isinstance(decision, Ask):
            decision = rejected(judged.question, "a person would be asked")
        if isinstance(decision, Denied):
            decision = tolerated(decision, judged, hearing.rules.policy.agents)
        admission = CallDecision(
            decision=decision,
            tool_name=hearing.call.tool_name,
            intent_id=judged.question.active_intent,
            mutation_class=hearing.call.mutation_class,
            files=ticket_files(judged),
        )
        return explain_call(judged.question, judged.facts), admission

    def _given_before(self, asker: Asker, call: ToolCall) -> CallDecision | None:
        """Return the decision stored for the same call with the same `tool_use_id`, or None."""
        state, use = self.stores.state, call.tool_use_id
        if state is None or use is None:
            return None
        ticket = state.tickets.of_use(asker.session_id, asker.agent_id, use)
        # If the same `tool_use_id` comes with a different call, that call is judged as a new one.
        if ticket is not None and ticket.fingerprint == call.fingerprint:
            return of_ticket(ticket, again=True)
        refused = state.tickets.refused_use(
            asker.session_id, asker.agent_id, use, self.stores.clock()
        )
        if refused is None or refused.fingerprint != call.fingerprint:
            return None
        return CallDecision(
            decision=refused.denied,
            tool_name=call.tool_name,
            intent_id=refused.intent_id,
            files=refused.files,
            again=True,
        )

    def _keep_refusal(self, judged: JudgedCall, denied: Denied) -> None:
        call, asker, files = judged.hearing.call, judged.hearing.asker, ticket_files(judged)
        keep_refused(self.stores, call, files)
        state, use = self.stores.state, call.tool_use_id
        if state is None or use is None:
            return
        refused = Refused(
            denied=denied,
            fingerprint=call.fingerprint,
            intent_id=None if judged.intent is None else judged.intent.id,
            files=files,
        )
        state.tickets.refuse(asker.session_id, asker.agent_id, use, refused, self.stores.clock())

    def begin_command(self, admission: CallDecision) -> CallDecision:
        """Store a snapshot of the work tree with a command's ticket, before the command runs.

        Return the decision with that ticket, and a warning if there is no snapshot. Return the
        decision unchanged if it has no ticket, or if there is no session database. Return the
        decision on a call that the host sends again unchanged if its ticket has a snapshot, is
        recorded or is too old. Needs no lock.
        """
        ticket, state = admission.ticket, self.stores.state
        if ticket is None or state is None:
            return admission
        if admission.again:
            kept = state.tickets.ticket(ticket.id, self.stores.clock())
            if kept is None or kept[1] is not None or kept[0].tree is not None:
                return admission
        begun = replace(ticket, tree=self.work_tree.seen(), guarded=guarded_now(self.stores))
        if begun.tree is None:
            begun = replace(begun, warnings=(*ticket.warnings, NOT_COMPARED))
        state.tickets.begin_command(begun)
        return warned(replace(admission, ticket=begun), *begun.warnings)

    def _issue(self, judged: JudgedCall, decision: Allowed, *, by_save: bool) -> CallDecision:
        now = self.stores.clock()
        ticket = ticket_of(
            judged, decision, ticket_id=self.stores.new_id(), at=timestamp(now), by_save=by_save
        )
        small: dict[ContentHash, bytes] = {}
        for file in judged.files:
            if file.data is None or file.hash is None:
                continue
            if len(file.data) <= WITH_TICKET_AT_MOST and len(small) < FILES_WITH_TICKET:
                # Small contents go into the ticket's transaction: writing a file for each costs the
                # caller more time.
                small[file.hash] = file.data
            else:
                self.contents.keep(file.data, file.hash)
        if self.stores.state is not None:
            self.stores.state.tickets.issue(ticket, now, small)
            return of_ticket(ticket, again=False)
        # Without a database there is nothing to record the call by later: allow it, with a warning.
        forgetful = Allowed(decision.verdict, (*decision.warnings, NO_MEMORY))
        return replace(of_ticket(ticket, again=False), ticket=None, decision=forgetful)


def tolerated(denied: Denied, judged: JudgedCall, agents: Enforcement) -> Allowed | Denied:
    """Return a refusal, or in its place a warning if the policy's `agents` is not BLOCK.

    The warning allows the call with verdict FAIL. What no agent may ever do stays refused, even if
    `denied` has another cause: to change the control plane or another denied path, to leave the
    workspace, or to use a blocked tool.
    """
    if agents is Enforcement.BLOCK or denied.code in _IN_EVERY_MODE:
        return denied
    never = refusal_with(judged.question, judged.facts, _IN_EVERY_MODE)
    return never or Allowed(ScopeValidation.FAIL, (denied.message,))


def _feedback(word: ApprovalAnswer, facts: CallFacts) -> str:
    """Return the reason why the call was not approved, to be shown to the agent.

    If nobody could be asked, the root has no intent yet, and the call would change only the intents
    file, return how to create the first one.
    """
    first = facts.bootstrap and word.is_nobody
    return FIRST_INTENT if first else word.feedback
