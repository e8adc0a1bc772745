"""Grok CLI: the events of Claude Code in camelCase. It also runs Claude's hooks.

Known from its documentation, not from recorded payloads.
"""

from typing import Final

from intent_lsp.formats.hosts.gemini import top_level_refusal
from intent_lsp.formats.hosts.host import Fields, Host

GROK: Final = Host(
    name="grok",
    fields=Fields(
        event=("hookEventName", "hook_event_name"),
        session=("sessionId", "session_id"),
        cwd=("cwd", "workspaceRoot"),
        tool=("toolName", "tool_name"),
        tool_input=("toolInput", "tool_input"),
        call_id=("toolUseId", "tool_use_id"),
    ),
    refuse=top_level_refusal,
    tell=None,
)
