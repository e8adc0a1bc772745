"""The requests that change the plan: create, complete, expand, verification (protocol section 2).

Invariant: what an agent wants of the plan is a person's to grant; what a person asks for is done.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Final

import msgspec

from intent_lsp.core.gate.approval import PersonsWord
from intent_lsp.core.intents import Intent, Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.redaction import neutral
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.protocol.in_flight import Finish
from intent_lsp.doors.lsp.requests.approval import Asking
from intent_lsp.doors.lsp.requests.workspace_lookup import Finder
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.wire.calls import violations_wire
from intent_lsp.doors.lsp.wire.common import Common, Id, Wire
from intent_lsp.doors.lsp.wire.params import failed, invalid, read, session_named, session_of
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.formats.msgspec_types import known
from intent_lsp.governance.calls.violations import Violation
from intent_lsp.governance.plan.checkout import SILENT, Refusal
from intent_lsp.governance.plan.planning import Plan, Wish
from intent_lsp.governance.sessions import Session
from intent_lsp.governance.views.audit_log import Told

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=1000)]
Patterns = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1, max_length=100)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=30 * 24 * 3600)]


class CreateParams(Common, kw_only=True, frozen=True):
    """`intent/create`; `select`: whoever asks works for it from then on."""

    id: Id | None = None
    name: Text
    owned_scope: Patterns
    constraints: Texts = ()
    acceptance_criteria: Texts = ()
    status: Status = Status.PLANNED
    select: bool = False


class Attempt(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """What became of the tool by which an agent says that its work is done."""

    tool_name: Id
    success: bool = True
    error: Text | None = None


class CompleteParams(Common, kw_only=True, frozen=True):
    """`intent/complete`; `attempt`: a host reports what its agent has tried."""

    intent_id: Id | None = None
    attempt: Attempt | None = None


class ExpandParams(Common, kw_only=True, frozen=True):
    """`intent/requestScopeExpansion`."""

    intent_id: Id | None = None
    patterns: Patterns
    reason: Text | None = None
    ttl_seconds: Seconds | None = None
    grant_token: Id | None = None


class VerificationParams(Common, kw_only=True, frozen=True):
    """`intent/recordVerification`."""

    command: Text
    success: bool
    output: str | None = None


KNOWN: Final = known(CreateParams, CompleteParams, ExpandParams, VerificationParams)


class PlanRequests:
    """Answers the requests about the plan on one connection."""

    def __init__(
        self, connection: Connection, finder: Finder, asking: Asking, finish: Finish
    ) -> None:
        self._connection = connection
        self._in_thread = connection.workplace.work.in_thread
        self._finder = finder
        self._asking = asking
        self._finish = finish

    def table(self) -> Mapping[str, Callable[[object], Awaitable[Wire]]]:
        """Give each request by its name without `intent/`."""
        return {
            "create": self.create,
            "complete": self.complete,
            "requestScopeExpansion": self.request_scope_expansion,
            "recordVerification": self.record_verification,
        }

    async def create(self, given: object) -> Wire:
        """Answer `intent/create`; a person is asked when an agent wants it."""
        params = read(given, CreateParams)
        attached = await self._finder.attached(params)
        await self._check_patterns(attached, params.owned_scope, "ownedScope")
        if session_named(params, attached) != attached.session.id:
            scope = ", ".join(map(neutral, params.owned_scope))
            question = f"create the intent {neutral(params.name)}, which owns {scope}"
            word = await self._asking.approved(attached, _asked(params, attached, question))
            if word.approval is None:
                return {"approved": False, "feedback": word.feedback}
        return await self._finish(self._create(attached, params))

    async def complete(self, given: object) -> Wire:
        """Answer `intent/complete`."""
        params = read(given, CompleteParams)
        attached = await self._finder.attached(params)
        if params.attempt is not None:
            return await self._finish(self._attempted(attached, params, params.attempt))
        session = session_of(params, attached)
        done = await self._finish(
            self._connection.choices.complete(attached, session, params.intent_id)
        )
        if isinstance(done, Refusal):
            raise failed(done.code, done.message, done.data)
        return {"intent": intent_json(done), "completed": True}

    async def _attempted(
        self, attached: Attached, params: CompleteParams, attempt: Attempt
    ) -> Wire:
        """Complete the intent by an agent's own word, where the team takes it for one."""
        desk, session = attached.desk, session_of(params, attached)
        active = await self._in_thread(desk.sessions.active_intent, session.id, session.agent_id)
        rules = await self._in_thread(desk.rules.current)
        intent = rules.active(params.intent_id or active)
        error = None if attempt.success else attempt.error or "it did not say why"
        done: Intent | Refusal | None = None
        if attempt.success and rules.policy.complete_on_attempt:
            choices = self._connection.choices
            done = await choices.complete(attached, session, params.intent_id)
            error = done.message if isinstance(done, Refusal) else None
        told = Told(
            tool=attempt.tool_name,
            session_id=session.id,
            intent_id=None if intent is None else intent.id,
        )
        learnt = await self._in_thread(desk.chronicle.attempted, told, error=error)
        if isinstance(done, Refusal):
            raise failed(done.code, done.message, done.data)
        shown = done or intent
        return {
            "intent": None if shown is None else intent_json(shown),
            "completed": done is not None,
            "lessonRecorded": learnt,
        }

    async def request_scope_expansion(self, given: object) -> Wire:
        """Answer `intent/requestScopeExpansion`: a person is asked, or has clicked already."""
        params = read(given, ExpandParams)
        attached = await self._finder.attached(params)
        await self._check_patterns(attached, params.patterns, "patterns")
        session = session_of(params, attached)
        sessions = attached.desk.sessions
        active = await self._in_thread(sessions.active_intent, session.id, session.agent_id)
        intent_id = params.intent_id or active
        if intent_id is None:
            raise invalid("params.intentId: no intent is active; name one")
        ttl = None if params.ttl_seconds is None else timedelta(seconds=params.ttl_seconds)
        wish = Wish(intent_id=intent_id, patterns=params.patterns, reason=params.reason, ttl=ttl)
        refusal = await self._in_thread(attached.desk.planning.refusal, intent_id)
        if refusal is not None:
            raise failed(refusal.code, refusal.message, refusal.data)
        word = await self._word(attached, params, wish)
        if word.approval is None:
            return {"approved": False, "feedback": word.feedback}
        return await self._finish(self._grant(attached, wish, session))

    async def record_verification(self, given: object) -> Wire:
        """Answer `intent/recordVerification`: one that failed is a lesson.

        What the command has changed since it was asked about is recorded.
        """
        params = read(given, VerificationParams)
        attached = await self._finder.attached(params)
        return await self._finish(self._verified(attached, params))

    async def _verified(self, attached: Attached, params: VerificationParams) -> Wire:
        learnt, outcome = await self._in_thread(
            attached.desk.verifying.end,
            session_named(params, attached),
            params.agent_id or "",
            params.command,
            success=params.success,
        )
        violations: Sequence[Violation] = ()
        if outcome is not None:
            # What it should not have changed is on record.
            told = f"{outcome.ticket.program or 'a command'} is done"
            record, queued = outcome.record, outcome.queued
            self._connection.outcomes.recorded(attached, told, record, queued)
            violations = await self._in_thread(attached.desk.violations.of, outcome)
        told_of = violations_wire(violations, attached.desk.root)
        return {"lessonRecorded": learnt, "violations": told_of}

    async def _word(self, attached: Attached, params: ExpandParams, wish: Wish) -> PersonsWord:
        if params.grant_token is not None:
            tokens = self._connection.tokens
            if tokens.take(params.grant_token, wish.intent_id, wish.patterns, wish.ttl):
                return self._asking.clicked(attached)
        scope = ", ".join(map(neutral, wish.patterns))
        until = "" if wish.ttl is None else f" for {wish.ttl}"
        why = "" if wish.reason is None else f" ({neutral(wish.reason)})"
        question = f"expand the scope of {neutral(wish.intent_id)} with {scope}{until}{why}"
        return await self._asking.approved(attached, _asked(params, attached, question))

    async def _create(self, attached: Attached, params: CreateParams) -> Wire:
        plan = Plan(
            id=params.id,
            name=params.name,
            owned_scope=params.owned_scope,
            constraints=params.constraints,
            acceptance_criteria=params.acceptance_criteria,
            status=params.status,
        )
        done = await self._connection.choices.create(attached, plan)
        if isinstance(done, Refusal):
            raise failed(done.code, done.message, done.data)
        if params.select:
            done = await self._selected(attached, params, done)
        elif session_named(params, attached) == attached.session.id:
            # Whoever made it wants to say more of it.
            people, root = self._connection.people, attached.desk.root
            self._connection.workplace.work.begin(people.show(str(root / INTENTS_FILE)))
        return {"approved": True, "intent": intent_json(done)}

    async def _selected(self, attached: Attached, params: CreateParams, made: Intent) -> Intent:
        """Have whoever made an intent work for it."""
        choices, session = self._connection.choices, session_of(params, attached)
        if session == attached.session:
            done = await choices.select(attached, made.id)
        else:
            done = await choices.select_for_agent(attached, session, made.id, SILENT)
        if isinstance(done, Refusal):
            raise failed(done.code, done.message, done.data)
        return done.intent

    async def _grant(self, attached: Attached, wish: Wish, session: Session) -> Wire:
        done = await self._connection.choices.grant(attached, wish, session)
        if isinstance(done, Refusal):
            raise failed(done.code, done.message, done.data)
        told: Wire = {"approved": True, "intent": intent_json(done.intent)}
        return told if done.expires_at is None else told | {"expiresAt": done.expires_at}

    async def _check_patterns(
        self, attached: Attached, patterns: tuple[str, ...], field: str
    ) -> None:
        """Refuse patterns that grant nothing or everything, before anybody is asked."""
        desk = attached.desk
        found = await self._in_thread(
            desk.planning.ungrantable, patterns, desk.scope_checks.is_directory
        )
        if found is not None:
            raise invalid(f"params.{field}[{found[0]}]: {patterns[found[0]]!r}: {found[1]}")


def _asked(params: Common, attached: Attached, question: str) -> str:
    name = session_named(params, attached)
    who = "you want" if name == attached.session.id else f"agent {neutral(name)} wants"
    return f"{who} to {question}."
