"""MCP servers that agent hosts have registered: which of them are our own, by their command."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from intent_lsp.formats.registrations.jsonc import UnreadableText, parse_jsonc

_TABLES: Final = ("mcpServers", "mcp_servers", "servers", "mcp", "context_servers")
_PROGRAM: Final = "intent-lsp"
_COMMAND: Final = "mcp"


def own_server_names(text: str, *, toml: bool) -> frozenset[str]:
    """Return the names of the servers in a registration file that run `intent-lsp mcp`.

    The result is empty if the text cannot be parsed. `toml`: the text is TOML, else JSON.
    """
    try:
        value = tomllib.loads(text) if toml else _json(text)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(_own(value)) if isinstance(value, Mapping) else frozenset()


def _own(value: Mapping[str, Any]) -> Iterator[str]:
    for table in _TABLES:
        servers = value.get(table)
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
    if program.startswith("python") and words[1:3] == ["-m", "intent_lsp"]:
        return words[3:4] == [_COMMAND]
    return program in {_PROGRAM, f"{_PROGRAM}.exe"} and words[1:2] == [_COMMAND]


def _json(text: str) -> object:
    """Return the value of JSON that may have comments, or None if it is not valid."""
    try:
        # Large files, as a host's state in the home directory, mostly have no comments.
        return json.loads(text)
    except ValueError:
        parsed = parse_jsonc(text)
        return None if isinstance(parsed, UnreadableText) else parsed.value
