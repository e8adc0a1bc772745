"""An object of a foreign record, read key by key, so that what nobody asked for is known.

Invariant: total: a value of the wrong kind is lost, and said to be.
"""

from collections.abc import Iterator
from typing import Any, Final

from intent_lsp.core.content import ContentHash, parse_hash

MAX_NAME: Final = 256
"""Characters of an id, a tool's or a model's name (requirements section 10)."""

_MAX_NUMBER: Final = 2**53 - 1
_MAX_LOST: Final = 100
_SHOWN: Final = 60


class ForeignKeys:
    """Reads one object. `lost` is shared by all parts of a record, and names what is left behind.

    A name is `files[].metadata`; where a value was of no use, why follows in brackets.
    """

    def __init__(self, found: dict[str, Any], place: str, lost: dict[str, None]) -> None:
        self._found, self._place, self._lost = dict(found), place, lost

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to read."""
        return not self._found

    def take(self, *names: str) -> Any:  # noqa: ANN401 -- JSON has no narrower type
        """Give the value of the first name that is there, and count it as read; None: none is."""
        for name in names:
            if name in self._found:
                return self._found.pop(name)
        return None

    def text(self, *names: str, limit: int = MAX_NAME) -> str | None:
        """Give a text that is not empty, cut at `limit` characters."""
        found = self.take(*names)
        if not isinstance(found, str):
            self._refuse(found, names[0], "no text")
            return None
        if len(found) > limit:
            self.lose(names[0], f"more than {limit} characters")
        return found[:limit] or None

    def hash(self, name: str) -> ContentHash | None:
        """Give a SHA-256, with or without its `sha256:`."""
        found = self.take(name)
        parsed = parse_hash(found) if isinstance(found, str) else None
        if parsed is None:
            self._refuse(found, name, "no SHA-256")
        return parsed

    def flag(self, name: str) -> bool | None:
        """Give a truth value."""
        found = self.take(name)
        if isinstance(found, bool):
            return found
        self._refuse(found, name, "not true or false")
        return None

    def number(self, name: str) -> int | None:
        """Give a whole number, from 0 to the largest that JSON surely holds."""
        return whole_number(self.take(name))

    def within(self, name: str) -> "ForeignKeys":
        """Give the object of a name, an empty one where there is none."""
        found = self.take(name)
        if not isinstance(found, dict):
            self._refuse(found, name, "no object")
            found = {}
        return ForeignKeys(found, f"{self._place}{name}.", self._lost)

    def each(self, name: str) -> Iterator["ForeignKeys"]:
        """Give the objects of a list."""
        found = self.take(name)
        if not isinstance(found, list):
            self._refuse(found, name, "no list")
            return
        for item in found:
            if isinstance(item, dict):
                yield ForeignKeys(item, f"{self._place}{name}[].", self._lost)
            else:
                self.lose(f"{name}[]", "no object")

    def lose(self, name: str, why: str = "") -> None:
        """Say that something is left behind."""
        told = self._place + name[:_SHOWN] + (f" ({why})" if why else "")
        if len(self._lost) < _MAX_LOST:
            self._lost[told] = None

    def leave(self, *names: str) -> None:
        """Say that everything that was not read is left behind; `names` are no loss."""
        for name, value in self._found.items():
            if name not in names and value not in (None, [], {}, ""):
                self.lose(name)

    def _refuse(self, found: object, name: str, why: str) -> None:
        if found not in (None, ""):
            self.lose(name, why)


def whole_number(found: object) -> int | None:
    """Read a whole number as JSON spells it, `1` or `1.0`; None for anything else."""
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found if 0 <= found <= _MAX_NUMBER else None
