"""Qwen Code: the events of Claude Code with the tools of Gemini CLI.

Payloads recorded with version 0.24.4. A prompt event with an empty prompt follows each batch of
tools.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.gemini import changed_by_user, response_error
from intent_lsp.formats.hosts.host import Fields, Host

QWEN: Final = Host(
    name="qwen",
    version="0.24.4",
    # `tool_use_id` is another one in the event after a batch of tools.
    fields=Fields(call_id=("tool_call_id", "tool_use_id")),
    told_at=frozenset({HookKind.AFTER_TOOL, HookKind.SESSION_START, HookKind.PROMPT}),
    failure=response_error,
    by_person=changed_by_user,
)
