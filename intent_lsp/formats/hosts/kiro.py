"""Kiro: the editor and the command line, whose names of events differ.

The command line begins the editor's names with a small letter, and calls `SessionStart`
`agentSpawn`. Known from its documentation, not from recorded payloads. Before version 1.0 the
editor never closes the hook's standard input.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import CLAUDE_EVENTS, Fields, Host

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
    fields=Fields(
        tool=("tool_name", "toolName"),
        tool_input=("tool_input", "toolInput", "toolArgs"),
    ),
    tell=None,
)
