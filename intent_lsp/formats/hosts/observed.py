"""The agent hosts whose payloads were recorded, with the versions that sent these."""

import re
from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_answer import COPILOT_VARIABLE
from intent_lsp.core.agents.hook_event import HookKind, ShownText
from intent_lsp.formats.hosts.host import (
    CLAUDE_EVENTS,
    TOLD_AT,
    Fields,
    Host,
    claude_note,
    claude_refusal,
    top_level_refusal,
)
from intent_lsp.formats.hosts.payload import Payload


def _claude_shown(payload: Payload) -> ShownText | None:
    file = payload.part(("tool_response.file",))
    path, text = file.text(("filePath",)), file.text(("content",))
    if path is None or text is None:
        return None
    return ShownText(path, text, file.number(("startLine",), 1))


CLAUDE: Final = Host(
    name="claude",
    version="2.1.330",
    shown=_claude_shown,
    by_person=lambda payload: payload.is_set(("tool_response.userModified",)),
    # Copilot runs the hooks in Claude's file too, and shows no reason with exit status 2.
    silent_under=COPILOT_VARIABLE,
)
"""Claude Code: the host whose hooks most other hosts have copied.

A refusal without JSON, or with text that is no JSON, lets the call pass.
"""


def _codex_failure(payload: Payload) -> str | None:
    """Return the output of a call that failed, or None if it is not seen to have failed.

    A call is seen to have failed if its output begins with `Exit code: N`, as that of a patch does,
    and N is not 0.
    """
    said = payload.prose(("tool_response",))
    found = re.match(r"Exit code: (-?\d+)", said)
    return said if found is not None and found[1] != "0" else None


CODEX: Final = Host(
    name="codex",
    version="0.169.0",
    told_at=TOLD_AT - {HookKind.FAILED_TOOL},
    failure=_codex_failure,
    types_unseen=True,
)
"""Codex: its edits are patches, and a refusal without a reason lets the edit pass."""

_COPILOT_EVENTS: Final = {
    "preToolUse": HookKind.BEFORE_TOOL,
    "postToolUse": HookKind.AFTER_TOOL,
    "postToolUseFailure": HookKind.FAILED_TOOL,
    "sessionStart": HookKind.SESSION_START,
    "sessionEnd": HookKind.SESSION_END,
    "userPromptSubmitted": HookKind.PROMPT,
    "agentStop": HookKind.TURN_END,
    "subagentStop": HookKind.SUBAGENT_END,
}


def _copilot_refusal(event: str, reason: str) -> Mapping[str, Any]:
    if event in CLAUDE_EVENTS:
        return claude_refusal(event, reason)
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


def _copilot_note(event: str, text: str) -> Mapping[str, Any]:
    return claude_note(event, text) if event in CLAUDE_EVENTS else {"additionalContext": text}


def _copilot_failure(payload: Payload) -> str | None:
    outcome = payload.prose(("toolResult.resultType", "tool_result.result_type"))
    said = payload.prose(("toolResult.textResultForLlm", "tool_result.text_result_for_llm"))
    return None if outcome in ("", "success") else said or outcome


COPILOT: Final = Host(
    name="copilot",
    version="1.0.102",
    events={**CLAUDE_EVENTS, **_COPILOT_EVENTS},
    fields=Fields(
        event=("hook_event_name", "hookEventName", "hookName"),
        # A subagent's session id is its agent id: it is found by its parent's.
        agent=(),
        parent=("parentAgentId", "parent_agent_id"),
        tool_input=("toolArgs", "tool_input", "toolInput"),
        prompt=("prompt", "initialPrompt", "initial_prompt"),
    ),
    refuse=_copilot_refusal,
    tell=_copilot_note,
    told_at=TOLD_AT - {HookKind.FAILED_TOOL},
    failure=_copilot_failure,
)
"""Copilot CLI: asks about all calls of a turn before it makes the first, without ids of calls.

A subagent has a session of its own.
"""


def _response_error(payload: Payload) -> str | None:
    """Return the text of the error in the payload's `tool_response`, or None if it has none."""
    return payload.prose(("tool_response.error.message", "tool_response.error")) or None


def _changed_by_user(payload: Payload) -> bool:
    """Return whether a person changed the proposed text before it was written.

    The payload counts the lines that the person added and removed. Without such counts, return
    False.
    """
    numbers = payload.find(("tool_response.returnDisplay.diffStat",))[1]
    names = ("user_added_lines", "user_removed_lines")
    return isinstance(numbers, Mapping) and any(numbers.get(name) for name in names)


GEMINI: Final = Host(
    name="gemini",
    version="0.61.0",
    events={
        "BeforeTool": HookKind.BEFORE_TOOL,
        "AfterTool": HookKind.AFTER_TOOL,
        "SessionStart": HookKind.SESSION_START,
        "SessionEnd": HookKind.SESSION_END,
        "BeforeAgent": HookKind.PROMPT,
        "AfterAgent": HookKind.TURN_END,
    },
    refuse=top_level_refusal,
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START, HookKind.PROMPT}),
    failure=_response_error,
    by_person=_changed_by_user,
)
"""Gemini CLI: its payloads have neither an id of the call nor of a subagent."""

QWEN: Final = Host(
    name="qwen",
    version="0.24.4",
    # `tool_use_id` is another one in the event after a batch of tools.
    fields=Fields(call_id=("tool_call_id", "tool_use_id")),
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START, HookKind.PROMPT}),
    failure=_response_error,
    by_person=_changed_by_user,
)
"""Qwen Code: the events of Claude Code with the tools of Gemini CLI.

A prompt event with an empty prompt follows each batch of tools.
"""

KIMI: Final = Host(
    name="kimi",
    version="2.1.0",
    fields=Fields(call_id=("tool_call_id",), error=("error.message", "error")),
    told_at=frozenset(),
)
"""Kimi Code: the tool names of Claude Code, where the argument `path` names a file.

The event after a call may come after the next call's, or not at all.
"""


def _cline_failure(payload: Payload) -> str | None:
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
        tool=("tool_call.name", "tool_result.name", "preToolUse.toolName", "postToolUse.toolName"),
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
    failure=_cline_failure,
)
"""Cline: the editor extension and the command line, which name their events differently.

A refusal ends the whole run, and the agent's model does not see why.
"""


def _opencode_shown(payload: Payload) -> ShownText | None:
    display = payload.part(("output.metadata.display",))
    path, text = display.text(("path",)), display.text(("text",))
    if path is None or text is None or display.text(("type",)) != "file":
        return None
    return ShownText(path, text, display.number(("lineStart",), 1))


def _opencode_failure(payload: Payload) -> str | None:
    status = payload.find(("output.metadata.exit",))[1]
    return f"exit status {status}" if isinstance(status, int) and status else None


OPENCODE: Final = Host(
    name="opencode",
    version="1.18.33",
    events={
        "tool.execute.before": HookKind.BEFORE_TOOL,
        "tool.execute.after": HookKind.AFTER_TOOL,
        "session.created": HookKind.SESSION_START,
        "session.deleted": HookKind.SESSION_END,
        "session.idle": HookKind.TURN_END,
        "chat.message": HookKind.PROMPT,
    },
    fields=Fields(
        # An event of the plug-in's hook `event` has its own name in `type`.
        event=("input.type", "event"),
        session=("sessionID", "input.sessionID", "input.properties.sessionID"),
        agent=(),
        parent=("parentID", "input.properties.info.parentID"),
        cwd=("directory", "input.properties.info.directory", "input.directory"),
        tool=("tool", "input.tool"),
        tool_input=("args", "output.args", "input.args"),
        call_id=("callID", "input.callID"),
        model=("model", "output.message.model.modelID"),
        prompt=("prompt", "output.parts"),
    ),
    refuse=lambda _event, reason: {"reason": reason},
    told_at=frozenset(),
    failure=_opencode_failure,
    shown=_opencode_shown,
)
"""opencode: it has no hooks of its own; a plug-in passes its events to `intent-lsp hook opencode`.

The plug-in throws the text on standard error when the exit status is 2.
"""
