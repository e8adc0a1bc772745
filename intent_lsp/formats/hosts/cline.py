"""Cline: the editor extension and the command line, which name their events differently.

Payloads recorded with version 3.0.65 of the command line. A refusal ends the whole run, and the
agent's model does not see why.
"""

from collections.abc import Mapping
from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import Fields, Host
from intent_lsp.formats.hosts.payload import Payload


def _failure(payload: Payload) -> str | None:
    """Return why a call failed, or None if it did not.

    The results in the tool's output decide first, since `postToolUse.success` is true even for
    edits that failed.
    """
    _, output = payload.find(("tool_result.output",))
    for result in output if isinstance(output, list) else [output]:
        if isinstance(result, Mapping) and result.get("success") is False:
            return str(result.get("error") or result.get("result") or "it failed")
    if payload.find(("postToolUse.success",))[1] is False:
        return payload.prose(("postToolUse.result",)) or "it failed"
    return None


CLINE: Final = Host(
    name="cline",
    version="3.0.65",
    events={
        "tool_call": HookKind.BEFORE_TOOL,
        "tool_result": HookKind.AFTER_TOOL,
        "agent_start": HookKind.OTHER,
        "agent_end": HookKind.TURN_END,
        "session_shutdown": HookKind.SESSION_END,
        "PreToolUse": HookKind.BEFORE_TOOL,
        "PostToolUse": HookKind.AFTER_TOOL,
        "UserPromptSubmit": HookKind.PROMPT,
        "TaskStart": HookKind.SESSION_START,
        "TaskComplete": HookKind.TURN_END,
        "TaskCancel": HookKind.TURN_END,
    },
    fields=Fields(
        event=("hookName",),
        session=("sessionContext.rootSessionId", "taskId"),
        agent=("agent_id",),
        only_subagents=("parent_agent_id",),
        cwd=("workspaceInfo.rootPath",),
        tool=(
            *("tool_call.name", "tool_result.name"),
            *("preToolUse.toolName", "postToolUse.toolName"),
        ),
        tool_input=(
            *("tool_call.input", "tool_result.input"),
            *("preToolUse.parameters", "postToolUse.parameters"),
        ),
        call_id=("tool_call.id", "tool_result.id"),
        model=("model.slug", "model"),
        version=("clineVersion",),
        prompt=("userPromptSubmit.prompt", "prompt"),
    ),
    # The host itself waits 120 seconds.
    limit_seconds=60.0,
    refuse=lambda _event, reason: {"cancel": True, "errorMessage": reason},
    tell=lambda _event, text: {"cancel": False, "contextModification": text},
    told_at=frozenset({HookKind.BEFORE_TOOL, HookKind.AFTER_TOOL}),
    failure=_failure,
)
