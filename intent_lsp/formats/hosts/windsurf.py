"""Windsurf (Devin Desktop): an event for each kind of tool, without the name of a tool.

Known from its documentation, not from recorded payloads.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.gemini import top_level_refusal
from intent_lsp.formats.hosts.host import Fields, Host

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
    tell=None,
    tools={
        "pre_write_code": "edit_file",
        "post_write_code": "edit_file",
        "pre_run_command": "run_command",
        "post_run_command": "run_command",
        "pre_read_code": "read_file",
        "post_read_code": "read_file",
    },
)
