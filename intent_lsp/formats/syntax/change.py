"""What became of a syntax tree: the same code or other, as far as its shape tells.

Invariant: the walk is iterative, and looks only where the two texts differ.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from intent_lsp.formats.syntax.bindings import Scope, is_identifier, scope_below
from intent_lsp.formats.syntax.common_ends import Trees, differing_parts
from intent_lsp.formats.syntax.definition_names import definition_name
from intent_lsp.formats.syntax.edit import Difference, difference
from intent_lsp.formats.syntax.languages import Late, SyntaxTree, in_time
from intent_lsp.formats.syntax.node import Node
from intent_lsp.formats.syntax.parts import Part, spelled_alike
from intent_lsp.formats.syntax.renames import Renamed

DEEPEST: Final = 1_000
"""Levels below which two trees are not compared: code that people write is not so deep."""


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

    old: Part
    new: Part
    scope: Scope
    depth: int


@dataclass(frozen=True, slots=True)
class _Side:
    """Movable parts of one of the two, each with its text and its name."""

    parts: Sequence[Part]
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
    whole = Scope(start=0, end=len(old.source) + 1)
    pairs = [_Pair(old=Part(node=old.root), new=Part(node=new.root), scope=whole, depth=0)]
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


def _side(tree: SyntaxTree, parts: Sequence[Part]) -> _Side:
    names = [
        "" if each.definition is None else definition_name(tree, each.definition) for each in parts
    ]
    return _Side(parts, [part.text(tree) for part in parts], names)


def _matched(old: _Side, new: _Side, change: TreeChange) -> list[tuple[Part, Part]]:
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
