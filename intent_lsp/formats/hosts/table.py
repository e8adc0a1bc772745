"""The table of agent hosts, by the name that follows `intent-lsp hook`."""

from collections.abc import Mapping
from typing import Final

from intent_lsp.formats.hosts import documented, observed
from intent_lsp.formats.hosts.host import Host

HOSTS: Final[Mapping[str, Host]] = {
    host.name: host
    for host in (
        *(observed.CLAUDE, observed.CODEX, observed.COPILOT, documented.VSCODE, observed.GEMINI),
        *(documented.ANTIGRAVITY, observed.QWEN, observed.KIMI, observed.CLINE),
        *(documented.CURSOR, documented.WINDSURF, documented.KIRO, documented.GROK),
        *(observed.OPENCODE, documented.GENERIC),
    )
}
