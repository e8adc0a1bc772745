"""The tools about intents: list, select, read, expand, complete, and report a verification."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from intent_lsp.core.codes import McpCode
from intent_lsp.core.errors import WrongParamsError
from intent_lsp.core.redaction import neutral
from intent_lsp.doors.mcp import inputs
from intent_lsp.doors.mcp.answers import ToolAnswer, ToolFailure, refusal
from intent_lsp.doors.mcp.call_approval import granted_by, person_answer
from intent_lsp.doors.mcp.tool_request import ToolRequest, ToolResult, in_thread, new_session
from intent_lsp.formats.intents.intent_json import intent_json
from intent_lsp.governance.calls.approvals import APPROVE, REJECT, ApprovalQuestion, expansion_words
from intent_lsp.governance.calls.call_answers import CallViolation, violations_json
from intent_lsp.governance.plan.checkout import CheckoutRefusal, intents_json, selection_json
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.store.state.notes import AgentInfo


def list_intents(asked: ToolRequest, _given: inputs.ListIntentsInput) -> ToolAnswer:
    """Return the intents of the root, in the order of the file, and the session's active intent."""
    governance, session = asked.governance, asked.session
    rules = governance.rules.current()
    active = None
    if session is not None:
        active = rules.present_id(governance.sessions.active_intent(session.id, session.agent_id))
    structured: dict[str, Any] = {
        "root": str(governance.root),
        "enabled": rules.governed,
        "activeIntentId": active,
        "intents": intents_json(rules),
    }
    if rules.reason is not None:
        structured["reason"] = rules.reason
    return ToolAnswer(structured=structured)


def select_active_intent(asked: ToolRequest, given: inputs.SelectInput) -> ToolResult:
    """Select an intent for the caller's session. If the caller has no session, begin one.

    If the caller asks for a new turn of its session, begin the turn first. Return the intent's
    context and the session's handle, or a failure.
    """
    governance = asked.governance
    refused = governance.planning.refusal(given.intent_id)
    if refused is not None:
        return refusal(refused)
    handle, session = asked.named or new_session(governance)
    asked.roots.remember(handle, governance)
    if given.new_turn and asked.named is not None:
        governance.begin_turn(session.id, session.agent_id)
    voice = AgentInfo(model=given.model, url=given.conversation_url)
    done = governance.checkout.select(session, given.intent_id, unsaved_file=False, voice=voice)
    if isinstance(done, CheckoutRefusal):
        return refusal(done)
    structured = selection_json(done) | {"session": handle, "root": str(governance.root)}
    warnings = "".join(f"\nWarning: {warning}" for warning in done.warnings)
    text = f"session: {handle} (give it as `session` in every later call)\n\n{done.text}"
    return ToolAnswer(structured=structured, text=text + warnings)


def get_intent_context(asked: ToolRequest, given: inputs.ContextInput) -> ToolResult:
    """Return the context of an intent: its scope, criteria, files and newest records.

    Without an intent id, the session's active intent is meant. A closed intent has a context too.
    Return a failure if there is no such intent, or if governance is off.
    """
    wanted = _intent_id(asked, given.intent_id)
    if wanted is None:
        return _no_intent()
    found = asked.governance.checkout.context(wanted)
    if isinstance(found, CheckoutRefusal):
        return refusal(found)
    return ToolAnswer(structured=selection_json(found), text=found.text)


def complete_intent(asked: ToolRequest, given: inputs.CompleteInput) -> ToolResult:
    """Set an intent to COMPLETED and return it.

    Without an intent id, the session's active intent is meant. Return a failure if there is none or
    governance refuses.
    """
    wanted = _intent_id(asked, given.intent_id)
    if wanted is None:
        return _no_intent()
    done = asked.governance.planning.complete(asked.asker, wanted, unsaved_file=False)
    if isinstance(done, CheckoutRefusal):
        return refusal(done)
    return ToolAnswer(structured={"intent": intent_json(done), "completed": True})


def report_verification(asked: ToolRequest, given: inputs.VerificationInput) -> ToolAnswer:
    """Note how a verification command ended.

    If the command has an open ticket, record what it changed. If the command failed, record a
    lesson. Return the violations of rules among the changes, and whether a new lesson was recorded.
    """
    governance, session = asked.governance, asked.asker
    learnt, outcome = governance.commands.end_verification(
        session.id, session.agent_id, given.command, success=given.success
    )
    violations: Sequence[CallViolation] = ()
    if outcome is not None:
        violations = governance.violations.of(outcome)
    structured = {
        "lessonRecorded": learnt,
        "violations": violations_json(violations, governance.root),
    }
    return ToolAnswer(structured=structured)


async def request_scope_expansion(asked: ToolRequest, given: inputs.ExpansionInput) -> ToolResult:
    """Ask a person for more scope for an intent, and grant it if the person approves.

    Otherwise the result has the person's feedback, or says why there is no answer. Return a failure
    if the intent cannot be given scope. Raise WrongParamsError for a pattern that cannot be
    granted, and InputNeeded if the client has to call again with the answer.
    """
    wish = await in_thread(_wish, asked, given)
    if not isinstance(wish, Wish):
        return wish
    rules = await in_thread(asked.governance.rules.current)
    question = ApprovalQuestion(
        text=f"agent {neutral(asked.asker.id)} asks to {expansion_words(wish)}.",
        titles=(APPROVE, REJECT),
    )
    word = await person_answer(asked, question, rules.policy)
    if word.approval is None:
        structured = {"approved": False, "feedback": word.feedback}
        return ToolAnswer(structured=structured)
    granted = await granted_by(asked, wish, word)
    return refusal(granted) if isinstance(granted, CheckoutRefusal) else _granted(granted)


def _granted(granted: Granted) -> ToolAnswer:
    structured: dict[str, Any] = {"approved": True, "intent": intent_json(granted.intent)}
    if granted.expires_at is not None:
        structured["expiresAt"] = granted.expires_at
    return ToolAnswer(structured=structured)


def _wish(asked: ToolRequest, given: inputs.ExpansionInput) -> Wish | ToolFailure:
    """Return the wish for more scope that is in the arguments, or why it cannot be granted.

    Raise WrongParamsError for a pattern that cannot be granted.
    """
    governance, patterns = asked.governance, tuple(given.patterns)
    wrong = governance.planning.ungrantable(patterns)
    if wrong is not None:
        raise WrongParamsError(f"patterns[{wrong[0]}]", f"{patterns[wrong[0]]!r}: {wrong[1]}")
    wanted = _intent_id(asked, given.intent_id)
    if wanted is None:
        return _no_intent()
    refused = governance.planning.refusal(wanted)
    if refused is not None:
        return refusal(refused)
    ttl = None if given.ttl_seconds is None else timedelta(seconds=given.ttl_seconds)
    return Wish(intent_id=wanted, patterns=patterns, reason=given.reason, ttl=ttl)


def _intent_id(asked: ToolRequest, named: str | None) -> str | None:
    """Return the id `named` in the arguments, else the session's active intent, else None."""
    session = asked.asker
    return named or asked.governance.sessions.active_intent(session.id, session.agent_id)


def _no_intent() -> ToolFailure:
    return ToolFailure(
        code=McpCode.INVALID_ARGUMENTS,
        message="intent_id is missing, and this session has selected no intent.",
        details={"problems": [{"field": "intent_id", "problem": "is missing"}]},
        cure="give intent_id, or call select_active_intent first",
    )
