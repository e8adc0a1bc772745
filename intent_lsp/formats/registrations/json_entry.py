"""Our entries in the settings of agent hosts: what they must hold, and how they are recognised."""

from typing import Final

from msgspec import Struct

from intent_lsp.formats.registrations.json_edit import BEHIND, JsonPath
from intent_lsp.formats.registrations.jsonc import JsonNode, JsonValue
from intent_lsp.formats.registrations.registration import calls_hook

HANDLERS: Final = "hooks"
"""The key of the handlers in a matcher group."""
MATCHER: Final = "matcher"
"""The key of the tools that a matcher group is about."""
COMMANDS: Final = ("command", "bash")
"""The keys under which a handler may have its command."""
_EVERYTHING: Final = (None, "", "*", ".*")
_LIMITS: Final = ("timeout", "timeoutSec")


class SettingsEntry(Struct, frozen=True, kw_only=True):
    """An entry of ours in a JSON or TOML file, and the `value` that it must have.

    `item`: it is an item of the array to which `path` leads; otherwise it is the member to which
    `path` leads. `trigger` is the key that names an entry's event, if one array has the entries of
    several events, else None.
    """

    path: JsonPath
    value: JsonValue
    item: bool = True
    trigger: str | None = None

    @property
    def members(self) -> dict[str, JsonValue]:
        """The members that the value must have; none for a value that is no object."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def new_path(self) -> JsonPath:
        """The path at which the entry is added. An item is added behind all others of its array."""
        return (*self.path, BEHIND) if self.item else self.path


def is_right(node: JsonNode | None, entry: SettingsEntry, host: str) -> bool:
    """Return whether a found value holds all that `entry` asks for. False for None.

    More members and a longer time limit are permitted. Of a matcher group, the first handler that
    calls our hook for `host` is compared, and the group must match every tool.
    """
    wanted = handlers_of(entry.value)
    if node is None or wanted is None:
        return node is not None and covers(node.value, entry.value, "")
    handlers, place = handlers_of(node.value), handler_of(node.value, host)
    if handlers is None or place is None:
        return False
    return matches_all(node.value) and covers(handlers[place], wanted[0], "")


def covers(found: JsonValue, wanted: JsonValue, key: str) -> bool:
    """Return whether `found` has everything that `wanted` has; `found` may have more members.

    `key` is the key of both values, or "" if they have none; it says whether they are time limits
    or matchers. A longer time limit is accepted, and so is a matcher such as `*` that matches every
    tool. Arrays have to be equal.
    """
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            name in found and covers(found[name], each, name) for name, each in wanted.items()
        )
    if key in _LIMITS and isinstance(found, int | float) and isinstance(wanted, int):
        return not isinstance(found, bool) and found >= wanted
    if key == MATCHER:
        return found in _EVERYTHING
    return type(found) is type(wanted) and found == wanted


def matches_all(group: JsonValue) -> bool:
    """Return whether a matcher group applies to every tool, as one without a matcher does."""
    return isinstance(group, dict) and group.get(MATCHER) in _EVERYTHING


def handlers_of(value: JsonValue) -> "list[JsonValue] | None":
    """Return the handlers of a matcher group, or None for a value that is no matcher group."""
    handlers = value.get(HANDLERS) if isinstance(value, dict) else None
    return handlers if isinstance(handlers, list) else None


def is_alone(value: JsonValue) -> bool:
    """Return whether a value is a matcher group with exactly one handler."""
    return len(handlers_of(value) or ()) == 1


def handler_of(value: JsonValue, host: str) -> int | None:
    """Return the index of the first handler in a matcher group that calls our hook for `host`.

    Return None if there is no such handler, or the value is no matcher group.
    """
    handlers = handlers_of(value) or ()
    return next((at for at, each in enumerate(handlers) if calls(each, host)), None)


def calls(value: JsonValue, host: str) -> bool:
    """Return whether a value has a command, of its own or in its `action`, that calls our hook.

    The command must call it for the host `host`. False for a value that is not an object.
    """
    if not isinstance(value, dict):
        return False
    ours = any(calls_hook(value.get(key), host) for key in COMMANDS)
    return ours or calls(value.get("action"), host)


def same_trigger(value: JsonValue, entry: SettingsEntry) -> bool:
    """Return whether a found value names the same event as `entry`.

    True also if `entry.trigger` is None.
    """
    if entry.trigger is None:
        return True
    wanted = entry.members.get(entry.trigger)
    return isinstance(value, dict) and value.get(entry.trigger) == wanted
