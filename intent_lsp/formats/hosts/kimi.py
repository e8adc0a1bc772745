"""Kimi Code: the tool names of Claude Code, where the argument `path` names a file.

Payloads recorded with version 2.1.0. The event after a call may come after the next call's, or not
at all.
"""

from typing import Final

from intent_lsp.formats.hosts.host import Fields, Host

KIMI: Final = Host(
    name="kimi",
    version="2.1.0",
    fields=Fields(call_id=("tool_call_id",), error=("error.message", "error")),
    told_at=frozenset(),
)
