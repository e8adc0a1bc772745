"""Commands of agents whose end nobody has told: compared when their session goes on (ADR 0014).

Invariant: what a command has changed before its session's next call is not that call's.
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
"""Open commands of one session that are compared when it goes on, the newest ones."""


class UnendedCommands:
    """Records what the open commands of one root's sessions have changed."""

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
        """Record what they have changed by now: the session goes on to its next call.

        They stay open, since a host may have several under way, and go on from what there is now.
        """
        tickets = self._open(session_id, agent_id)[-AT_ONCE:]
        return self._each(tickets, _SoFar(self._work_tree, self._recording, self._lock))

    def end(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what they have changed, and end them: their turn is over, or their session."""
        return self._each(self._open(session_id, agent_id), self._ended)

    def _each(
        self, tickets: Sequence[Ticket], record: Callable[[Ticket], Outcome | None]
    ) -> tuple[Outcome, ...]:
        """Compare each of them; what goes wrong is logged, and stops neither call nor turn."""
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
        with step("commands that have not reported their end"):
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
    """Records what some commands have changed by now, all of them by one look.

    One whose tree is as it was at the call before costs no comparison. While git is at work
    nothing is told: a later call sees it.
    """

    def __init__(self, work_tree: WorkTree, recording: CallRecorder, lock: RootLock | None) -> None:
        self._work_tree = work_tree
        self._recording = recording
        self._lock = lock
        self._looked = False
        self._look: TreeAtRest | None = None

    def __call__(self, ticket: Ticket) -> Outcome | None:
        """Record what one has changed; None: nothing that is its own, or nobody can tell."""
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
