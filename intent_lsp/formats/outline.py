"""The definitions of a text, outermost first.

Invariant: any content has an outline; what cannot be parsed has none, broken code what can be read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from intent_lsp.formats.definition_kinds import CONTAINERS, DEEPEST, HELD_WITH, LISTS, kinds_of
from intent_lsp.formats.definition_names import defines, definition_name
from intent_lsp.formats.languages import Late, SyntaxTree, captured, in_time, language_of, parse
from intent_lsp.formats.syntax_node import Node

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


def outline(path: str, data: bytes, late: Late = in_time) -> tuple[Definition, ...]:
    """Give the definitions of a file, in the order of its text.

    None where the language is unknown, its grammar is not installed, or the file is not parsed:
    not a text, over 1 MB, or not within its steps or the time of the caller.
    """
    language = language_of(path)
    tree = None if language is None else parse(language, data, late)
    return () if tree is None else definitions(tree)


def definitions(tree: SyntaxTree) -> tuple[Definition, ...]:
    """Give the definitions of a parsed text, in its order."""
    return tuple(_nested(tree))


def _nested(tree: SyntaxTree) -> Iterator[Definition]:
    kinds = kinds_of(tree.language)
    around: list[tuple[int, Definition]] = []
    for node in captured(tree, tuple(kinds), DEEPEST.get(tree.language)):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        name = definition_name(tree, node) if defines(node) else ""
        if name:
            found = _definition(node, kinds[node.type], name, around[-1][1] if around else None)
            around.append((node.end_byte, found))
            yield found


def _definition(node: Node, kind: str, name: str, outer: Definition | None) -> Definition:
    if kind == "function" and outer is not None and outer.kind in CONTAINERS:
        kind = "method"
    first, last = _outermost(node), node.end_point
    # A node that ends at the start of a line has nothing in it.
    end = last.row if last.column == 0 and last.row > node.start_point.row else last.row + 1
    return Definition(
        kind=kind,
        name=name if outer is None else f"{outer.name}.{name}"[-MAX_NAMED:],
        depth=0 if outer is None else outer.depth + 1,
        first_line=first.start_point.row + 1,
        last_line=end,
    )


def _outermost(node: Node) -> Node:
    """Give what is held with a definition, such as its decorators, where there is something."""
    while (held := node.parent) is not None and held.type in HELD_WITH:
        if held.type in LISTS and len(held.named_children) > 1:
            break
        node = held
    return node
