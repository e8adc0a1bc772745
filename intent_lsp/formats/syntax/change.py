"""What became of a syntax tree: the same code or other, as far as its shape tells.

Invariant: the walk is iterative, and looks only where the two texts differ.
Invariant: what is left out changes no answer: not what was moved, nor what stands for what.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.bindings import Bindings, is_identifier, scope_below
from intent_lsp.formats.syntax.definition_names import definition_name
from intent_lsp.formats.syntax.edit import Difference, difference
from intent_lsp.formats.syntax.languages import Late, SyntaxTree, in_time
from intent_lsp.formats.syntax.parts import (
    COMMENTS,
    NodePart,
    NodeParts,
    middle,
    parts_of,
    spelled_alike,
    whole,
)
from intent_lsp.formats.syntax.renames import Renamed

DEEPEST: Final = 1_000
"""Levels below which two trees are not compared: code that people write is not so deep."""

FEW: Final = 32
"""Children of a node up to which all of them are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Two trees that are compared; `place`: outside of it they are the same; None: nobody knows."""

    old: SyntaxTree
    new: SyntaxTree
    place: Difference | None


@dataclass(slots=True)
class TreeChange:
    """What two trees differ by; not `alike`: by more than names, order and layout."""

    alike: bool = True
    moved: bool = False
    prose: bool = False
    renamed: list[Renamed] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two parts that stand for each other; `scope` is around the old one."""

    old: NodePart
    new: NodePart
    scope: Bindings
    depth: int


@dataclass(frozen=True, slots=True)
class _Side:
    """Movable parts of one of the two, each with its text and its name."""

    parts: Sequence[NodePart]
    texts: Sequence[bytes]
    names: Sequence[str]


def tree_change(
    old: SyntaxTree, new: SyntaxTree, late: Late = in_time, place: Difference | None = None
) -> TreeChange:
    """Compare the trees of two texts of one language; they are not alike where time ends.

    `place`: where they differ (`difference`); None: that is to be found out.
    """
    broken = old.root.has_error or new.root.has_error
    if place is None and not broken:
        place = difference(old.whole, old.source, new.whole, new.source)
    return change_between(Trees(old=old, new=new, place=place), late)


def change_between(trees: Trees, late: Late = in_time) -> TreeChange:
    """Compare two trees of which it may be known where they are the same."""
    change, old, new = TreeChange(), trees.old, trees.new
    whole = Bindings(start=0, end=len(old.source) + 1)
    pairs = [_Pair(old=NodePart(node=old.root), new=NodePart(node=new.root), scope=whole, depth=0)]
    while pairs and change.alike:
        pair = pairs.pop()
        if late():
            change.alike = False
            break
        if pair.depth == 0 or pair.old.text(old) != pair.new.text(new):
            pairs.extend(_below(trees, pair, change))
    return change


def _below(trees: Trees, pair: _Pair, change: TreeChange) -> list[_Pair]:
    """Compare two nodes of different texts; give the pairs below that are still to be compared."""
    old, new = trees.old, trees.new
    one, other = pair.old.node, pair.new.node
    if pair.depth > DEEPEST or not _comparable(pair, old, new):
        change.alike = False
        return []
    if _same_words(one, old.text(one), new.text(other)):
        return []
    if not one.child_count or not other.child_count:
        change.alike = is_identifier(one) and is_identifier(other)
        texts = old.text(one), new.text(other)
        change.renamed.append(Renamed(node=one, scope=pair.scope, old=texts[0], new=texts[1]))
        return []
    was, now = differing_parts(trees, one, other)
    change.prose |= was.prose != now.prose
    if len(was.fixed) != len(now.fixed) or len(was.movable) != len(now.movable):
        change.alike = False
        return []
    matched = [*zip(was.fixed, now.fixed, strict=True)]
    matched += _matched(_side(old, was.movable), _side(new, now.movable), change)
    return [
        _Pair(
            old=before,
            new=after,
            scope=scope_below(old.language, pair.scope, one, before.field),
            depth=pair.depth + 1,
        )
        for before, after in matched
    ]


def _comparable(pair: _Pair, old: SyntaxTree, new: SyntaxTree) -> bool:
    """Find out whether two nodes are of one kind, and neither is broken code."""
    one, other = pair.old.node, pair.new.node
    if one.type != other.type or one.type == "ERROR" or pair.old.field != pair.new.field:
        return False
    before = [old.text(each) for each in pair.old.attributes]
    return before == [new.text(each) for each in pair.new.attributes]


def _same_words(node: Node, old: bytes, new: bytes) -> bool:
    """Find out whether two nodes differ only by quotes, or by blanks that are not shown."""
    if node.type in ("jsx_text", "text"):
        return old.split() == new.split()
    return "string" in node.type and spelled_alike(old, new)


def _side(tree: SyntaxTree, parts: Sequence[NodePart]) -> _Side:
    names = [
        "" if each.definition is None else definition_name(tree, each.definition) for each in parts
    ]
    return _Side(parts, [part.text(tree) for part in parts], names)


def _matched(old: _Side, new: _Side, change: TreeChange) -> list[tuple[NodePart, NodePart]]:
    """Pair parts that may have been moved: by their text, then by their name, then by order."""
    stayed = Counter(old.texts) & Counter(new.texts)
    if [text for text in old.texts if text in stayed] != [
        text for text in new.texts if text in stayed
    ]:
        change.moved = True
    before, after = _left(old, stayed), _left(new, stayed)
    known = {old.names[place] for place in before} & {new.names[place] for place in after}
    before, after = _by_name(old, before, known), _by_name(new, after, known)
    change.moved |= before != sorted(before) or after != sorted(after)
    return [(old.parts[one], new.parts[other]) for one, other in zip(before, after, strict=True)]


def _left(side: _Side, stayed: Counter[bytes]) -> list[int]:
    """Give the places of the parts whose text is not, or not so often, on both sides."""
    known = stayed.copy()
    left = []
    for place, text in enumerate(side.texts):
        if known[text]:
            known[text] -= 1
        else:
            left.append(place)
    return left


def _by_name(side: _Side, places: Sequence[int], known: Collection[str]) -> list[int]:
    """Put those first whose names are on both sides, so that they stand opposite each other."""
    named = sorted((side.names[place], place) for place in places if side.names[place] in known)
    return [
        *(place for _, place in named),
        *(place for place in places if side.names[place] not in known),
    ]


def differing_parts(trees: Trees, one: Node, other: Node) -> tuple[NodeParts, NodeParts]:
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
