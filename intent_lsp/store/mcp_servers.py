"""Finds the names under which agent hosts have registered our MCP server, by its command.

Invariant: only registrations in a root and in the user's home directory count.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.registrations.agent_hosts import HOSTS
from intent_lsp.formats.registrations.jsonc import UnreadableText, parse_jsonc
from intent_lsp.formats.registrations.registration import MODULE, PROGRAM
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
_TABLES: Final = ("mcpServers", "mcp_servers", "servers", "mcp", "context_servers")
_COMMAND: Final = "mcp"


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
            names.update(_names_in(text, toml=place.suffix == ".toml"))
    return frozenset(names)


def _names_in(text: str, *, toml: bool) -> Iterator[str]:
    """Yield the names of those servers in a registration file that run `intent-lsp mcp`.

    There are none if the text cannot be parsed. `toml`: the text is TOML, else JSON.
    """
    try:
        value = tomllib.loads(text) if toml else _json(text)
    except (ValueError, RecursionError):
        return
    tables = [value.get(table) for table in _TABLES] if isinstance(value, Mapping) else []
    for servers in tables:
        for name, server in servers.items() if isinstance(servers, Mapping) else ():
            if isinstance(server, Mapping) and _is_ours(server):
                yield name


def _is_ours(server: Mapping[str, Any]) -> bool:
    """Return whether a registered server's command is `intent-lsp mcp`, in any host's form.

    `python -m intent_lsp mcp` counts too.
    """
    words: list[str] = []
    for key in ("command", "args"):
        given = server.get(key)
        if isinstance(given, str):
            words.append(given)
        elif isinstance(given, Sequence):
            words += [word for word in given if isinstance(word, str)]
    program = words[0].replace("\\", "/").rpartition("/")[2] if words else ""
    if program.startswith("python") and words[1:3] == ["-m", MODULE]:
        return words[3:4] == [_COMMAND]
    return program in {PROGRAM, f"{PROGRAM}.exe"} and words[1:2] == [_COMMAND]


def _json(text: str) -> object:
    """Return the value of JSON that may have comments, or None if it is not valid."""
    try:
        # Large files, as a host's state in the home directory, mostly have no comments.
        return json.loads(text)
    except ValueError:
        parsed = parse_jsonc(text)
        return None if isinstance(parsed, UnreadableText) else parsed.value
