"""The table of agent hosts, by the name that follows `intent-lsp hook`."""

from collections.abc import Mapping
from typing import Final

from intent_lsp.formats.hosts.claude import CLAUDE
from intent_lsp.formats.hosts.cline import CLINE
from intent_lsp.formats.hosts.codex import CODEX
from intent_lsp.formats.hosts.copilot import COPILOT
from intent_lsp.formats.hosts.documented import (
    ANTIGRAVITY,
    CURSOR,
    GROK,
    KIRO,
    VSCODE,
    WINDSURF,
)
from intent_lsp.formats.hosts.gemini import GEMINI
from intent_lsp.formats.hosts.generic import GENERIC
from intent_lsp.formats.hosts.host import Host
from intent_lsp.formats.hosts.kimi import KIMI
from intent_lsp.formats.hosts.opencode import OPENCODE
from intent_lsp.formats.hosts.qwen import QWEN

HOSTS: Final[Mapping[str, Host]] = {
    host.name: host
    for host in (
        *(CLAUDE, CODEX, COPILOT, VSCODE, GEMINI, ANTIGRAVITY, QWEN, KIMI, CLINE, CURSOR),
        *(WINDSURF, KIRO, GROK, OPENCODE, GENERIC),
    )
}
