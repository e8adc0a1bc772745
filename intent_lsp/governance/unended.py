"""Commands of agents whose end nobody has told: compared when their session goes on (ADR 0014).

Invariant: what a command has changed before its session's next call is not that call's.
"""

from collections.abc import Callable
from typing import Final

from intent_lsp.core.tickets import Ticket
from intent_lsp.core.tree_snapshot import TreeSnapshot
from intent_lsp.governance.call_news import CallNews
from intent_lsp.governance.disk.work_tree import WorkTree
from intent_lsp.governance.recording import Outcome, Recording
from intent_lsp.governance.steps import step
from intent_lsp.governance.stores import Stores
from intent_lsp.store.root_lock import RootLock, holding

AT_ONCE: Final = 20
"""Open commands of one session that are compared when it goes on, the oldest first."""


class Unended:
    """Records what the open commands of one root's sessions have changed."""

    def __init__(
        self,
        *,
        stores: Stores,
        work_tree: WorkTree,
        recording: Recording,
        news: CallNews,
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
        return self._each(
            session_id, agent_id, _SoFar(self._work_tree, self._recording, self._lock)
        )

    def end(self, session_id: str, agent_id: str) -> tuple[Outcome, ...]:
        """Record what they have changed, and end them: their turn is over, or their session."""
        return self._each(session_id, agent_id, self._ended)

    def _each(
        self, session_id: str, agent_id: str, record: Callable[[Ticket], Outcome | None]
    ) -> tuple[Outcome, ...]:
        """Compare each of them; what goes wrong is logged, and stops neither call nor turn."""
        state, found = self._stores.state, list[Outcome]()
        with step("commands whose end nobody has told"):
            tickets = () if state is None else state.tickets.commands.of(session_id, agent_id)
            for ticket in tickets[:AT_ONCE]:
                outcome = record(ticket)
                if outcome is not None:
                    self._news.recorded(outcome)
                    found.append(outcome)
        return tuple(found)

    def _ended(self, ticket: Ticket) -> Outcome | None:
        changes = self._recording.compare(ticket.id)
        with holding(self._lock):
            outcome = self._recording.record(ticket.id, compared=changes)
        nothing = outcome is None or outcome.again or not outcome.recorded.files
        return None if nothing else outcome


class _SoFar:
    """Records what some commands have changed by now; where nothing has, that is one look."""

    def __init__(self, work_tree: WorkTree, recording: Recording, lock: RootLock | None) -> None:
        self._work_tree = work_tree
        self._recording = recording
        self._lock = lock
        self._now: TreeSnapshot | None = None

    def __call__(self, ticket: Ticket) -> Outcome | None:
        """Record what one has changed; None: nothing that is its own."""
        self._now = self._now or self._work_tree.seen()
        if ticket.tree is None or ticket.tree == self._now:
            return None
        changes = self._work_tree.changes(ticket.tree)
        if changes is None:
            return None
        with holding(self._lock):
            return self._recording.record_so_far(ticket, changes)
