"""The hosts known from their documentation alone, and the form that any other host may send."""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import CLAUDE_EVENTS, TOLD_AT, Fields, Host, top_level_refusal

VSCODE: Final = Host(name="vscode", told_at=TOLD_AT - {HookKind.FAILED_TOOL})
"""VS Code's agent mode: the events of Claude Code, with fields in either spelling."""

ANTIGRAVITY: Final = Host(
    name="antigravity",
    events={
        "PreToolUse": HookKind.BEFORE_TOOL,
        "PostToolUse": HookKind.AFTER_TOOL,
        "PreInvocation": HookKind.OTHER,
        "PostInvocation": HookKind.OTHER,
        "Stop": HookKind.TURN_END,
    },
    fields=Fields(
        session=("conversationId",),
        cwd=("toolCall.args.Cwd", "workspacePath"),
        tool=("toolCall.name",),
        tool_input=("toolCall.args",),
        call_id=("toolCall.id",),
        model=("modelName",),
    ),
    refuse=top_level_refusal,
    told_at=frozenset(),
)
"""Antigravity CLI: its payloads do not name their event. A broken answer counts as a refusal."""

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
    refuse=lambda _event, reason: {
        "permission": "deny",
        "user_message": reason,
        "agent_message": reason,
    },
    tell=lambda _event, text: {"additional_context": text},
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START}),
    tools={
        "beforeShellExecution": "Shell",
        "afterShellExecution": "Shell",
        "beforeReadFile": "read_file",
        "afterFileEdit": "edit_file",
    },
)
"""Cursor: its refusals have one text for the person and one for the model, and both get the reason.

It also runs Claude's hooks, so that one call may be reported twice under one id.
"""

WINDSURF: Final = Host(
    name="windsurf",
    events={
        "pre_write_code": HookKind.BEFORE_TOOL,
        "post_write_code": HookKind.AFTER_TOOL,
        "pre_run_command": HookKind.BEFORE_TOOL,
        "post_run_command": HookKind.AFTER_TOOL,
        "pre_read_code": HookKind.BEFORE_TOOL,
        "post_read_code": HookKind.AFTER_TOOL,
        "pre_mcp_tool_use": HookKind.BEFORE_TOOL,
        "post_mcp_tool_use": HookKind.AFTER_TOOL,
        "pre_user_prompt": HookKind.PROMPT,
    },
    fields=Fields(
        event=("agent_action_name",),
        session=("trajectory_id",),
        cwd=("tool_info.cwd", "cwd"),
        tool=("tool_info.mcp_tool_name",),
        tool_input=("tool_info.mcp_tool_arguments", "tool_info"),
        call_id=("execution_id",),
        model=("model_name", "model"),
        prompt=("tool_info.user_prompt",),
    ),
    refuse=top_level_refusal,
    told_at=frozenset(),
    tools={
        "pre_write_code": "edit_file",
        "post_write_code": "edit_file",
        "pre_run_command": "run_command",
        "post_run_command": "run_command",
        "pre_read_code": "read_file",
        "post_read_code": "read_file",
    },
)
"""Windsurf (Devin Desktop): an event for each kind of tool, without the name of a tool."""

KIRO: Final = Host(
    name="kiro",
    events={
        **CLAUDE_EVENTS,
        "agentSpawn": HookKind.SESSION_START,
        "userPromptSubmit": HookKind.PROMPT,
        "preToolUse": HookKind.BEFORE_TOOL,
        "postToolUse": HookKind.AFTER_TOOL,
        "stop": HookKind.TURN_END,
    },
    fields=Fields(tool_input=("tool_input", "toolInput", "toolArgs")),
    told_at=frozenset(),
)
"""Kiro: the editor and the command line, whose names of events differ.

The command line begins the editor's names with a small letter, and calls `SessionStart`
`agentSpawn`. Before version 1.0 the editor never closes the hook's standard input.
"""

GROK: Final = Host(
    name="grok",
    fields=Fields(cwd=("cwd", "workspaceRoot")),
    refuse=top_level_refusal,
    told_at=frozenset(),
)
"""Grok CLI: the events of Claude Code, with fields in camelCase. It also runs Claude's hooks."""

GENERIC: Final = Host(
    name="generic",
    events={
        **CLAUDE_EVENTS,
        "before_tool": HookKind.BEFORE_TOOL,
        "after_tool": HookKind.AFTER_TOOL,
        "tool_failed": HookKind.FAILED_TOOL,
        "session_start": HookKind.SESSION_START,
        "session_end": HookKind.SESSION_END,
        "prompt": HookKind.PROMPT,
        "turn_end": HookKind.TURN_END,
        "subagent_start": HookKind.SUBAGENT_START,
        "subagent_end": HookKind.SUBAGENT_END,
    },
    fields=Fields(event=("event", "hook_event_name"), parent=("parent_session_id",)),
    refuse=lambda _event, reason: {"allowed": False, "reason": reason},
    tell=lambda _event, text: {"context": text},
)
"""Any other agent host: a small JSON object that the author of an agent can send.

Its fields are `event`, `session_id`, `agent_id`, `parent_session_id`, `cwd`, `tool_name`,
`tool_input`, `tool_use_id`, `error`, `model`, `prompt` and `source`.
"""
