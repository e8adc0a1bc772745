"""The JSON payload of a hook event: looks up its fields by the names that a host gives them.

Invariant: unknown fields are passed over. An error about a field names it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from intent_lsp.core.errors import IntentLspError

Names = tuple[str, ...]
"""The names that one field may have: the first that the payload has counts.

A dot leads into an object.
"""


# In this order: a boolean is an integer, and a text is a sequence.
_KINDS: Final = (
    (bool, "a boolean"),
    (str, "a text"),
    ((int, float), "a number"),
    (Mapping, "an object"),
    (Sequence, "a list"),
)


class WrongPayloadError(IntentLspError):
    """A hook's payload cannot be read. `field` names the wrong field, or is "" for the whole."""

    def __init__(self, field: str, problem: str) -> None:
        where = f"{field} in the hook's payload" if field else "the hook's payload"
        super().__init__(f"{where}: {problem}")
        self.field, self.problem = field, problem
        self.cure = "check which host runs this hook: its name follows `intent-lsp hook`"


class Payload(Struct, frozen=True):
    """A JSON object, or a part of one. `place` is that part's dotted name, "" for the whole."""

    fields: Mapping[str, Any]
    place: str = ""

    def find(self, names: Names) -> tuple[str, Any]:
        """Return the dotted name and the value of the first of `names` that is there and not null.

        Return ("", None) if none is.
        """
        for name in names:
            value: Any = self.fields
            for part in name.split("."):
                value = value.get(part) if isinstance(value, Mapping) else None
            if value is not None:
                return f"{self.place}.{name}" if self.place else name, value
        return "", None

    def text(self, names: Names) -> str | None:
        """Return the text of the field that `find` finds, or None if there is none.

        Raise WrongPayloadError for another type.
        """
        name, value = self.find(names)
        if value is not None and not isinstance(value, str):
            raise WrongPayloadError(name, f"must be a text, but is {_kind(value)}")
        return value

    def prose(self, names: Names) -> str:
        """Return the text of a field; for a list, the `text` of each object in it, a line each.

        Return "" if the field is missing or has another type.
        """
        _, value = self.find(names)
        if isinstance(value, str):
            return value
        parts = value if isinstance(value, list) else []
        texts = (part.get("text") for part in parts if isinstance(part, Mapping))
        return "\n".join(text for text in texts if isinstance(text, str))

    def number(self, names: Names, default: int) -> int:
        """Return the whole number in a field, or `default` if the field is missing.

        Raise WrongPayloadError for another type.
        """
        name, value = self.find(names)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            said = repr(value) if isinstance(value, float) else _kind(value)
            raise WrongPayloadError(name, f"must be a whole number, but is {said}")
        return value

    def is_set(self, names: Names) -> bool:
        """Return whether a field has the value true. Return False for any other value, or none."""
        return self.find(names)[1] is True

    def part(self, names: Names) -> "Payload":
        """Return the object in a field, which may be JSON text. A missing one is empty.

        Raise WrongPayloadError for another type, or for a text that is not JSON.
        """
        name, value = self._value(names)
        if value is None:
            return Payload({}, names[0] if names else "")
        if not isinstance(value, Mapping):
            raise WrongPayloadError(name, f"must be an object, but is {_kind(value)}")
        return Payload(value, name)

    def texts(self, names: Names) -> tuple[str, ...]:
        """Return the texts in a list field. A missing field is empty.

        A value that is a text counts as JSON if it begins with `[`, else as a list of that one
        text. Raise WrongPayloadError for another type, or for a text that is not JSON.
        """
        name, value = self.find(names)
        if isinstance(value, str):
            value = _parsed(value, name) if value.lstrip().startswith("[") else [value]
        return tuple(_items(name, value, str, "texts"))

    def parts(self, names: Names) -> "tuple[Payload, ...]":
        """Return the objects in a list field, which may be JSON text. A missing one is empty.

        Raise WrongPayloadError for another type, or for a text that is not JSON.
        """
        name, value = self._value(names)
        items = _items(name, value, Mapping, "objects")
        return tuple(Payload(each, f"{name}[{at}]") for at, each in enumerate(items))

    def _value(self, names: Names) -> tuple[str, Any]:
        """Return what `find` returns, with the value of JSON text in place of the text."""
        name, value = self.find(names)
        return name, _parsed(value, name) if isinstance(value, str) else value


def read_payload(data: bytes) -> Payload:
    """Parse what a host wrote to the hook's standard input.

    Raise WrongPayloadError if it is empty or not a JSON object. Control characters inside texts
    are accepted, since hosts write them. Bytes that are not UTF-8 are replaced.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        raise WrongPayloadError("", "nothing was given on standard input")
    value = _parsed(text, "")
    if not isinstance(value, Mapping):
        raise WrongPayloadError("", f"must be a JSON object, but is {_kind(value)}")
    return Payload(value)


def _items(name: str, value: object, kind: type, kinds: str) -> Sequence[Any]:
    """Return the items of the list in the field `name`, or () if `value` is None.

    `kinds` names the type `kind` in messages. Raise WrongPayloadError for a `value` that is no
    list, or for an item of another type.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        raise WrongPayloadError(name, f"must be a list of {kinds}, but is {_kind(value)}")
    if not all(isinstance(each, kind) for each in value):
        raise WrongPayloadError(name, f"must be a list of {kinds}, but has other items")
    return value


def _parsed(text: str, name: str) -> object:
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        raise WrongPayloadError(name, "is nested too deeply") from None
    except ValueError as problem:
        raise WrongPayloadError(name, f"is not JSON: {problem}") from problem


def _kind(value: object) -> str:
    return next((name for kinds, name in _KINDS if isinstance(value, kinds)), "nothing")
