"""VS Code's agent mode: the events of Claude Code, with fields in either spelling.

Known from its documentation, not from recorded payloads.
"""

from typing import Final

from intent_lsp.core.agents.hook_event import HookKind
from intent_lsp.formats.hosts.host import Host

VSCODE: Final = Host(
    name="vscode",
    told_at=frozenset(
        {HookKind.BEFORE_TOOL, HookKind.AFTER_TOOL, HookKind.SESSION_START, HookKind.PROMPT}
    ),
)
