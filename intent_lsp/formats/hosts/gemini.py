"""Gemini CLI: its payloads have neither an id of the call nor of a subagent.

Payloads recorded with version 0.61.0.
"""

from collections.abc import Mapping
from typing import Any, Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.payload import Payload

EVENTS: Final = {
    "BeforeTool": HookKind.BEFORE_TOOL,
    "AfterTool": HookKind.AFTER_TOOL,
    "SessionStart": HookKind.SESSION_START,
    "SessionEnd": HookKind.SESSION_END,
    "BeforeAgent": HookKind.PROMPT,
    "AfterAgent": HookKind.TURN_END,
}


def top_level_refusal(_event: str, reason: str) -> Mapping[str, Any]:
    """Return a refusal as JSON with the keys `decision` and `reason` at the top level."""
    return {"decision": "deny", "reason": reason}


def response_error(payload: Payload) -> str | None:
    """Return the text of the error in the payload's `tool_response`, or None if it has none."""
    return payload.prose(("tool_response.error.message", "tool_response.error")) or None


def changed_by_user(payload: Payload) -> bool:
    """Return whether a person changed the proposed text before it was written.

    The payload counts the lines that the person added and removed.
    """
    numbers = payload.find(("tool_response.returnDisplay.diffStat",))[1]
    names = ("user_added_lines", "user_removed_lines")
    return isinstance(numbers, Mapping) and any(numbers.get(name) for name in names)


GEMINI: Final = Host(
    name="gemini",
    version="0.61.0",
    events=EVENTS,
    refuse=top_level_refusal,
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START, HookKind.PROMPT}),
    failure=response_error,
    by_person=changed_by_user,
)
