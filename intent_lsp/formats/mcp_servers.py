"""MCP servers that agent hosts have registered: which of them are our own, by their command."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_TABLES: Final = ("mcpServers", "mcp_servers", "servers", "mcp", "context_servers")
_PROGRAM: Final = "intent-lsp"
_COMMAND: Final = "mcp"


def own_server_names(text: str, *, toml: bool) -> frozenset[str]:
    """Return the names under which a registration file runs `intent-lsp mcp`.

    Return none for a text that cannot be parsed. `toml`: the text is TOML, else JSON.
    """
    try:
        value = tomllib.loads(text) if toml else json.loads(_without_comments(text))
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
    """Whether a registered server's command is `intent-lsp mcp`, given in any host's form."""
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


def _without_comments(text: str) -> str:
    """Return JSON without comments and without commas before a closing bracket."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = _string_end(text, at)
            out.append(text[at:end])
            at = end
        elif text.startswith("//", at):
            at = _found(text, "\n", at)
        elif text.startswith("/*", at):
            at = _found(text, "*/", at) + 2
        else:
            if text[at] in "}]":
                _drop_comma(out)
            out.append(text[at])
            at += 1
    return "".join(out)


def _drop_comma(out: list[str]) -> None:
    """Remove from `out`, the pieces of a JSON text, a last comma with only white space after it."""
    last = len(out) - 1
    while last >= 0 and out[last].isspace():
        last -= 1
    if last >= 0 and out[last] == ",":
        out[last] = ""


def _string_end(text: str, at: int) -> int:
    end = at + 1
    while end < len(text) and text[end] != '"':
        end += 2 if text[end] == "\\" else 1
    return end + 1


def _found(text: str, what: str, at: int) -> int:
    found = text.find(what, at)
    return len(text) if found < 0 else found
