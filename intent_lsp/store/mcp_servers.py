"""Finds the names under which agent hosts have registered our MCP server, on disk.

Invariant: only registrations in a root and in the user's home directory count.
"""

from pathlib import Path
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.mcp_servers import own_server_names
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.store.agent_hosts import home_directory
from intent_lsp.store.fs import files

_REGISTERED: Final = tuple(path for host in HOSTS if host.mcp for path in host.mcp.paths)
_IN_ROOT: Final = (
    *_REGISTERED,
    *(".claude/settings.json", ".copilot/mcp-config.json", ".agents/mcp.json"),
)
_IN_HOME: Final = (
    *(".claude.json", ".codex/config.toml", ".gemini/settings.json", ".qwen/settings.json"),
    *(".cursor/mcp.json", ".config/opencode/opencode.json", ".copilot/mcp-config.json"),
    *(".kimi-code/config.toml", ".kimi-code/mcp.json", ".kiro/settings/mcp.json"),
    *(".codeium/windsurf/mcp_config.json", ".cline/data/settings/cline_mcp_settings.json"),
)
_LARGEST: Final = 16 * 1024 * 1024


def own_servers(root: Path) -> frozenset[str]:
    """Return the names under which agent hosts have registered our MCP server.

    The registrations are in known files of `root` and of the user's home directory. A file that is
    missing, unreadable or larger than 16 MiB is skipped.
    """
    home = home_directory()
    places = (*(root / name for name in _IN_ROOT), *(home / name for name in _IN_HOME))
    names: set[str] = set()
    for place in dict.fromkeys(places):
        try:
            data = files.read_bytes(place, _LARGEST)
        except (OSError, IntentLspError):
            continue
        if data is not None:
            text = data.decode("utf-8", "replace")
            names |= own_server_names(text, toml=place.suffix == ".toml")
    return frozenset(names)
