"""Registrations in JSON files: our entries found, compared, added, corrected and removed.

Invariant: an entry that is right is not touched, and a new one stands after all others.
"""

from collections.abc import Iterator

from msgspec import Struct

from intent_lsp.formats.registrations.json_edit import (
    Edited,
    JsonPath,
    new_json,
    value_at,
    value_with,
    with_value,
    without,
)
from intent_lsp.formats.registrations.json_entry import (
    HANDLERS,
    MATCHER,
    SettingsEntry,
    calls,
    covers,
    handler_of,
    handlers_of,
    is_alone,
    is_right,
    matches_all,
    same_trigger,
)
from intent_lsp.formats.registrations.jsonc import JsonNode, JsonValue, UnreadableText, parse_jsonc
from intent_lsp.formats.registrations.registration import EditedText, State


class JsonRegistration(Struct, frozen=True, kw_only=True):
    """Our entries for one host in a JSON file.

    `host` is the host's name in `intent-lsp hook NAME`. `container` is the path of the value that
    holds the hooks of all events or, for an MCP server, the path of the server's entry. `top` are
    members that the file must have besides, such as a version. `own`: the file is for our entries
    alone.
    """

    host: str
    entries: tuple[SettingsEntry, ...]
    container: JsonPath
    top: tuple[tuple[str, JsonValue], ...] = ()
    own: bool = False

    def state(self, text: str | None) -> State | UnreadableText:
        """Return how far a file holds the entries. `text` is its text, or None for no file.

        MISSING: none of our entries is in its place, or the file is blank. DIFFERS: an entry or a
        member of `top` is missing or wrong. Return UnreadableText if the text is not JSON.
        """
        tree = parse_jsonc(text) if text and text.strip() else None
        if tree is None or isinstance(tree, UnreadableText):
            return tree or State.MISSING
        found = [self._found(tree, entry) for entry in self.entries]
        if not any(found):
            return State.MISSING
        topped = isinstance(tree.value, dict) and tree.value | dict(self.top) == tree.value
        right = all(
            any(is_right(value_at(tree, path), entry, self.host) for path in paths)
            for entry, paths in zip(self.entries, found, strict=True)
        )
        return State.REGISTERED if topped and right else State.DIFFERS

    def installed(self, text: str | None) -> EditedText:
        """Return the file's text with all entries, each of them right, and the members of `top`.

        `text` is None for no file. Return UnreadableText if the text cannot be edited.
        """
        if not text or not text.strip():
            return (text or "") + self._new()
        made: Edited = text
        for key, value in self.top:
            made = _then(made, (key,), value)
        for entry in self.entries:
            made = made if isinstance(made, UnreadableText) else self._with(made, entry)
        return made

    def uninstalled(self, text: str | None) -> EditedText:
        """Return the text without any entry of ours, or None, for no file, if that leaves nothing.

        The members of `top` stay. But if they are all that is left in a file for our entries alone
        (`own`), return None. Also return None for the text that `installed` gives to a new file. A
        text of white space is returned unchanged. Return UnreadableText if the text cannot be
        edited.
        """
        if not text or not text.strip():
            return text
        if text == self._new():
            return None
        made: EditedText = text
        while isinstance(made, str):
            tree = parse_jsonc(made)
            if isinstance(tree, UnreadableText):
                return tree
            path = next(reversed(list(self._ours(tree))), None)
            if path is None:
                break
            made = without(made, path)
        return None if isinstance(made, str) and self._is_left_over(made) else made

    def _new(self) -> str:
        """Return the text of a new file that holds only our entries and the members of `top`."""
        value: JsonValue = dict(self.top)
        for entry in self.entries:
            value = value_with(value, entry.new_path, entry.value)
        return new_json(value)

    def _is_left_over(self, text: str) -> bool:
        tree = parse_jsonc(text)
        return self.own and isinstance(tree, JsonNode) and tree.value == dict(self.top)

    def _with(self, text: str, entry: SettingsEntry) -> Edited:
        """Return the text with an entry: added, corrected, or unchanged if it is right."""
        tree = parse_jsonc(text)
        if isinstance(tree, UnreadableText):
            return tree
        paths = self._found(tree, entry)
        if any(is_right(value_at(tree, path), entry, self.host) for path in paths):
            return text
        if not paths:
            return with_value(text, entry.new_path, entry.value)
        node = value_at(tree, paths[0])
        place = None if node is None else handler_of(node.value, self.host)
        if node is None or place is None or handlers_of(entry.value) is None:
            return _amended(text, paths[0], entry.value)
        return self._with_handler(text, (*paths[0], HANDLERS, place), node.value, entry)

    def _with_handler(
        self, text: str, ours: JsonPath, group: JsonValue, entry: SettingsEntry
    ) -> Edited:
        """Return the text in which our handler at the path `ours` is right.

        `group` is the matcher group that has the handler. If other handlers share the group, and it
        does not match every tool, our handler gets a new group of its own.
        """
        wanted = entry.members
        if not matches_all(group) and not is_alone(group):
            # Others share the matcher, which is too narrow for us.
            rest = without(text, ours)
            if isinstance(rest, UnreadableText):
                return rest
            return with_value(rest or "", entry.new_path, entry.value)
        made: EditedText = text
        if not matches_all(group):
            at = (*ours[:-2], MATCHER)
            made = _then(text, at, wanted[MATCHER]) if MATCHER in wanted else without(text, at)
        return _amended(made, ours, (handlers_of(wanted) or [{}])[0])

    def _found(self, tree: JsonNode, entry: SettingsEntry) -> list[JsonPath]:
        """Return the paths of our entries in the place of `entry`; none if there is no such entry.

        For an item, these are the items of the array at `entry.path` that call our hook and have
        the entry's event. For a member, it is `entry.path`.
        """
        node = value_at(tree, entry.path)
        if node is None:
            return []
        if not entry.item:
            return [entry.path]
        return [
            (*entry.path, at)
            for at, part in enumerate(node.parts)
            if self._is_ours(part.node.value) and same_trigger(part.node.value, entry)
        ]

    def _ours(self, tree: JsonNode) -> Iterator[JsonPath]:
        """Yield the path of each entry of ours, or of our handler alone if others share its group.

        Entries on events for which we register nothing now are found, too.
        """
        for entry in self.entries:
            if not entry.item and value_at(tree, entry.path) is not None:
                yield entry.path
        container = value_at(tree, self.container)
        if container is None:
            return
        arrays = [self.container]
        if isinstance(container.value, dict):
            arrays = [(*self.container, part.key or "") for part in container.parts]
        for path in arrays:
            node = value_at(tree, path)
            for at, part in enumerate(() if node is None else node.parts):
                if part.key is None and self._is_ours(part.node.value):
                    place = handler_of(part.node.value, self.host)
                    shared = place is not None and not is_alone(part.node.value)
                    yield (*path, at, HANDLERS, place or 0) if shared else (*path, at)

    def _is_ours(self, value: JsonValue) -> bool:
        return calls(value, self.host) or handler_of(value, self.host) is not None


def _then(text: Edited, path: JsonPath, value: JsonValue) -> Edited:
    """Return the text with `value` at `path`, unchanged if `covers` accepts what stands there.

    UnreadableText is returned unchanged.
    """
    if isinstance(text, UnreadableText):
        return text
    tree = parse_jsonc(text)
    if isinstance(tree, UnreadableText):
        return tree
    node = value_at(tree, path)
    kept = node is not None and covers(node.value, value, str(path[-1]))
    return text if kept else with_value(text, path, value)


def _amended(text: EditedText, path: JsonPath, value: JsonValue) -> Edited:
    """Return the text in which the value at `path` has at least the members of `value`.

    If `value` is not an object, the value at `path` becomes `value`. If `text` is None or
    UnreadableText, return UnreadableText.
    """
    if not isinstance(text, str):
        return text or UnreadableText(problem="the file does not have the entry of intent-lsp")
    if not isinstance(value, dict):
        return _then(text, path, value)
    made: Edited = text
    tree = parse_jsonc(text)
    for key, each in value.items():
        node = value_at(tree, (*path, key)) if isinstance(tree, JsonNode) else None
        nested = node is not None and isinstance(node.value, dict)
        step = _amended if nested else _then
        made = step(made, (*path, key), each)
    return made
