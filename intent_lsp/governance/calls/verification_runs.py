"""Results of verification commands, such as tests, and what they changed.

Specified in requirements section 6.

Invariant: what a verification changed is recorded once, whether the host or the agent reports its
end first.
"""

from msgspec import Struct

from intent_lsp.core.agents.tickets import command_hash
from intent_lsp.core.content import ContentHash
from intent_lsp.formats.shell.reader import read_command
from intent_lsp.formats.tool_call import public_program
from intent_lsp.governance.calls.admission import Outcome
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.recorder import CallRecorder
from intent_lsp.governance.root.sessions import Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.audit_log import AuditEvent, AuditLog
from intent_lsp.store.locks.root_lock import holding
from intent_lsp.store.packaged_files import command_lists


class VerificationRuns(Struct, frozen=True, kw_only=True):
    """Handles the results of verification commands, such as tests, in one root."""

    stores: Stores
    sessions: Sessions
    recording: CallRecorder
    audit_log: AuditLog
    news: CallAudit

    def end(
        self, session_id: str, agent_id: str, command: str, *, success: bool
    ) -> tuple[bool, Outcome | None]:
        """Record what a verification command has changed, and write a lesson if it failed.

        Return whether the lesson is new (False on success), and the outcome recorded for the
        command's open ticket. The outcome is None if the command has no open ticket.
        """
        outcome = None
        ticket_id = self._ticket(session_id, agent_id, command_hash(command))
        if ticket_id is not None:
            compared = self.recording.compare(ticket_id)
            with holding(self.stores.gate_lock):
                outcome = self.recording.record(ticket_id, compared=compared)
        if outcome is not None and outcome.recorded.files:
            self.news.recorded(outcome)
        return not success and self._failed(session_id, command), outcome

    def _ticket(self, session_id: str, agent_id: str, command: ContentHash) -> str | None:
        """Return the id of an agent's newest open ticket for a command with this hash, or None."""
        state = self.stores.state
        if state is None:
            return None
        tickets = state.tickets.commands.of(session_id, agent_id, self.stores.clock())
        return next((each.id for each in reversed(tickets) if each.command == command), None)

    def _failed(self, session_id: str, command: str) -> bool:
        told = AuditEvent(
            tool="verification",
            session_id=session_id,
            intent_id=self.sessions.active_intent(session_id),
            program=public_program(command, read_command(command, command_lists()).program),
        )
        return self.audit_log.failed_verification(told)
