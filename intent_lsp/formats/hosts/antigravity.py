"""Antigravity CLI: its payloads do not name their event, and it reads a broken answer as a refusal.

Known from its documentation, not from recorded payloads.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.gemini import top_level_refusal
from intent_lsp.formats.hosts.host import Fields, Host

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
        event=("hookEventName", "hook_event_name"),
        session=("conversationId",),
        cwd=("toolCall.args.Cwd", "workspacePath"),
        tool=("toolCall.name",),
        tool_input=("toolCall.args",),
        call_id=("toolCall.id",),
        model=("modelName",),
    ),
    refuse=top_level_refusal,
    tell=None,
)
