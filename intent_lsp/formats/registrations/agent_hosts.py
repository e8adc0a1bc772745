"""All known agent hosts, in the order in which they are shown."""

from typing import Final

from intent_lsp.formats.registrations.agent_host import AgentHost
from intent_lsp.formats.registrations.documented_hosts import (
    ANTIGRAVITY,
    CURSOR,
    GROK,
    KIRO,
    VSCODE,
    WINDSURF,
)
from intent_lsp.formats.registrations.observed_hosts import (
    CLAUDE,
    CLINE,
    CODEX,
    COPILOT,
    GEMINI,
    KIMI,
    OPENCODE,
    QWEN,
)

HOSTS: Final[tuple[AgentHost, ...]] = (
    CLAUDE,
    CODEX,
    COPILOT,
    VSCODE,
    GEMINI,
    ANTIGRAVITY,
    QWEN,
    KIMI,
    CLINE,
    CURSOR,
    WINDSURF,
    KIRO,
    GROK,
    OPENCODE,
)
"""Every known host."""

HOST_NAMES: Final = tuple(host.name for host in HOSTS)
"""The names by which a person chooses hosts."""
