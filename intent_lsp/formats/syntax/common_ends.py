"""The parts of two nodes, without those at both ends that are the same.

Invariant: what is left out changes no answer: not what was moved, nor what stands for what.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.formats.syntax.edit import Difference
from intent_lsp.formats.syntax.languages import SyntaxTree
from intent_lsp.formats.syntax.node import Node
from intent_lsp.formats.syntax.parts import COMMENTS, Parts, middle, parts_of, whole

FEW: Final = 32
"""Children of a node up to which all of them are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Two trees that are compared; `place`: outside of it they are the same; None: nobody knows."""

    old: SyntaxTree
    new: SyntaxTree
    place: Difference | None


def differing_parts(trees: Trees, one: Node, other: Node) -> tuple[Parts, Parts]:
    """Take two nodes apart; of large ones, what is the same at both ends may be left out."""
    head, tail = _same(trees.place, one, other)
    if not head and not tail:
        return parts_of(trees.old, whole(one)), parts_of(trees.new, whole(other))
    was = parts_of(trees.old, middle(one, head, tail))
    now = parts_of(trees.new, middle(other, head, tail))
    movable = {trees.old.text(part.node) for part in was.movable}
    movable |= {trees.new.text(part.node) for part in now.movable}
    if any(text in end for end in _ends_of(trees.old, one, head, tail) for text in movable):
        # Which of two like parts has gone, or was moved, is told by all of them alone.
        return parts_of(trees.old, whole(one)), parts_of(trees.new, whole(other))
    return was, now


def _same(place: Difference | None, one: Node, other: Node) -> tuple[int, int]:
    """Count the children that are the same from the start on, and from the end."""
    if place is None or min(one.child_count, other.child_count) <= FEW:
        return 0, 0
    before, after = one.children, other.children
    head, tail = _outside(before, place.start, place.old_end)
    if (head, tail) != _outside(after, place.start, place.new_end) or not _are_one(
        place, one, other
    ):
        return 0, 0
    while head and not _stands_alone(before[head - 1]):
        head -= 1
    while tail and not (_ends(before, tail) and _ends(after, tail)):
        tail -= 1
    return head, tail


def _are_one(place: Difference, one: Node, other: Node) -> bool:
    """Whether two nodes are the same one, around the place where the texts differ."""
    begins = one.start_byte == other.start_byte <= place.start
    return begins and one.end_byte - place.old_end == other.end_byte - place.new_end >= 0


def _outside(children: Sequence[Node], start: int, end: int) -> tuple[int, int]:
    """Count the children before a place and those after it."""
    head = bisect_right(children, start, key=lambda node: node.end_byte)
    first = bisect_left(children, end, lo=head, key=lambda node: node.start_byte)
    return head, len(children) - first


def _stands_alone(node: Node) -> bool:
    """Whether a node is no sign, which its neighbours explain, and nothing that belongs to one."""
    return node.is_named and node.type != "attribute_item" and node.type not in COMMENTS


def _ends(children: Sequence[Node], tail: int) -> bool:
    """Whether what stands before the last children can be looked at without them."""
    if not _stands_alone(children[-tail]):
        return False
    before = (node for node in reversed(children[:-tail]) if node.type not in COMMENTS)
    last = next(before, None)
    return last is None or last.type != "attribute_item"


def _ends_of(tree: SyntaxTree, node: Node, head: int, tail: int) -> Iterator[bytes]:
    if head:
        yield tree.source[node.start_byte : node.children[head - 1].end_byte]
    if tail:
        yield tree.source[node.children[-tail].start_byte : node.end_byte]
