"""Where two texts differ, and where their syntax trees do.

Invariant: a tree that others look at is never edited: the edit is made in a copy.
"""

from dataclasses import dataclass

from tree_sitter import Point, Tree

from intent_lsp.core.line_diff import common_head, common_tail


@dataclass(frozen=True, slots=True)
class Difference:
    """The bytes in which two texts or their trees differ: all before and after them is the same."""

    start: int
    old_end: int
    new_end: int


def edited(tree: Tree, before: bytes, after: bytes) -> Tree:
    """Give a copy of the tree of a text that has been told what stands in its place now."""
    return _edited(tree, before, after, _texts_differ(before, after))


def difference(one: Tree, before: bytes, other: Tree, after: bytes) -> Difference:
    """Tell where two texts, their trees, or a byte beside those differ.

    Neither may be broken code: the same bytes can mean something else there.
    """
    place = _texts_differ(before, after)
    start, end = place.start, place.new_end
    for each in _edited(one, before, after, place).changed_ranges(other):
        start, end = min(start, each.start_byte), max(end, each.end_byte)
    start, end = max(0, start - 1), min(len(after), end + 1)
    return Difference(start, end + len(before) - len(after), end)


def _edited(tree: Tree, before: bytes, after: bytes, place: Difference) -> Tree:
    start = _point(before, place.start, Point(row=0, column=0), 0)
    copy = tree.copy()
    copy.edit(
        start_byte=place.start,
        old_end_byte=place.old_end,
        new_end_byte=place.new_end,
        start_point=start,
        old_end_point=_point(before, place.old_end, start, place.start),
        new_end_point=_point(after, place.new_end, start, place.start),
    )
    return copy


def _texts_differ(before: bytes, after: bytes) -> Difference:
    head = common_head(before, after)
    tail = common_tail(before, after, head)
    return Difference(head, len(before) - tail, len(after) - tail)


def _point(source: bytes, place: int, known: Point, at: int) -> Point:
    """Give the point of a place, by that of one before it: all lines are counted once."""
    row = known.row + source.count(b"\n", at, place)
    return Point(row=row, column=place - source.rfind(b"\n", 0, place) - 1)
