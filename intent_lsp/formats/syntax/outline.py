"""The definitions of a text, outermost first.

Invariant: any content has an outline; what cannot be parsed has none, broken code what can be read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from tree_sitter import Node

from intent_lsp.formats.syntax.definition_kinds import (
    CONTAINERS,
    DEEPEST,
    HELD_WITH,
    LISTS,
    kinds_of,
)
from intent_lsp.formats.syntax.definition_names import defines, definition_name
from intent_lsp.formats.syntax.languages import (
    Late,
    SyntaxTree,
    captured,
    in_time,
    language_of,
    parse,
)

MAX_NAMED: Final = 400
"""Characters of a qualified name; of a longer one its end is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One definition; `name` is qualified (`Class.method`), `depth` how many stand around it.

    Lines count from 1, the last one included; decorators and what exports it belong to it.
    """

    kind: str
    name: str
    depth: int
    first_line: int
    last_line: int


class Spot(NamedTuple):
    """Where a definition stands, in bytes: alone, and with all that is held with it.

    `own` is what it would be if nothing stood around it.
    """

    start: int
    end: int
    held_start: int
    held_end: int
    own: Definition


def outline(path: str, data: bytes, late: Late = in_time) -> tuple[Definition, ...]:
    """Give the definitions of a file, in the order of its text.

    None where the language is unknown, its grammar is not installed, or the file is not parsed:
    not a text, over 1 MB, or not within its steps or the time of the caller.
    """
    language = language_of(path)
    tree = None if language is None else parse(language, data, late)
    found = None if tree is None else spots(tree, late)
    return () if found is None else definitions(found)


def innermost(found: Iterable[Definition]) -> Iterator[Definition]:
    """Give the definitions, in the order of the text, that hold no other."""
    before: Definition | None = None
    for each in found:
        if before is not None and each.depth <= before.depth:
            yield before
        before = each
    if before is not None:
        yield before


def spots(
    tree: SyntaxTree, late: Late = in_time, stretch: tuple[int, int] | None = None
) -> list[Spot] | None:
    """Find the definitions of a parsed text, in its order.

    `stretch`: bytes of which they have at least one; None: anywhere. None: it became late.
    """
    kinds, found = kinds_of(tree.language), []
    for node in captured(tree, tuple(kinds), DEEPEST.get(tree.language), stretch):
        if late():
            return None
        name = definition_name(tree, node) if defines(node) else ""
        if name:
            found.append(_spot(node, kinds[node.type], name))
    return found


def definitions(found: Iterable[Spot]) -> tuple[Definition, ...]:
    """Give definitions as they are called, from all that were found in a text, in its order."""
    return tuple(_nested(found))


def moved(spot: Spot, by: int, rows: int) -> Spot:
    """Give a definition so many bytes and rows further on."""
    own = spot.own
    if rows:
        own = Definition(
            kind=own.kind,
            name=own.name,
            depth=own.depth,
            first_line=own.first_line + rows,
            last_line=own.last_line + rows,
        )
    return Spot(spot.start + by, spot.end + by, spot.held_start + by, spot.held_end + by, own)


def _nested(found: Iterable[Spot]) -> Iterator[Definition]:
    around: list[tuple[int, Definition]] = []
    for spot in found:
        while around and around[-1][0] <= spot.start:
            around.pop()
        told = _within(around[-1][1], spot.own) if around else spot.own
        around.append((spot.end, told))
        yield told


def _within(outer: Definition, own: Definition) -> Definition:
    method = own.kind == "function" and outer.kind in CONTAINERS
    return Definition(
        kind="method" if method else own.kind,
        name=f"{outer.name}.{own.name}"[-MAX_NAMED:],
        depth=outer.depth + 1,
        first_line=own.first_line,
        last_line=own.last_line,
    )


def _spot(node: Node, kind: str, name: str) -> Spot:
    first, last = _outermost(node), node.end_point
    # A node that ends at the start of a line has nothing in it.
    end = last.row if last.column == 0 and last.row > node.start_point.row else last.row + 1
    own = Definition(
        kind=kind, name=name, depth=0, first_line=first.start_point.row + 1, last_line=end
    )
    held = _held(first)
    return Spot(node.start_byte, node.end_byte, held.start_byte, held.end_byte, own)


def _outermost(node: Node) -> Node:
    """Give what is held with a definition, such as its decorators, where there is something."""
    while (above := node.parent) is not None and above.type in HELD_WITH:
        if above.type in LISTS and len(above.named_children) > 1:
            break
        node = above
    return node


def _held(node: Node) -> Node:
    """Give what is or would be held with a definition if it stood there alone."""
    while (above := node.parent) is not None and above.type in HELD_WITH:
        node = above
    return node
