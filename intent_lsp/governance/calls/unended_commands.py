"""Open commands whose end the host has not reported, compared when their session makes a call.

Specified in ADR 0014.

Invariant: a change that a command made before its session's next call is not attributed to that
call.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Final

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.outcome import Outcome
from intent_lsp.governance.calls.recorder import CallRecorder
from intent_lsp.governance.disk.work_tree import TreeAtRest, WorkTree
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.locks.root_lock import RootLock, holding

_log: Final = logging.getLogger(__name__)

AT_ONCE: Final = 20
"""The most open commands of one agent that are compared at its next call, the newest ones."""


class UnendedCommands:
    """Records the changes of open commands at their session's next call or at the turn's end.

    A command is open until the host reports its end.
    """

    def __init__(
        self,
        *,
        stores: Stores,
        work_tree: WorkTree,
        recording: CallRecorder,
        news: CallAudit,
        lock: RootLock | None,
    ) -> None:
        self._stores = stores
        self._work_tree = work_tree
        self._recording = recording
        self._news = news
        self._lock = lock

    def compare(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what an agent's open commands have changed so far, before the agent's next call.

        Only the AT_ONCE newest commands are compared. Return the outcomes of those that changed
        something. The commands stay open, as several may run at once. Later comparisons start from
        this one.
        """
        tickets = self._open(session_id, agent_id)[-AT_ONCE:]
        return self._each(tickets, _SoFar(self._work_tree, self._recording, self._lock))

    def end(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what an agent's open commands have changed, and close their tickets.

        Return the outcomes of the commands that changed something.
        """
        return self._each(self._open(session_id, agent_id), self._ended)

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
                self._news.recorded(outcome)
                found.append(outcome)
        return tuple(found)

    def _open(self, session_id: str, agent_id: str) -> tuple[Ticket, ...]:
        state, found = self._stores.state, tuple[Ticket, ...]()
        with step("the list of commands that have not reported their end"):
            if state is not None:
                found = state.tickets.commands.of(session_id, agent_id, self._stores.clock())
        return found

    def _ended(self, ticket: Ticket) -> Outcome | None:
        changes = self._recording.compare(ticket.id)
        with holding(self._lock):
            outcome = self._recording.record(ticket.id, compared=changes, told=False)
        nothing = outcome is None or outcome.again or not outcome.recorded.files
        return None if nothing else outcome


class _SoFar:
    """Records what several commands have changed so far, from one shared snapshot of the tree.

    A command is skipped if the tree has not changed since the last comparison. While git is
    running, nothing is recorded; the comparison is repeated at a later call.
    """

    def __init__(self, work_tree: WorkTree, recording: CallRecorder, lock: RootLock | None) -> None:
        self._work_tree = work_tree
        self._recording = recording
        self._lock = lock
        self._looked = False
        self._look: TreeAtRest | None = None

    def __call__(self, ticket: Ticket) -> Outcome | None:
        """Record what one command has changed so far.

        Return None if it changed nothing that its ticket does not name, or if the tree cannot be
        compared.
        """
        if not self._looked:
            self._look, self._looked = self._work_tree.look(), True
        if self._look is None or ticket.tree is None:
            return None
        if ticket.gone_on and ticket.tree == self._look.now:
            return None
        changes = self._work_tree.changes_until(ticket.tree, self._look)
        if changes is None:
            return None
        with holding(self._lock):
            return self._recording.record_so_far(ticket, changes)
