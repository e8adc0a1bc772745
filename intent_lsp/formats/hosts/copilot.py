"""Copilot CLI: asks about all calls of a turn before it makes the first, without ids of calls.

Payloads recorded with version 1.0.102. A subagent has a session of its own.
"""

from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import (
    CLAUDE_EVENTS,
    TOLD_AT,
    Fields,
    Host,
    claude_note,
    claude_refusal,
)
from intent_lsp.formats.hosts.payload import Payload

_OWN_EVENTS: Final = {
    "preToolUse": HookKind.BEFORE_TOOL,
    "postToolUse": HookKind.AFTER_TOOL,
    "postToolUseFailure": HookKind.FAILED_TOOL,
    "sessionStart": HookKind.SESSION_START,
    "sessionEnd": HookKind.SESSION_END,
    "userPromptSubmitted": HookKind.PROMPT,
    "agentStop": HookKind.TURN_END,
    "subagentStop": HookKind.SUBAGENT_END,
}


def _refusal(event: str, reason: str) -> Mapping[str, Any]:
    if event in CLAUDE_EVENTS:
        return claude_refusal(event, reason)
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def _note(event: str, text: str) -> Mapping[str, Any]:
    return claude_note(event, text) if event in CLAUDE_EVENTS else {"additionalContext": text}


def _failure(payload: Payload) -> str | None:
    outcome = payload.prose(("toolResult.resultType", "tool_result.result_type"))
    said = payload.prose(("toolResult.textResultForLlm", "tool_result.text_result_for_llm"))
    return None if outcome in ("", "success") else said or outcome


COPILOT: Final = Host(
    name="copilot",
    version="1.0.102",
    events={**CLAUDE_EVENTS, **_OWN_EVENTS},
    fields=Fields(
        event=("hook_event_name", "hookEventName", "hookName"),
        # A subagent's session id is its agent id: it is found by its parent's.
        agent=(),
        parent=("parentAgentId", "parent_agent_id"),
        tool_input=("toolArgs", "tool_input", "toolInput"),
        prompt=("prompt", "initialPrompt", "initial_prompt"),
    ),
    refuse=_refusal,
    tell=_note,
    told_at=TOLD_AT - {HookKind.FAILED_TOOL},
    failure=_failure,
)
