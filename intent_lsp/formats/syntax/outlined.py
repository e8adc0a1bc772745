"""A syntax tree with its definitions, made from those that the file had before.

Invariant: the definitions are those that are found in the tree alone, whatever was taken over.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from intent_lsp.formats.syntax.edit import Difference, difference
from intent_lsp.formats.syntax.languages import (
    Late,
    SyntaxTree,
    in_time,
    language_of,
    parse,
    parse_again,
)
from intent_lsp.formats.syntax.outline import Definition, Spot, definitions, moved, spots


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinedTree:
    """A parsed text and its definitions, in its order; `spots` is where they stand.

    `since`: the text whose tree it was made from, and where the two differ.
    """

    tree: SyntaxTree
    definitions: tuple[Definition, ...]
    spots: Sequence[Spot]
    since: tuple[bytes, Difference] | None = None

    def differs(self, before: "OutlinedTree") -> Difference | None:
        """Tell where the text and the tree differ from others, if that is known already."""
        if self.since is None or self.since[0] is not before.tree.source:
            return None
        return self.since[1]


TreeOf: TypeAlias = Callable[[str, bytes, Late], OutlinedTree | None]
"""Whoever gives the tree of a file's content, by the file's path; None as of `tree_alone`."""


def tree_alone(path: str, data: bytes, late: Late = in_time) -> OutlinedTree | None:
    """Parse the content of a file.

    None: the language is unknown, its grammar is not installed, or it is not parsed (`parse`).
    """
    language = language_of(path)
    tree = None if language is None else parse(language, data, late)
    return None if tree is None else outlined(tree, late)


def tree_after(before: OutlinedTree, data: bytes, late: Late = in_time) -> OutlinedTree | None:
    """Parse another content of a file by the tree of one; it is the tree of `tree_alone`."""
    tree = parse_again(before.tree, data, late)
    return None if tree is None else _outlined_again(before, tree, late)


def outlined(tree: SyntaxTree, late: Late = in_time) -> OutlinedTree | None:
    """Find the definitions of a tree; None: the caller had no more time."""
    found = spots(tree, late)
    return None if found is None else _outlined(tree, found)


def _outlined_again(before: OutlinedTree, tree: SyntaxTree, late: Late) -> OutlinedTree | None:
    """Find the definitions of a tree, most of them in what another content of the file had."""
    old = before.tree
    if old.root.has_error or tree.root.has_error:
        return outlined(tree, late)
    differing = difference(old.whole, old.source, tree.whole, tree.source)
    place = _widened(before.spots, differing)
    found = spots(tree, late, (place.start, place.new_end))
    if found is None:
        return None
    all_ = [*_outside(before, tree, place), *found]
    all_.sort(key=lambda spot: (spot.start, -spot.end))
    same = _stand_as_before(before, tree, place, found)
    told = before.definitions if same else definitions(all_)
    since = (old.source, differing)
    return OutlinedTree(tree=tree, definitions=told, spots=all_, since=since)


def _stand_as_before(
    before: OutlinedTree, tree: SyntaxTree, place: Difference, found: Sequence[Spot]
) -> bool:
    """Whether the place is within the same definitions in both, in the same lines, and they alone.

    Then all definitions are called as they were: those that are outside stand around none of them.
    """
    around = [s for s in before.spots if s.end > place.start and s.start < place.old_end]
    return (
        _rows(before, tree, place) == 0
        and len(around) == len(found)
        and all(_holds_as_before(*pair, place) for pair in zip(around, found, strict=True))
    )


def _holds_as_before(old: Spot, new: Spot, place: Difference) -> bool:
    """Whether a definition begins before the place, and ends as far behind the changes as ever."""
    by = place.new_end - place.old_end
    end = old.end + by
    return old.start <= place.start and (new.start, new.end, new.own) == (old.start, end, old.own)


def _widened(known: Iterable[Spot], place: Difference) -> Difference:
    """Give the place with an end of each definition that is outside, but not what is held with it.

    What is held with a definition tells in which line it begins.
    """
    start, end = place.start, place.old_end
    for spot in known:
        if spot.held_start < place.old_end and spot.held_end > place.start:
            if spot.end <= place.start:
                start = min(start, spot.end - 1)
            elif spot.start >= place.old_end:
                end = max(end, spot.start + 1)
    return Difference(start, end, end + place.new_end - place.old_end)


def _outside(before: OutlinedTree, tree: SyntaxTree, place: Difference) -> Iterator[Spot]:
    """Give the definitions that have nothing in a place, as they stand in another tree."""
    by, rows = place.new_end - place.old_end, _rows(before, tree, place)
    for spot in before.spots:
        if spot.end <= place.start:
            yield spot
        elif spot.start >= place.old_end:
            yield moved(spot, by, rows) if by or rows else spot


def _rows(before: OutlinedTree, tree: SyntaxTree, place: Difference) -> int:
    """Count the lines that a place has more than it had."""
    now = tree.source.count(b"\n", place.start, place.new_end)
    return now - before.tree.source.count(b"\n", place.start, place.old_end)


def _outlined(tree: SyntaxTree, found: Sequence[Spot]) -> OutlinedTree:
    return OutlinedTree(tree=tree, definitions=definitions(found), spots=found)
