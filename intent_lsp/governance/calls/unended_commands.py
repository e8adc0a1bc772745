"""Open commands whose end the host has not reported, compared when their session goes on.

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
"""The most open commands of one session that are compared when it goes on, the newest first."""


class UnendedCommands:
    """Records what open commands have changed when their session goes on or their turn ends."""

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
        """Record what an agent's open commands have changed by now, before its next call.

        They stay open, as several may run at once; later changes are compared from here.
        """
        tickets = self._open(session_id, agent_id)[-AT_ONCE:]
        return self._each(tickets, _SoFar(self._work_tree, self._recording, self._lock))

    def end(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what an agent's open commands have changed, and close their tickets."""
        return self._each(self._open(session_id, agent_id), self._ended)

    def _each(
        self, tickets: Sequence[Ticket], record: Callable[[Ticket], Outcome | None]
    ) -> tuple[Outcome, ...]:
        """Record each ticket and return the outcomes.

        An exception is logged, and the next one follows.
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
    """Records what several commands have changed by now, from one shared snapshot of the tree.

    A command whose tree is unchanged since its last comparison is skipped. While git is running,
    nothing is recorded; a later call compares again.
    """

    def __init__(self, work_tree: WorkTree, recording: CallRecorder, lock: RootLock | None) -> None:
        self._work_tree = work_tree
        self._recording = recording
        self._lock = lock
        self._looked = False
        self._look: TreeAtRest | None = None

    def __call__(self, ticket: Ticket) -> Outcome | None:
        """Record what one command has changed.

        Return None if it changed nothing, or if the tree cannot be compared.
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
