"""Levels of the block collections around a place in a YAML text, with their old and new columns.

Invariant: a collection inside another one begins two columns further right; only a list that is
the value of a key may begin at the column of the key.
"""

from collections.abc import Iterable, Sequence

import yaml
from msgspec import Struct

STEP = 2
"""The columns by which a collection is indented below the one around it."""


class Level(Struct, frozen=True, kw_only=True):
    """One block collection: the column at which its keys or dashes are (`old`) and will be (`new`).

    `scanned_old` and `scanned_new` are what YAML takes for the collection's indent, before and
    after the edits. For a list at the column of its key, that is the indent of the key's mapping.
    `shared`: the collection is a list that is at the column of its key before the edits.
    """

    is_list: bool
    old: int
    new: int
    scanned_old: int
    scanned_new: int
    shared: bool = False


def prefers_indented_lists(tokens: Iterable[yaml.Token]) -> bool:
    """Return whether at least half of the block lists that are values of keys are indented.

    The others are at the column of their key. True also if no key has a block list.
    """
    kinds: list[str] = []
    balance = 0
    for token in tokens:
        top = kinds[-1] if kinds else ""
        if isinstance(token, yaml.BlockMappingStartToken):
            kinds.append("mapping")
        elif isinstance(token, yaml.BlockSequenceStartToken):
            balance += top == "mapping"
            kinds.append("list")
        elif isinstance(token, yaml.BlockEntryToken) and top == "mapping":
            balance -= 1
            kinds.append("shared")
        elif isinstance(token, yaml.KeyToken) and top == "shared":
            kinds.pop()
        elif isinstance(token, yaml.BlockEndToken):
            del kinds[-2 if top == "shared" else -1 :]
    return balance >= 0


class Levels:
    """The block collections around a place, outermost first, while the tokens of a text are read.

    `indented`: the layout indents a list that is the value of a key deeper than the key.
    """

    def __init__(self, *, indented: bool) -> None:
        self._indented = indented
        self._levels: list[Level] = []

    @property
    def now(self) -> tuple[Level, ...]:
        """The levels, outermost first."""
        return tuple(self._levels)

    @property
    def top(self) -> Level | None:
        """The innermost level, or None outside of all block collections."""
        return self._levels[-1] if self._levels else None

    def open(self, column: int, *, is_list: bool) -> None:
        """Enter a block collection that begins at a column."""
        new = self.column_inside(is_list=is_list)
        self._levels.append(
            Level(is_list=is_list, old=column, new=new, scanned_old=column, scanned_new=new)
        )

    def dash(self, column: int) -> None:
        """Note the dash of an item at a column.

        If the list is at the column of its key, its first dash enters it.
        """
        top = self.top
        if top is not None and not top.is_list:
            new = self.column_inside(is_list=True)
            self._levels.append(
                Level(
                    is_list=True,
                    old=column,
                    new=new,
                    scanned_old=top.scanned_old,
                    scanned_new=new if self._indented else top.scanned_new,
                    shared=True,
                )
            )

    def key(self) -> None:
        """Note a key, which ends a list at its column."""
        if self._levels and self._levels[-1].shared:
            self._levels.pop()

    def close(self) -> None:
        """Leave the innermost collection.

        Of a list at its key's column, leave the key's mapping too.
        """
        self.key()
        if self._levels:
            self._levels.pop()

    def column_inside(self, *, is_list: bool = False) -> int:
        """Return the new column of a node inside the innermost collection, on a line of its own.

        `is_list`: the node is a block list.
        """
        top = self.top
        if top is None:
            return 0
        return top.new + (STEP if top.is_list or not is_list or self._indented else 0)


def comment_column(column: int, former: Sequence[Level], following: tuple[int, int]) -> int:
    """Return the new column of a comment that is alone on its line, at the column `column`.

    `former` are the levels around the text above it, and `following` the old and the new column of
    the next line with a value. A comment that is indented deeper than that line belongs to the text
    above the comment, if there is any.
    """
    old, new = following
    if column <= old:
        return new
    for level in reversed(former):
        if level.is_list and level.old + STEP <= column:
            return level.new + STEP
        if level.old <= column:
            return max(level.new, new)
    return new
