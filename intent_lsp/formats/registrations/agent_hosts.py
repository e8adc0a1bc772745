"""All known agent hosts, in the order in which they are shown."""

from typing import Final

from intent_lsp.formats.registrations import documented_hosts as documented
from intent_lsp.formats.registrations import observed_hosts as observed
from intent_lsp.formats.registrations.agent_host import AgentHost

HOSTS: Final[tuple[AgentHost, ...]] = (
    observed.CLAUDE,
    observed.CODEX,
    observed.COPILOT,
    documented.VSCODE,
    observed.GEMINI,
    documented.ANTIGRAVITY,
    observed.QWEN,
    observed.KIMI,
    observed.CLINE,
    documented.CURSOR,
    documented.WINDSURF,
    documented.KIRO,
    documented.GROK,
    observed.OPENCODE,
)
"""Every known host."""

HOST_NAMES: Final = tuple(host.name for host in HOSTS)
"""The names by which a person chooses hosts."""
