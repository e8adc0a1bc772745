"""What a person or an agent chooses: an intent, more scope, a new intent, the end of one.

Invariant: whatever is chosen is followed by one look at what it governs.
Invariant: a save belongs to the intent that was active when it was made.
"""

from collections.abc import Callable, Coroutine

from intent_lsp.core.intents import Intent
from intent_lsp.doors.lsp.connection.record_notifier import A_MOMENT, Outcomes
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.governance.plan.checkout import SILENT, Refusal, Selection
from intent_lsp.governance.plan.planning import Granted, Plan, Wish
from intent_lsp.governance.sessions import Session
from intent_lsp.store.state.notes import Voice

Look = Callable[[Attached], Coroutine[object, object, None]]


class Choices:
    """Makes the choices of one connection; `look` looks again at what a root governs."""

    def __init__(self, workplace: Workplace, outcomes: Outcomes, look: Look) -> None:
        self._workplace = workplace
        self._outcomes = outcomes
        self._look = look

    async def select(
        self, attached: Attached, intent_id: str, voice: Voice = SILENT
    ) -> Selection | Refusal:
        """Make an intent the connection's own, and show what follows.

        `voice` is what an agent says of itself that has no session beside the connection's.
        """
        await self._recorded(attached)
        done = await self._workplace.work.in_thread(
            attached.desk.checkout.select,
            attached.session,
            intent_id,
            unsaved_file=self._workplace.unsaved(attached),
            voice=voice,
        )
        await self._look(attached)
        return done

    async def select_for_agent(
        self, attached: Attached, session: Session, intent_id: str, voice: Voice
    ) -> Selection | Refusal:
        """Make an intent an agent's own."""
        unsaved = self._workplace.unsaved(attached)

        def select() -> Selection | Refusal:
            opened = attached.desk.sessions.open_agent(session.id, session.agent_id)
            return attached.desk.checkout.select(
                opened, intent_id, unsaved_file=unsaved, voice=voice
            )

        done = await self._workplace.work.in_thread(select)
        self._outcomes.noted(attached)
        await self._look(attached)
        return done

    async def create(self, attached: Attached, plan: Plan) -> Intent | Refusal:
        """Add an intent to the plan, and show what follows."""
        done = await self._workplace.work.in_thread(
            attached.desk.planning.create, plan, unsaved_file=self._workplace.unsaved(attached)
        )
        await self._look(attached)
        return done

    async def complete(
        self, attached: Attached, session: Session, intent_id: str | None
    ) -> Intent | Refusal:
        """Complete an intent, and show what follows."""
        if session == attached.session:
            await self._recorded(attached)
        done = await self._workplace.work.in_thread(
            attached.desk.planning.complete,
            session,
            intent_id,
            unsaved_file=self._workplace.unsaved(attached),
        )
        await self._look(attached)
        return done

    async def grant(self, attached: Attached, wish: Wish, session: Session) -> Granted | Refusal:
        """Grant scope on the person's word, and show what follows, now and when it expires."""
        done = await self._workplace.work.in_thread(
            attached.desk.planning.grant,
            wish,
            session,
            by=attached.session.id,
            unsaved_file=self._workplace.unsaved(attached),
        )
        await self._look(attached)
        if isinstance(done, Granted) and wish.ttl is not None:
            after = wish.ttl.total_seconds() + A_MOMENT
            self._outcomes.later(after, self._look(attached))
        return done

    async def clear(self, attached: Attached) -> None:
        """Leave the person without an intent, and show what follows."""
        await self._recorded(attached)
        await self._workplace.work.in_thread(attached.desk.checkout.clear, attached.session)
        await self._look(attached)

    async def _recorded(self, attached: Attached) -> None:
        """Wait until what was saved before is recorded, under the intent it was saved for."""
        for tracked in self._workplace.of_root(attached):
            await tracked.all_recorded.wait()
        await self._outcomes.end_runs(attached)
