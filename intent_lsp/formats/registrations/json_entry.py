"""Entries of ours in JSON settings: how they are known, and whether they are right."""

import shlex
from dataclasses import dataclass
from typing import Final

from intent_lsp.formats.registrations.json_edit import JsonPath
from intent_lsp.formats.registrations.jsonc import JsonNode, JsonValue
from intent_lsp.formats.registrations.registration import calls_hook

HANDLERS: Final = "hooks"
"""The key of the handlers in a matcher group."""
MATCHER: Final = "matcher"
"""The key of the tools that a matcher group is about."""
_EVERYTHING: Final = (None, "", "*", ".*")
_COMMANDS: Final = ("command", "bash")
_LIMITS: Final = ("timeout", "timeoutSec")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """One entry of ours.

    `path` leads to the array that it is an item of, or to the entry itself if it is a member.
    `trigger` is the key whose value tells apart entries of several events in one array, or None.
    """

    path: JsonPath
    value: JsonValue
    item: bool = True
    trigger: str | None = None


def is_right(node: JsonNode | None, entry: JsonEntry, host: str) -> bool:
    """Whether a found value holds all that an entry asks for. More members are permitted."""
    if node is None or not is_group(entry.value):
        return node is not None and covers(node.value, entry.value, "")
    found, wanted = node.value, entry.value
    place = handler_of(found, host)
    if not isinstance(found, dict) or not isinstance(wanted, dict) or place is None:
        return False
    handlers, ours = found[HANDLERS], wanted[HANDLERS]
    return (
        isinstance(handlers, list)
        and isinstance(ours, list)
        and matches_all(found)
        and covers(handlers[place], ours[0], "")
    )


def covers(found: JsonValue, wanted: JsonValue, key: str) -> bool:
    """Whether a found value has all that is wanted. A longer time limit is right, too."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            name in found and covers(found[name], each, name) for name, each in wanted.items()
        )
    if key in _LIMITS and isinstance(found, int | float) and isinstance(wanted, int):
        return not isinstance(found, bool) and found >= wanted
    if key == MATCHER:
        return found in _EVERYTHING
    return type(found) is type(wanted) and found == wanted


def matches_all(group: dict[str, JsonValue]) -> bool:
    """Whether a matcher group is about every tool."""
    return group.get(MATCHER) in _EVERYTHING


def is_group(value: JsonValue) -> bool:
    """Whether a value is a matcher with its handlers."""
    return isinstance(value, dict) and isinstance(value.get(HANDLERS), list)


def is_alone(value: JsonValue) -> bool:
    """Whether a matcher group has one handler."""
    handlers = value.get(HANDLERS) if isinstance(value, dict) else None
    return isinstance(handlers, list) and len(handlers) == 1


def handler_of(value: JsonValue, host: str) -> int | None:
    """Return the index of the handler of ours in a matcher group, or None."""
    handlers = value.get(HANDLERS) if isinstance(value, dict) else None
    if not isinstance(handlers, list):
        return None
    return next((at for at, each in enumerate(handlers) if calls(each, host)), None)


def calls(value: JsonValue, host: str) -> bool:
    """Whether a value has a command that calls a host's hook of ours, itself or in its `action`."""
    if not isinstance(value, dict):
        return False
    commands = [value.get(key) for key in _COMMANDS]
    return any(
        isinstance(each, str) and calls_hook(_words(each), host) for each in commands
    ) or calls(value.get("action"), host)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def same_trigger(value: JsonValue, entry: JsonEntry) -> bool:
    """Whether a found value is about the event of an entry."""
    if entry.trigger is None:
        return True
    wanted = entry.value if isinstance(entry.value, dict) else {}
    return isinstance(value, dict) and value.get(entry.trigger) == wanted.get(entry.trigger)
