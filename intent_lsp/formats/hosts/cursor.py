"""Cursor: its refusals have one text for the person and one for the model, and both get the reason.

Known from its documentation, not from recorded payloads. It also runs Claude's hooks, so that one
call may be reported twice under one id.
"""

from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import Fields, Host


def _refusal(_event: str, reason: str) -> Mapping[str, Any]:
    return {"permission": "deny", "user_message": reason, "agent_message": reason}


def _note(_event: str, text: str) -> Mapping[str, Any]:
    return {"additional_context": text}


CURSOR: Final = Host(
    name="cursor",
    events={
        "preToolUse": HookKind.BEFORE_TOOL,
        "postToolUse": HookKind.AFTER_TOOL,
        "postToolUseFailure": HookKind.FAILED_TOOL,
        "beforeShellExecution": HookKind.BEFORE_TOOL,
        "afterShellExecution": HookKind.AFTER_TOOL,
        "beforeReadFile": HookKind.BEFORE_TOOL,
        "afterFileEdit": HookKind.AFTER_TOOL,
        "sessionStart": HookKind.SESSION_START,
        "sessionEnd": HookKind.SESSION_END,
        "beforeSubmitPrompt": HookKind.PROMPT,
        "subagentStart": HookKind.SUBAGENT_START,
        "subagentStop": HookKind.SUBAGENT_END,
        "stop": HookKind.TURN_END,
    },
    fields=Fields(
        session=("conversation_id", "session_id"),
        agent=("subagent_id",),
        cwd=("cwd", "tool_input.working_directory", "workspace_root"),
        error=("error_message",),
        version=("cursor_version",),
    ),
    refuse=_refusal,
    tell=_note,
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START}),
    tools={
        "beforeShellExecution": "Shell",
        "afterShellExecution": "Shell",
        "beforeReadFile": "read_file",
        "afterFileEdit": "edit_file",
    },
)
