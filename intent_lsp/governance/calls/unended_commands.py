"""Open commands whose end the host has not reported: what they have changed is recorded.

Specified in ADR 0014 and, for verifications such as tests, in requirements section 6.

Invariant: what a verification changed is recorded once, whether the host or the agent reports its
end first.
Invariant: a change that a command made before its agent's next call is not attributed to that call.
"""

import logging
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import Ticket, command_hash
from intent_lsp.formats.shell.reader import read_command
from intent_lsp.formats.tool_call import public_program
from intent_lsp.governance.calls.admission import Outcome
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.recorder import CallRecorder
from intent_lsp.governance.disk.work_tree import TreeAtRest, WorkTree
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.sessions import Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.locks.root_lock import holding
from intent_lsp.store.packaged_files import command_lists

_log: Final = logging.getLogger(__name__)

AT_ONCE: Final = 20
"""The most open commands of one agent that are compared at its next call, the newest ones."""


class UnendedCommands(Struct, frozen=True, kw_only=True):
    """Records what an agent's open commands have changed: at each next call, and as the turn ends.

    A command is open until its end is reported or the turn ends. The host reports the end of any
    command. The agent itself may report the end of a verification, such as a run of tests.
    """

    stores: Stores
    sessions: Sessions
    work_tree: WorkTree
    recording: CallRecorder
    audit: CallAudit

    def compare(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what an agent's open commands have changed so far, before the agent's next call.

        Only the AT_ONCE newest commands are compared. A file that a command named is recorded at
        the command's end. Return an outcome for each command of which a change was recorded now.
        The commands stay open, as several may run at once. Later comparisons start from this one,
        unless the work tree cannot be compared now.
        """
        tickets = self._open(session_id, agent_id)[-AT_ONCE:]
        return self._each(tickets, partial(self._so_far, cache(self.work_tree.look)))

    def end(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what an agent's open commands have changed, and close their tickets.

        Return the outcomes of the commands that changed something or named a file.
        """
        return self._each(self._open(session_id, agent_id), self._ended)

    def end_verification(
        self, session_id: str, agent_id: str, command: str, *, success: bool
    ) -> tuple[bool, Outcome | None]:
        """Record what a verification command has changed, and write a lesson if it failed.

        The command is one whose end the agent reports, such as a run of tests. Return whether the
        lesson is new (False on success), and the outcome recorded for the command's newest open
        ticket. The outcome is None if the command has no open ticket.
        """
        state, now, same = self.stores.state, self.stores.clock(), command_hash(command)
        tickets = () if state is None else state.tickets.commands.of(session_id, agent_id, now)
        ticket = next((each for each in reversed(tickets) if each.command == same), None)
        outcome = None if ticket is None else self.recording.end(ticket.id)
        if outcome is not None and outcome.recorded.files:
            self.audit.recorded(outcome)
        if success:
            return False, outcome
        intent_id = self.sessions.active_intent(session_id)
        program = public_program(command, read_command(command, command_lists()).program)
        return self.audit.failed_verification(session_id, intent_id, program), outcome

    def _each(
        self, tickets: Sequence[Ticket], record: Callable[[Ticket], Outcome | None]
    ) -> tuple[Outcome, ...]:
        """Call `record` for each ticket and return the outcomes that are not None.

        The audit events of these are written. An exception is logged and does not stop the
        remaining tickets.
        """
        found = list[Outcome]()
        for ticket in tickets:
            try:
                outcome = record(ticket)
            except Exception:  # noqa: BLE001 - whatever it is, it is not this call's fault
                _log.exception("what %s has changed cannot be recorded", ticket.tool_name)
                continue
            if outcome is not None:
                self.audit.recorded(outcome)
                found.append(outcome)
        return tuple(found)

    def _open(self, session_id: str, agent_id: str) -> tuple[Ticket, ...]:
        state, found = self.stores.state, tuple[Ticket, ...]()
        with step("the list of commands that have not reported their end"):
            if state is not None:
                found = state.tickets.commands.of(session_id, agent_id, self.stores.clock())
        return found

    def _ended(self, ticket: Ticket) -> Outcome | None:
        outcome = self.recording.end(ticket.id, told=False)
        nothing = outcome is None or outcome.again or not outcome.recorded.files
        return None if nothing else outcome

    def _so_far(self, look: Callable[[], TreeAtRest | None], ticket: Ticket) -> Outcome | None:
        """Record what one command has changed so far. `look` returns a snapshot of the tree.

        Return None if nothing is recorded. If the tree cannot be compared now, for example because
        git is running, a later comparison finds the changes.
        """
        now = look()
        if now is None or ticket.tree is None or (ticket.gone_on and ticket.tree == now.now):
            return None
        changes = self.work_tree.changes_until(ticket.tree, now)
        if changes is None:
            return None
        with holding(self.stores.gate_lock):
            return self.recording.record_so_far(ticket, changes)
