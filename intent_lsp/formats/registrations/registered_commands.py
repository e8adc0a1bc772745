"""The commands in a host's settings that call our hook, right or not, each with its event."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from intent_lsp.formats.registrations.agent_host import AgentHost, HookShape
from intent_lsp.formats.registrations.host_registrations import hook_command
from intent_lsp.formats.registrations.json_entry import COMMANDS, HANDLERS
from intent_lsp.formats.registrations.jsonc import JsonNode, JsonValue, UnreadableText, parse_jsonc
from intent_lsp.formats.registrations.registration import calls_hook, module_calls_hook
from intent_lsp.formats.registrations.toml_registration import parse_toml

_IN_MILLISECONDS: Final = 1000
"""A host whose limit is this or more counts in milliseconds."""


class RegisteredCommand(Struct, frozen=True, kw_only=True):
    """A command in a host's settings that calls our hook, and the event on which it runs.

    `seconds` is its time limit, or None if the entry has no valid one. `at` is the index of the
    entry or matcher group in its array, and the index of the handler in the group (0 without
    groups). `enabled` is False if the entry has `"enabled": false`.
    """

    event: str
    command: str
    seconds: float | None = None
    at: tuple[int, int] = (0, 0)
    enabled: bool = True


def registered_commands(
    host: AgentHost, text: str, path: str
) -> tuple[RegisteredCommand, ...] | UnreadableText:
    """Return the commands in a settings file that call our hook, or why the file cannot be read.

    `text` is the file's text. `path` is the file, relative to the directory where the host runs its
    hooks. If the file is a script, its name is the event, and the command runs the script. If the
    file is a plug-in, the event is the one before a call.
    """
    hooks = host.hooks
    match hooks.shape:
        case HookShape.SCRIPTS:
            event = path.rpartition("/")[2]
            ours = any(calls_hook(line, host.hook) for line in text.splitlines())
            found = RegisteredCommand(event=event, command=shlex.quote(f"./{path}"))
            return (found,) if ours else ()
        case HookShape.PLUGIN:
            if not module_calls_hook(text, host.hook):
                return ()
            return (RegisteredCommand(event=hooks.gate, command=hook_command(host, "")),)
        case HookShape.TABLES:
            tree: object = parse_toml(text)
        case HookShape.GROUPS | HookShape.FLAT | HookShape.TRIGGERS:
            tree = _json(text)
    if isinstance(tree, UnreadableText):
        return tree
    container = tree.get(hooks.container) if isinstance(tree, Mapping) else None
    return tuple(_commands(host, container))


def hooks_switched_off(text: str) -> bool | None:
    """Return the boolean `disableAllHooks` of a JSON settings file.

    Return None if the file has no such boolean or cannot be read.
    """
    tree = _json(text)
    said = tree.get("disableAllHooks") if isinstance(tree, Mapping) else None
    return said if isinstance(said, bool) else None


def _json(text: str) -> "JsonValue | UnreadableText":
    """Return the value of JSON text, None for white space, or why the text cannot be parsed."""
    parsed = parse_jsonc(text) if text.strip() else None
    return parsed.value if isinstance(parsed, JsonNode) else parsed


def _commands(host: AgentHost, container: object) -> Iterator[RegisteredCommand]:
    if isinstance(container, list):
        for at, entry in enumerate(container):
            named = (entry.get("event"), entry.get("trigger")) if isinstance(entry, Mapping) else ()
            event = next((name for name in named if isinstance(name, str)), "")
            yield from _handler(host, entry, event, (at, 0))
    elif isinstance(container, Mapping):
        for event, entries in container.items():
            for at, entry in enumerate(entries if isinstance(entries, list) else ()):
                handlers = entry.get(HANDLERS) if isinstance(entry, Mapping) else None
                if isinstance(handlers, list):
                    for place, handler in enumerate(handlers):
                        yield from _handler(host, handler, str(event), (at, place))
                else:
                    yield from _handler(host, entry, str(event), (at, 0))


def _handler(
    host: AgentHost, entry: object, event: str, at: tuple[int, int]
) -> Iterator[RegisteredCommand]:
    if not isinstance(entry, Mapping):
        return
    inner = entry.get("action")
    holders = (entry, inner) if isinstance(inner, Mapping) else (entry,)
    for command in (each.get(key) for each in holders for key in COMMANDS):
        if isinstance(command, str) and calls_hook(command, host.hook):
            yield RegisteredCommand(
                event=event,
                command=command,
                seconds=_limit(host, entry),
                at=at,
                enabled=entry.get("enabled") is not False,
            )


def _limit(host: AgentHost, entry: Mapping[str, Any]) -> float | None:
    key, usual = host.hooks.limit or ("timeout", 0)
    said = entry.get(key)
    if isinstance(said, bool) or not isinstance(said, int | float) or said <= 0:
        return None
    return said / 1000 if max(usual, said) >= _IN_MILLISECONDS else float(said)
