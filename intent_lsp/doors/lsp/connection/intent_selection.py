"""Changes of intents and of the active intent on one connection: select, grant, create, complete.

Invariant: after each change all documents of the root are judged again.
Invariant: a save is recorded under the intent that was active when it was made.
"""

from collections.abc import Callable, Coroutine
from typing import TypeVar

from intent_lsp.core.intents import Intent
from intent_lsp.doors.lsp.connection.record_notifier import A_MOMENT, RecordNotifier
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.governance.plan.checkout import SILENT, CheckoutRefusal, Selection
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.state.notes import AgentInfo

_Done = TypeVar("_Done")
RefreshRoot = Callable[[OpenRoot], Coroutine[object, object, None]]


class IntentSelection:
    """Selects, creates and completes intents, and grants scope, on one connection.

    `look` is called with a root whose rules may have changed, to judge its documents again.
    """

    def __init__(
        self, tracked_documents: TrackedDocuments, outcomes: RecordNotifier, look: RefreshRoot
    ) -> None:
        self._tracked_documents = tracked_documents
        self._in_thread = tracked_documents.work.in_thread
        self._outcomes = outcomes
        self._look = look

    async def select(
        self, open_root: OpenRoot, session: Session, intent_id: str, voice: AgentInfo = SILENT
    ) -> Selection | CheckoutRefusal:
        """Make an intent active in `session`: the connection's own, or that of an agent.

        An agent's session is opened if it is new. For the connection's own session, first wait
        until the saves under way are recorded. Return the selection, or a refusal. `voice` is what
        an agent says about itself; it is empty for a person.
        """
        own = session == open_root.session
        if own:
            await self._recorded(open_root)
        else:
            opening = open_root.governance.sessions.open_agent
            session = await self._in_thread(opening, session.id, session.agent_id)
        select = open_root.governance.checkout.select
        done = await self._changed(open_root, select, session, intent_id, voice=voice)
        if not own:
            self._outcomes.noted(open_root)
        return done

    async def create(self, open_root: OpenRoot, wanted: Intent) -> Intent | CheckoutRefusal:
        """Add an intent to the intents file. Return the new intent, or a refusal."""
        return await self._changed(open_root, open_root.governance.planning.create, wanted)

    async def complete(
        self, open_root: OpenRoot, session: Session, intent_id: str | None
    ) -> Intent | CheckoutRefusal:
        """Set an intent to COMPLETED.

        If `intent_id` is None, it is the active one of `session`. Return the completed intent, or a
        refusal.
        """
        if session == open_root.session:
            await self._recorded(open_root)
        complete = open_root.governance.planning.complete
        return await self._changed(open_root, complete, session, intent_id)

    async def grant(
        self, open_root: OpenRoot, wish: Wish, session: Session
    ) -> Granted | CheckoutRefusal:
        """Grant the scope `wish`, which the person approved. Return the grant, or a refusal.

        `session` asked for the grant. Judge the root's documents again now, and again if the grant
        expires.
        """
        grant, by = open_root.governance.planning.grant, open_root.session.id
        done = await self._changed(open_root, grant, wish, session, by=by)
        if isinstance(done, Granted) and wish.ttl is not None:
            after = wish.ttl.total_seconds() + A_MOMENT
            self._outcomes.later(after, self._look(open_root))
        return done

    async def clear(self, open_root: OpenRoot) -> None:
        """Deselect the active intent of the connection's own session on a root."""
        await self._recorded(open_root)
        await self._in_thread(open_root.governance.checkout.clear, open_root.session)
        await self._look(open_root)

    async def _changed(
        self, open_root: OpenRoot, change: Callable[..., _Done], *args: object, **named: object
    ) -> _Done:
        """Call `change` on a thread, judge the root's documents again, and return its result.

        `change` also gets `unsaved_file`, which says whether the editor has unsaved edits of the
        intents file.
        """
        unsaved = self._tracked_documents.unsaved(open_root)
        done = await self._in_thread(change, *args, unsaved_file=unsaved, **named)
        await self._look(open_root)
        return done

    async def _recorded(self, open_root: OpenRoot) -> None:
        """Wait until all saves of a root so far are recorded, and end its runs of automatic saves.

        So they are recorded under the intent that was active for them.
        """
        for tracked in self._tracked_documents.of_root(open_root):
            await tracked.all_recorded.wait()
        await self._outcomes.end_runs(open_root)
