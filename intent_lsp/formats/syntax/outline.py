"""The definitions of a text, outermost first.

Invariant: any content has an outline; what cannot be parsed has none, broken code what can be read.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

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


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlinedTree:
    """A parsed text and its definitions, in its order."""

    tree: SyntaxTree
    definitions: tuple[Definition, ...]


TreeOf: TypeAlias = Callable[[str, bytes, Late], OutlinedTree | None]
"""Whoever gives the tree of a file's content, by the file's path; None as of `outlined_tree`."""


def outlined_tree(path: str, data: bytes, late: Late = in_time) -> OutlinedTree | None:
    """Parse the content of a file, and find its definitions.

    None: the language is unknown, its grammar is not installed, or the file is not parsed: not a
    text, over 1 MB, or not within its steps or the time of the caller.
    """
    language = language_of(path)
    tree = None if language is None else parse(language, data, late)
    found = None if tree is None else _definitions(tree, late)
    if tree is None or found is None:
        return None
    return OutlinedTree(tree=tree, definitions=found)


def outline(path: str, data: bytes, late: Late = in_time) -> tuple[Definition, ...]:
    """Give the definitions of a file, in the order of its text; of a file without a tree: none."""
    found = outlined_tree(path, data, late)
    return () if found is None else found.definitions


def innermost(found: Iterable[Definition]) -> Iterator[Definition]:
    """Give the definitions, in the order of the text, that hold no other."""
    before: Definition | None = None
    for each in found:
        if before is not None and each.depth <= before.depth:
            yield before
        before = each
    if before is not None:
        yield before


def _definitions(tree: SyntaxTree, late: Late) -> tuple[Definition, ...] | None:
    """Find the definitions of a parsed text, in its order; None: it became late."""
    kinds, found = kinds_of(tree.language), list[Definition]()
    around: list[tuple[int, Definition]] = []
    for node in captured(tree, tuple(kinds), DEEPEST.get(tree.language)):
        if late():
            return None
        name = definition_name(tree, node) if defines(node) else ""
        if not name:
            continue
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        own = _own(node, kinds[node.type], name)
        found.append(_within(around[-1][1], own) if around else own)
        around.append((node.end_byte, found[-1]))
    return tuple(found)


def _within(outer: Definition, own: Definition) -> Definition:
    method = own.kind == "function" and outer.kind in CONTAINERS
    return Definition(
        kind="method" if method else own.kind,
        name=f"{outer.name}.{own.name}"[-MAX_NAMED:],
        depth=outer.depth + 1,
        first_line=own.first_line,
        last_line=own.last_line,
    )


def _own(node: Node, kind: str, name: str) -> Definition:
    """Give a definition as it is called if none stands around it."""
    first, last = _outermost(node), node.end_point
    # A node that ends at the start of a line has nothing in it.
    end = last.row if last.column == 0 and last.row > node.start_point.row else last.row + 1
    return Definition(
        kind=kind, name=name, depth=0, first_line=first.start_point.row + 1, last_line=end
    )


def _outermost(node: Node) -> Node:
    """Give what is held with a definition, such as its decorators, where there is something."""
    while (above := node.parent) is not None and above.type in HELD_WITH:
        if above.type in LISTS and len(above.named_children) > 1:
            break
        node = above
    return node
