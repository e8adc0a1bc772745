"""Changes of the plan and of the active intent on one connection: select, grant, create, complete.

Invariant: after each change all documents of the root are judged again.
Invariant: a save is recorded under the intent that was active when it was made.
"""

from collections.abc import Callable, Coroutine

from intent_lsp.core.intents import Intent
from intent_lsp.doors.lsp.connection.record_notifier import A_MOMENT, RecordNotifier
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.plan.checkout import SILENT, CheckoutRefusal, Selection
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.state.notes import AgentInfo

RefreshRoot = Callable[[OpenRoot], Coroutine[object, object, None]]


class IntentSelection:
    """Selects, creates and completes intents, and grants scope, on one connection.

    `look` is called with a root whose rules may have changed, to judge its documents again.
    """

    def __init__(
        self, tracked_documents: TrackedDocuments, outcomes: RecordNotifier, look: RefreshRoot
    ) -> None:
        self._tracked_documents = tracked_documents
        self._outcomes = outcomes
        self._look = look

    async def select(
        self, open_root: OpenRoot, intent_id: str, voice: AgentInfo = SILENT
    ) -> Selection | CheckoutRefusal:
        """Make an intent active in the connection's own session on a root.

        Saves under way are recorded first. Return the selection, or a refusal. `voice` is what an
        agent that uses this session says about itself; it is empty for a person.
        """
        await self._recorded(open_root)
        done = await self._tracked_documents.work.in_thread(
            open_root.governance.checkout.select,
            open_root.session,
            intent_id,
            unsaved_file=self._tracked_documents.unsaved(open_root),
            voice=voice,
        )
        await self._look(open_root)
        return done

    async def select_for_agent(
        self, open_root: OpenRoot, session: Session, intent_id: str, voice: AgentInfo
    ) -> Selection | CheckoutRefusal:
        """Make an intent active in an agent's session, which is opened if it is new.

        Return the selection, or a refusal. `voice` is what the agent says about itself.
        """
        unsaved = self._tracked_documents.unsaved(open_root)

        def select() -> Selection | CheckoutRefusal:
            opened = open_root.governance.sessions.open_agent(session.id, session.agent_id)
            return open_root.governance.checkout.select(
                opened, intent_id, unsaved_file=unsaved, voice=voice
            )

        done = await self._tracked_documents.work.in_thread(select)
        self._outcomes.noted(open_root)
        await self._look(open_root)
        return done

    async def create(self, open_root: OpenRoot, wanted: Intent) -> Intent | CheckoutRefusal:
        """Add an intent to the plan. Return the new intent, or a refusal."""
        done = await self._tracked_documents.work.in_thread(
            open_root.governance.planning.create,
            wanted,
            unsaved_file=self._tracked_documents.unsaved(open_root),
        )
        await self._look(open_root)
        return done

    async def complete(
        self, open_root: OpenRoot, session: Session, intent_id: str | None
    ) -> Intent | CheckoutRefusal:
        """Set an intent to completed, or the active one of `session` if `intent_id` is None.

        Return the completed intent, or a refusal.
        """
        if session == open_root.session:
            await self._recorded(open_root)
        done = await self._tracked_documents.work.in_thread(
            open_root.governance.planning.complete,
            session,
            intent_id,
            unsaved_file=self._tracked_documents.unsaved(open_root),
        )
        await self._look(open_root)
        return done

    async def grant(
        self, open_root: OpenRoot, wish: Wish, session: Session
    ) -> Granted | CheckoutRefusal:
        """Grant the scope `wish`, which the person approved. Return the grant, or a refusal.

        `session` asked for the grant. Judge the root's documents again now, and when the grant
        expires, if it does.
        """
        done = await self._tracked_documents.work.in_thread(
            open_root.governance.planning.grant,
            wish,
            session,
            by=open_root.session.id,
            unsaved_file=self._tracked_documents.unsaved(open_root),
        )
        await self._look(open_root)
        if isinstance(done, Granted) and wish.ttl is not None:
            after = wish.ttl.total_seconds() + A_MOMENT
            self._outcomes.later(after, self._look(open_root))
        return done

    async def clear(self, open_root: OpenRoot) -> None:
        """Deselect the active intent of the connection's own session on a root."""
        await self._recorded(open_root)
        await self._tracked_documents.work.in_thread(
            open_root.governance.checkout.clear, open_root.session
        )
        await self._look(open_root)

    async def _recorded(self, open_root: OpenRoot) -> None:
        """Wait until all saves of a root so far are recorded, and end its runs of automatic saves.

        So they are recorded under the intent that was active for them.
        """
        for tracked in self._tracked_documents.of_root(open_root):
            await tracked.all_recorded.wait()
        await self._outcomes.end_runs(open_root)
