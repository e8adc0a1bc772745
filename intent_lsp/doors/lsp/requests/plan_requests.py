"""The requests that change the plan: create, complete, expand, verify (protocol section 2).

Invariant: an intent that an agent creates, and every expansion of scope, needs a person's approval.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Annotated, Final

import msgspec

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.gate.request import ApprovalAnswer
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.redaction import neutral
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.requests.approval import ApprovalPrompt
from intent_lsp.doors.lsp.requests.workspace_lookup import session_of
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import JsonObject, accepted, refused
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.formats.msgspec_types import register_msgspec_types
from intent_lsp.formats.params.requests import CommonParams, Id
from intent_lsp.governance.calls.approvals import expansion_words
from intent_lsp.governance.calls.call_answers import CallViolation, violations_json
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Wish
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.views.audit_log import AuditEvent

PlanText = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
Texts = Annotated[tuple[PlanText, ...], msgspec.Meta(max_length=1000)]
Patterns = Annotated[tuple[PlanText, ...], msgspec.Meta(min_length=1, max_length=100)]
Seconds = Annotated[int, msgspec.Meta(ge=1, le=30 * 24 * 3600)]


class CreateParams(CommonParams, kw_only=True, frozen=True):
    """Params of `intent/create`. `id` is the new intent's id, or None to have one chosen.

    `select`: make the new intent active in the asking session.
    """

    id: Id | None = None
    name: PlanText
    owned_scope: Patterns
    constraints: Texts = ()
    acceptance_criteria: Texts = ()
    status: Status = Status.PLANNED
    select: bool = False


class Attempt(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """The result of the tool call by which an agent declared its work complete.

    `error` is why it failed, or None if it succeeded or no reason is known.
    """

    tool_name: Id
    success: bool = True
    error: PlanText | None = None


class CompleteParams(CommonParams, kw_only=True, frozen=True):
    """Params of `intent/complete`. If `intent_id` is None, the active intent is meant.

    `attempt` is what the agent's host reports of the tool call by which the agent declared its work
    complete. If `attempt` is None, the intent is simply to be completed.
    """

    intent_id: Id | None = None
    attempt: Attempt | None = None


class ExpandParams(CommonParams, kw_only=True, frozen=True):
    """Params of `intent/requestScopeExpansion`: the globs to add to the scope of an intent.

    If `intent_id` is None, the active intent is meant. `ttl_seconds` is how long the grant lasts,
    None for good. `grant_token` proves a person's click.
    """

    intent_id: Id | None = None
    patterns: Patterns
    reason: PlanText | None = None
    ttl_seconds: Seconds | None = None
    grant_token: Id | None = None


class VerificationParams(CommonParams, kw_only=True, frozen=True):
    """Params of `intent/recordVerification`: a command such as a test run, and its result.

    `output` is accepted and not used.
    """

    command: PlanText
    success: bool
    output: str | None = None


KNOWN: Final = register_msgspec_types(
    CreateParams, CompleteParams, ExpandParams, VerificationParams
)


class PlanRequests:
    """Answers the requests that change the plan (the intents and grants), on one connection."""

    def __init__(self, connection: Connection, asking: ApprovalPrompt) -> None:
        self._connection = connection
        self._in_thread = connection.work.in_thread
        self._asking = asking
        self._finish = connection.finish

    async def create(self, open_root: OpenRoot, params: CreateParams) -> JsonObject:
        """Answer `intent/create`: add an intent, and select it if that is asked for.

        An agent's request needs a person's approval. If the person does not approve, return the
        person's feedback.
        """
        scope = params.owned_scope
        await self._check_patterns(open_root, scope, "ownedScope", of_new_intent=True)
        if session_of(params, open_root).id != open_root.session.id:
            owned = ", ".join(map(neutral, scope))
            question = f"create the intent {neutral(params.name)}, which owns {owned}"
            word = await self._asking.approved(open_root, _asked(params, open_root, question))
            if word.approval is None:
                return {"approved": False, "feedback": word.feedback}
        return await self._finish(self._create(open_root, params))

    async def complete(self, open_root: OpenRoot, params: CompleteParams) -> JsonObject:
        """Answer `intent/complete`: set an intent to completed.

        If the params have an `attempt`, since an agent has called its completion tool, answer as
        `_attempted` does.
        """
        if params.attempt is not None:
            return await self._attempted(open_root, params, params.attempt)
        complete, session = self._connection.choices.complete, session_of(params, open_root)
        done = accepted(await complete(open_root, session, params.intent_id))
        return {"intent": intent_json(done), "completed": True}

    async def _attempted(
        self, open_root: OpenRoot, params: CompleteParams, attempt: Attempt
    ) -> JsonObject:
        """Answer `intent/complete` with an `attempt`: an agent has called its completion tool.

        Complete the intent if the tool succeeded and the policy allows it. If the tool failed or
        the completion is refused, record that as a lesson, unless the same lesson is recorded
        already. Raise JsonRpcException if the completion is refused.
        """
        governance, session = open_root.governance, session_of(params, open_root)
        active_intent = governance.sessions.active_intent
        active = await self._in_thread(active_intent, session.id, session.agent_id)
        rules = await self._in_thread(governance.rules.current)
        intent = rules.active(params.intent_id or active)
        error = None if attempt.success else attempt.error or "it did not say why"
        done: Intent | CheckoutRefusal | None = None
        if attempt.success and rules.policy.complete_on_attempt:
            choices = self._connection.choices
            done = await choices.complete(open_root, session, params.intent_id)
            error = done.message if isinstance(done, CheckoutRefusal) else None
        told = AuditEvent(
            tool=attempt.tool_name,
            session_id=session.id,
            intent_id=None if intent is None else intent.id,
        )
        learnt = await self._in_thread(governance.audit_log.attempted, told, error=error)
        completed = accepted(done)
        shown = completed or intent
        return {
            "intent": None if shown is None else intent_json(shown),
            "completed": completed is not None,
            "lessonRecorded": learnt,
        }

    async def expand_scope(self, open_root: OpenRoot, params: ExpandParams) -> JsonObject:
        """Answer `intent/requestScopeExpansion`: grant more scope, if a person approves.

        A person is asked, unless a token proves a click. If the person does not approve, return the
        person's feedback.
        """
        await self._check_patterns(open_root, params.patterns, "patterns")
        session = session_of(params, open_root)
        sessions = open_root.governance.sessions
        active = await self._in_thread(sessions.active_intent, session.id, session.agent_id)
        intent_id = params.intent_id or active
        if intent_id is None:
            raise WrongParamsError("intentId", "is missing, and no intent is selected")
        ttl = None if params.ttl_seconds is None else timedelta(seconds=params.ttl_seconds)
        wish = Wish(intent_id=intent_id, patterns=params.patterns, reason=params.reason, ttl=ttl)
        refusal = await self._in_thread(open_root.governance.planning.refusal, intent_id)
        if refusal is not None:
            raise refused(refusal)
        word = await self._word(open_root, params, wish)
        if word.approval is None:
            return {"approved": False, "feedback": word.feedback}
        return await self._finish(self._grant(open_root, wish, session))

    async def record_verification(
        self, open_root: OpenRoot, params: VerificationParams
    ) -> JsonObject:
        """Answer `intent/recordVerification`, which says that a verification command has ended.

        If the command failed, record a lesson. If the command has an open ticket, record the files
        that it changed.
        """
        learnt, outcome = await self._in_thread(
            open_root.governance.commands.end_verification,
            session_of(params, open_root).id,
            params.agent_id or "",
            params.command,
            success=params.success,
        )
        violations: Sequence[CallViolation] = ()
        if outcome is not None:
            # The record exists even if the command changed files that it should not.
            told = f"{outcome.ticket.program or 'the command'} has run"
            record, queued = outcome.record, outcome.queued
            self._connection.outcomes.recorded(open_root, told, record, queued)
            violations = await self._in_thread(open_root.governance.violations.of, outcome)
        told_of = violations_json(violations, open_root.governance.root)
        return {"lessonRecorded": learnt, "violations": told_of}

    async def _word(self, open_root: OpenRoot, params: ExpandParams, wish: Wish) -> ApprovalAnswer:
        if params.grant_token is not None:
            tokens = self._connection.tokens
            if tokens.take(params.grant_token, wish.intent_id, wish.patterns, wish.ttl):
                # The person has started it by a click, and is not asked again.
                by = open_root.session.id
                return ApprovalAnswer(approval=ApprovalChoice.ONCE, session_id=by)
        question = _asked(params, open_root, expansion_words(wish))
        return await self._asking.approved(open_root, question)

    async def _create(self, open_root: OpenRoot, params: CreateParams) -> JsonObject:
        wanted = Intent(
            id=IntentId(params.id or ""),
            name=params.name,
            owned_scope=params.owned_scope,
            constraints=params.constraints,
            acceptance_criteria=params.acceptance_criteria,
            status=params.status,
        )
        choices, session = self._connection.choices, session_of(params, open_root)
        done = accepted(await choices.create(open_root, wanted))
        if params.select:
            done = accepted(await choices.select(open_root, session, done.id)).intent
        elif session.id == open_root.session.id:
            # A person creates an intent to describe it further: show them the file.
            people, root = self._connection.people, open_root.governance.root
            self._connection.work.begin(people.show(str(root / INTENTS_FILE)))
        return {"approved": True, "intent": intent_json(done)}

    async def _grant(self, open_root: OpenRoot, wish: Wish, session: Session) -> JsonObject:
        done = accepted(await self._connection.choices.grant(open_root, wish, session))
        told: JsonObject = {"approved": True, "intent": intent_json(done.intent)}
        return told if done.expires_at is None else told | {"expiresAt": done.expires_at}

    async def _check_patterns(
        self,
        open_root: OpenRoot,
        patterns: tuple[str, ...],
        field: str,
        *,
        of_new_intent: bool = False,
    ) -> None:
        """Raise WrongParamsError, naming `field`, if a pattern cannot be granted.

        A pattern cannot be granted if it is negated, too wide or no valid glob. With
        `of_new_intent`, negated patterns are accepted, unless all are negated. Call this before a
        person is asked.
        """
        ungrantable = open_root.governance.planning.ungrantable
        found = await self._in_thread(partial(ungrantable, patterns, of_new_intent=of_new_intent))
        if found is not None:
            raise WrongParamsError(f"{field}[{found[0]}]", f"{patterns[found[0]]!r}: {found[1]}")


def _asked(params: CommonParams, open_root: OpenRoot, action: str) -> str:
    name = session_of(params, open_root).id
    if name == open_root.session.id:
        return f"you ask to {action}."
    return f"agent {neutral(name)} asks to {action}."
