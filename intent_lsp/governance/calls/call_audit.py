"""Audit events of judged and recorded calls (requirements section 9).

Invariant: there is no event for a repeated answer, for a pending approval, or for an allowed
command that was not expected to change anything and did not.
Invariant: before the event of a record, all queued events are written.
"""

from functools import partial

from msgspec import Struct

from intent_lsp.core.gate.request import Ask, Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.calls.admission import CallDecision, Outcome
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.audit_log import AuditEvent, AuditLog
from intent_lsp.governance.views.history import DeferredQueue


class CallAudit(Struct, frozen=True, kw_only=True):
    """Writes the audit events of one root's calls."""

    stores: Stores
    audit_log: AuditLog
    unreported: DeferredQueue

    def judged(self, admission: CallDecision, session_id: str, agent_id: str) -> None:
        """Queue the audit event of a judged call.

        There is none for a repeated answer, a pending approval, an allowed call without a ticket,
        or an allowed command that only reads.
        """
        if admission.again or not admission.governed or isinstance(admission.decision, Ask):
            return
        if admission.ticket is not None and admission.ticket.looking:
            return
        self.unreported.add(partial(self._judged, admission, session_id, agent_id))

    def recorded(self, outcome: Outcome) -> None:
        """Write the audit event of a recorded call, and a lesson if it failed or broke a rule.

        Queued events are written before it. Nothing is written if the call was recorded before. A
        read-only command that changed nothing has no event.
        """
        if outcome.again:
            return
        self.unreported.write()
        ticket = outcome.ticket
        if ticket.looking and not outcome.recorded.files and not outcome.violating:
            return
        told = AuditEvent(
            tool=ticket.tool_name,
            session_id=ticket.session_id,
            intent_id=ticket.intent_id,
            paths=tuple(path for path, _, _ in outcome.recorded.files),
            program=ticket.program,
            model=self.stores.agent_info(ticket.session_id, ticket.agent_id).model,
        )
        self.audit_log.done(told, error=outcome.error)
        if outcome.violating:
            self.audit_log.violated(told, outcome.violating[0])

    def failed_verification(
        self, session_id: str, intent_id: str | None, program: str | None
    ) -> bool:
        """Write a lesson about a failed verification by `program`. Return whether it was added."""
        told = AuditEvent(
            tool="verification", session_id=session_id, intent_id=intent_id, program=program
        )
        return self.audit_log.failed_verification(told)

    def _judged(self, admission: CallDecision, session_id: str, agent_id: str) -> None:
        told = AuditEvent(
            tool=admission.tool_name,
            session_id=session_id,
            intent_id=admission.intent_id,
            paths=_paths(admission),
            program=admission.program,
            model=self.stores.agent_info(session_id, agent_id).model,
        )
        if isinstance(admission.decision, Denied):
            self.audit_log.denied(told, admission.decision)
        elif admission.ticket is not None:
            self.audit_log.admitted(told)


def _paths(admission: CallDecision) -> tuple[WorkspacePath, ...]:
    """Return a call's files in the root, and the files that a refusal of the call names."""
    inside = [path for file in admission.files for path in (file.previous, file.path) if path]
    decision = admission.decision
    refused = decision.paths if isinstance(decision, Denied) else ()
    return tuple(dict.fromkeys((*inside, *refused)))
