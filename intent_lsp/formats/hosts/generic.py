"""Any other agent host: a small JSON object that the author of an agent can send.

Its fields are `event`, `session_id`, `agent_id`, `parent_session_id`, `cwd`, `tool_name`,
`tool_input`, `tool_use_id`, `error`, `model`, `prompt` and `source`.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import CLAUDE_EVENTS, Fields, Host

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
    fields=Fields(
        event=("event", "hook_event_name"),
        parent=("parent_session_id",),
    ),
    refuse=lambda _event, reason: {"allowed": False, "reason": reason},
    tell=lambda _event, text: {"context": text},
)
