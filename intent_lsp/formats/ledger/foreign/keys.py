"""Reads a foreign JSON object key by key, and reports the keys that were not used.

Invariant: never raises. A value of the wrong type is dropped.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeVar

from intent_lsp.core.content import ContentHash, parse_hash

MAX_NAME: Final = 256
"""The most characters of an id, or of the name of a tool or model (requirements section 10)."""

UNKNOWN_VALUE: Final = "not a value that intent-lsp knows, so it is not imported"
"""The reason for dropping a value that is not one of a fixed list."""

_MAX_NUMBER: Final = 2**53 - 1
_MAX_LOST: Final = 100
_SHOWN: Final = 60

_T = TypeVar("_T")


class ForeignKeys:
    """Reads one JSON object of a foreign record. `lost` collects what is dropped from the record.

    An entry of `lost` is a path such as `files[].metadata`, followed in brackets by the reason if
    there is one. A key whose value is null or "" gets none. `place` is the path of this object with
    a dot at its end, or "" for the record itself.
    """

    def __init__(self, found: dict[str, Any], place: str, lost: dict[str, None]) -> None:
        self._found, self._place, self._lost = dict(found), place, lost

    @property
    def is_empty(self) -> bool:
        """Whether no key is left to be read."""
        return not self._found

    def take(self, *names: str) -> Any:  # noqa: ANN401 -- JSON has no narrower type
        """Return the value of the first key of `names` that is present, and mark the key as read.

        Return None if no key of `names` is present.
        """
        for name in names:
            if name in self._found:
                return self._found.pop(name)
        return None

    def text(self, *names: str, limit: int = MAX_NAME) -> str | None:
        """Return the string at the first key of `names` that is present.

        Return None if it is missing, empty or no string. A string of more than `limit` characters
        is cut. A cut, and a value of another type, are added to `lost`.
        """
        found = self._typed(str, "no text", *names) or ""
        if len(found) > limit:
            self.lose(names[0], f"longer than {limit} characters, so it is cut")
        return found[:limit] or None

    def hash(self, name: str) -> ContentHash | None:
        """Return the SHA-256 at the key `name`, where the prefix `sha256:` may be missing.

        Return None if the key is missing or its value is not a SHA-256, which is then added to
        `lost`.
        """
        found = self._typed(str, "no SHA-256", name) or ""
        parsed = parse_hash(found)
        if found and parsed is None:
            self.lose(name, "no SHA-256")
        return parsed

    def flag(self, name: str) -> bool | None:
        """Return the boolean at the key `name`, or None if there is none.

        A value of another type is added to `lost`.
        """
        return self._typed(bool, "neither true nor false, so it is left out", name)

    def number(self, name: str) -> int | None:
        """Return the integer from 0 to 2**53 - 1 at the key `name`, or None for any other value.

        None also stands for a missing key. Nothing is added to `lost`: the caller reports another
        value.
        """
        return whole_number(self.take(name))

    def within(self, name: str) -> "ForeignKeys":
        """Return a reader of the object at the key `name`; it is empty if there is none.

        It adds to the same `lost`. A value of another type is added to `lost`.
        """
        found = self._typed(dict, "no object", name)
        return ForeignKeys(found or {}, f"{self._place}{name}.", self._lost)

    def each(self, name: str) -> Iterator["ForeignKeys"]:
        """Yield a reader of each object in the list at the key `name`. All add to the same `lost`.

        An item that is not an object is added to `lost`, and so is a value that is not a list.
        Yield nothing if the key is missing.
        """
        for item in self._typed(list, "no list", name) or ():
            if isinstance(item, dict):
                yield ForeignKeys(item, f"{self._place}{name}[].", self._lost)
            else:
                self.lose(f"{name}[]", "no object")

    def lose(self, name: str, why: str = "") -> None:
        """Add the key `name` to `lost`, as dropped, with the reason `why` if that is given.

        Once `lost` has 100 entries, nothing is added.
        """
        told = self._place + name[:_SHOWN] + (f" ({why})" if why else "")
        if len(self._lost) < _MAX_LOST:
            self._lost[told] = None

    def leave(self, *names: str) -> None:
        """Add every unread key to `lost`, unless it is in `names` or its value is empty.

        Empty are null, "", [] and {}.
        """
        for name, value in self._found.items():
            if name not in names and value not in (None, [], {}, ""):
                self.lose(name)

    def _typed(self, kind: type[_T], why: str, *names: str) -> _T | None:
        """Return the value of the first key of `names` that is present, and mark the key as read.

        Return None if no key is present or its value is not of the type `kind`. Unless such a value
        is null or "", add the first of `names` to `lost`, with the reason `why`.
        """
        found = self.take(*names)
        if isinstance(found, kind):
            return found
        if found not in (None, ""):
            self.lose(names[0], why)
        return None


def whole_number(found: object) -> int | None:
    """Return a JSON number such as `1` or `1.0` as an int from 0 to 2**53 - 1, else None."""
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 0 <= found <= _MAX_NUMBER else None
