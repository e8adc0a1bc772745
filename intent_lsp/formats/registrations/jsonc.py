"""Parses JSON with comments and trailing commas into nodes with their offsets in the text.

Invariant: a text that is not valid gives `UnreadableText`, which names the place.
"""

import json
import re
from typing import Final, NoReturn, TypeAlias

from msgspec import Struct

from intent_lsp.formats.text_positions import TextPositions

DEEPEST: Final = 100
"""The most objects and arrays that may be around a value."""

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
"""A value of JSON, as the standard library has it."""

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b")


class UnreadableText(Struct, frozen=True, kw_only=True):
    """Why a text cannot be read or edited, as a clause for a message.

    `line` and `column` count from 1. They are None if no place is known.
    """

    problem: str
    line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str:
        """The place as text that is appended to a path, such as `:3:7`; "" if no place is known."""
        return "" if self.line is None else f":{self.line}:{self.column or 1}"


def unreadable_at(text: str, offset: int, problem: str) -> UnreadableText:
    """Return why a text cannot be read or edited, with the place at an offset."""
    place = TextPositions(text).position(offset)
    return UnreadableText(problem=problem, line=place.line + 1, column=place.character + 1)


class JsonPart(Struct, frozen=True, kw_only=True):
    """A member of an object, with its `key`, or an item of an array, whose `key` is None.

    `start` is the offset of a member's key, or of an item. `node` is the value.
    """

    start: int
    node: "JsonNode"
    key: str | None = None

    @property
    def end(self) -> int:
        """The offset after the value."""
        return self.node.end


class JsonNode(Struct, frozen=True, kw_only=True):
    """A value of a JSON text and its offsets.

    `parts` are the members of an object or the items of an array, in order; empty for other values.
    """

    start: int
    end: int
    value: JsonValue
    parts: tuple[JsonPart, ...] = ()

    def at(self, step: str | int) -> JsonPart | None:
        """Return the member with the key `step`, or the item with that index, or None without one.

        Of several members with one key, the last counts, as it does for other JSON parsers.
        """
        if isinstance(step, str):
            found = [part for part in self.parts if part.key == step]
            return found[-1] if isinstance(self.value, dict) and found else None
        return self.parts[step] if isinstance(self.value, list) and step < len(self.parts) else None


def parse_jsonc(text: str) -> JsonNode | UnreadableText:
    """Parse JSON text. Comments, and a comma after the last member or item, are permitted.

    Return UnreadableText if the text is not valid, or has a value in more than DEEPEST objects and
    arrays.
    """
    reader = _Reader(text)
    try:
        start = reader.space(0)
        node = reader.value(start, 0)
        after = reader.space(node.end)
        if after < len(text):
            reader.refuse(after, "nothing more is expected here")
    except _NotJsonError as error:
        return unreadable_at(text, error.at, error.problem)
    return node


class _NotJsonError(Exception):
    """The text is not JSON at the offset `at`. `parse_jsonc` catches it."""

    def __init__(self, at: int, problem: str) -> None:
        super().__init__(problem)
        self.at, self.problem = at, problem


class _Reader(Struct, frozen=True):
    text: str

    def refuse(self, at: int, problem: str) -> NoReturn:
        raise _NotJsonError(at, problem)

    def space(self, at: int) -> int:
        """Return the offset after the white space and comments at `at`.

        Raise _NotJsonError for a comment without an end.
        """
        found = _SPACE.match(self.text, at)
        after = at if found is None else found.end()
        if self.text.startswith("/*", after):
            self.refuse(after, "this comment has no end")
        return after

    def value(self, at: int, depth: int) -> JsonNode:
        if depth > DEEPEST:
            self.refuse(at, f"more than {DEEPEST} levels are nested here")
        opening = self.text[at : at + 1]
        if opening in ("{", "["):
            return self._container(at, depth)
        if opening == '"':
            end, value = self._string(at)
            return JsonNode(start=at, end=end, value=value)
        found = _SCALAR.match(self.text, at)
        if found is None:
            self.refuse(at, "a value is expected here")
        try:
            return JsonNode(start=at, end=found.end(), value=json.loads(found.group()))
        except ValueError:
            self.refuse(at, "this number has too many digits")

    def _string(self, at: int) -> tuple[int, str]:
        found = _STRING.match(self.text, at)
        if found is None:
            self.refuse(at, "a text in double quotes is expected here")
        try:
            return found.end(), json.loads(found.group())
        except ValueError:
            self.refuse(at, "this text has an escape that JSON does not know")

    def _container(self, at: int, depth: int) -> JsonNode:
        keyed = self.text[at] == "{"
        closing = "}" if keyed else "]"
        parts: list[JsonPart] = []
        here = self.space(at + 1)
        while not self.text.startswith(closing, here):
            start, key = here, None
            if keyed:
                after, key = self._string(here)
                colon = self.space(after)
                if not self.text.startswith(":", colon):
                    self.refuse(colon, "a colon is expected here")
                here = self.space(colon + 1)
            node = self.value(here, depth + 1)
            parts.append(JsonPart(start=start, node=node, key=key))
            here = self._after_part(node.end, closing)
        value: JsonValue = [part.node.value for part in parts]
        if keyed:
            value = {part.key or "": part.node.value for part in parts}
        return JsonNode(start=at, end=here + 1, value=value, parts=tuple(parts))

    def _after_part(self, end: int, closing: str) -> int:
        """Return the offset of the next part, or of the bracket `closing` if there is none.

        `end` is the offset of the end of the part before. Raise _NotJsonError if neither a comma
        nor `closing` follows it.
        """
        here = self.space(end)
        if self.text.startswith(",", here):
            return self.space(here + 1)
        if not self.text.startswith(closing, here):
            self.refuse(here, f"a comma or `{closing}` is expected here")
        return here
