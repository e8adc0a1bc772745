"""The parts of a syntax tree's nodes that mean something, apart from prose and from layout."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tree_sitter import Node

from intent_lsp.formats.syntax.definition_kinds import HELD_WITH, LISTS, kinds_of
from intent_lsp.formats.syntax.definition_names import defines
from intent_lsp.formats.syntax.languages import SyntaxTree

Child: TypeAlias = tuple[Node, str | None]
"""A node below another, with its part in the rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Siblings:
    """Some children of a node that stand side by side; `opens`: from the first one on."""

    above: Node
    children: Sequence[Child]
    opens: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePart:
    """A node with its part in the rule above it, and the attributes that stand before it.

    `definition`: what it defines; None: nothing. Parts that are not `movable` keep their order.
    """

    node: Node
    field: str | None = None
    attributes: tuple[Node, ...] = ()
    definition: Node | None = None
    movable: bool = False

    def text(self, tree: SyntaxTree) -> bytes:
        """Give its bytes, with its attributes."""
        first = self.attributes[0] if self.attributes else self.node
        return tree.source[first.start_byte : self.node.end_byte]


@dataclass(slots=True)
class NodeParts:
    """What a node is made of; `prose` are the words of its comments, wherever they stand."""

    fixed: list[NodePart] = field(default_factory=list)
    movable: list[NodePart] = field(default_factory=list)
    prose: Counter[bytes] = field(default_factory=Counter)


def whole(node: Node) -> Siblings:
    """Give all children of a node."""
    return Siblings(above=node, children=tuple(_children(node)))


def middle(node: Node, head: int, tail: int) -> Siblings:
    """Give the children of a node without the first and the last so many."""
    every = node.children
    places = range(head, len(every) - tail)
    children = tuple((every[place], node.field_name_for_child(place)) for place in places)
    return Siblings(above=node, children=children, opens=not head)


def parts_of(tree: SyntaxTree, stretch: Siblings) -> NodeParts:
    """Take a node apart, or what is asked for of it."""
    parts = NodeParts()
    attributes: list[Node] = []
    for child, part in _meaningful(tree, stretch, parts.prose):
        if child.type == "attribute_item":
            # Rust has attributes before what they belong to, not around it.
            attributes.append(child)
            continue
        found = _part(tree, stretch.above, child, part, tuple(attributes))
        (parts.movable if found.movable else parts.fixed).append(found)
        attributes.clear()
    parts.fixed.extend(NodePart(node=left) for left in attributes)
    return parts


def spelled_alike(old: bytes, new: bytes) -> bool:
    """Find out whether two strings, or two texts of an element, say the same."""
    if old[:1] in _QUOTES and new[:1] in _QUOTES:
        return _unquoted(old) == _unquoted(new) is not None
    return False


def _meaningful(tree: SyntaxTree, stretch: Siblings, prose: Counter[bytes]) -> Iterator[Child]:
    """Give the children that mean something, with their fields, and count the prose among them."""
    node = stretch.above
    children = [
        (child, part) for child, part in stretch.children if not _comment(tree, child, prose)
    ]
    doc = _docstring(tree, node, children) if stretch.opens else None
    for place, (child, part) in enumerate(children):
        if child == doc:
            prose[_words(tree, child)] += 1
        elif not _is_layout(
            tree, node, child, children[place + 1][0] if children[place + 1 :] else None
        ):
            yield _bare(node, child), part


def _children(node: Node) -> Iterator[Child]:
    cursor = node.walk()
    more = cursor.goto_first_child()
    while more:
        if cursor.node is not None:
            yield cursor.node, cursor.field_name
        more = cursor.goto_next_sibling()


def _comment(tree: SyntaxTree, node: Node, prose: Counter[bytes]) -> bool:
    """Count a comment as prose; what a tool reads in a comment is code."""
    if node.type not in COMMENTS:
        return False
    words = _words(tree, node)
    if _DIRECTIVE.match(words):
        return False
    prose[words] += 1
    return True


def _words(tree: SyntaxTree, node: Node) -> bytes:
    return b" ".join(tree.text(node).split())


def _docstring(tree: SyntaxTree, node: Node, children: Sequence[Child]) -> Node | None:
    """Find the string that documents a module, a class or a function of Python."""
    if tree.language != "python" or not children or children[0][0].type != "expression_statement":
        return None
    above = node.parent
    documents = above is not None and above.type in ("class_definition", "function_definition")
    if node.type != "module" and not (node.type == "block" and documents):
        return None
    only = children[0][0].named_children
    return children[0][0] if [each.type for each in only] == ["string"] else None


def _is_layout(tree: SyntaxTree, above: Node, node: Node, after: Node | None) -> bool:
    """Find out whether a sign is there for the eye: `;`, a last comma, an import's brackets."""
    if node.is_named:
        return False
    if node.type == ",":
        return after is not None and after.type in _CLOSING
    if node.type in "()":
        return above.type == "import_from_statement"
    return node.type == ";" or (node.type == "\n" and not tree.text(node).strip())


def _bare(above: Node, node: Node) -> Node:
    """Take off the brackets of an expression, and the braces of a single statement."""
    while node.type == "parenthesized_expression" or (
        node.type in _BLOCKS and above.type in _CONTROL
    ):
        inner = node.named_children
        if len(inner) != 1 or inner[0].type in COMMENTS or inner[0].type.endswith("_declaration"):
            break
        node = inner[0]
    return node


def _part(
    tree: SyntaxTree,
    above: Node,
    node: Node,
    part: str | None,
    attributes: tuple[Node, ...],
) -> NodePart:
    definition = None if tree.language in _ORDERED else _definition(tree, node)
    named = above.type == "import_from_statement" and part == "name"
    listed = node.is_named and above.type == "use_list"
    movable = definition is not None or node.type in _IMPORTS or named or listed
    return NodePart(
        node=node, field=part, attributes=attributes, definition=definition, movable=movable
    )


def _definition(tree: SyntaxTree, node: Node) -> Node | None:
    """Find what a node defines, itself or within what is held with it."""
    kinds = kinds_of(tree.language)
    while node.type not in kinds or not defines(node):
        inner = [child for child in node.named_children if _may_define(child, kinds)]
        if node.type not in HELD_WITH or not inner or (node.type in LISTS and len(inner) > 1):
            return None
        node = inner[-1]
    return node


def _may_define(node: Node, kinds: dict[str, str]) -> bool:
    return node.type in HELD_WITH or (node.type in kinds and defines(node))


def _unquoted(text: bytes) -> bytes | None:
    """Give what is between two quotes; None where it depends on which quotes they are."""
    inner = text[1:-1]
    plain = len(text) > 1 and text[0] == text[-1] and not _DEPENDS.search(inner)
    return inner if plain else None


COMMENTS: Final = frozenset(
    [
        "comment",
        "line_comment",
        "block_comment",
        "multiline_comment",
        "html_comment",
        "marginalia",
        "js_comment",
    ]
)
_DIRECTIVE: Final = re.compile(
    rb"#!|//go:|// ?\+build|# ?(?:type|mypy|ruff|pylint|pyright|isort|fmt|pragma):|# ?noqa"
    rb"|# -\*-|# ?shellcheck |# ?frozen_string_literal:|# ?rubocop:|(?://|/\*) ?(?:@ts-|eslint-"
    rb"|prettier-|istanbul |biome-|tslint:|NOLINT|clang-format)|/// ?<reference|//\#"
)
_DEPENDS: Final = re.compile(rb"[\"'`\\$]|#\{")
_QUOTES: Final = (b'"', b"'")
_CLOSING: Final = frozenset([")", "]", "}", ">"])
_BLOCKS: Final = frozenset(["block", "statement_block", "compound_statement"])
_CONTROL: Final = frozenset(
    [
        "if_statement",
        "else_clause",
        "while_statement",
        "do_statement",
        "for_statement",
        "for_in_statement",
        "enhanced_for_statement",
        "foreach_statement",
        "for_range_loop",
    ]
)
_IMPORTS: Final = frozenset(
    [
        "import_statement",
        "import_from_statement",
        "import_declaration",
        "import_specifier",
        "import_spec",
        "import",
        "import_header",
        "use_declaration",
        "using_directive",
        "namespace_use_declaration",
        "preproc_include",
    ]
)
_ORDERED: Final = frozenset(["css", "html", "json", "markdown", "sql", "toml", "yaml"])
"""Languages in which the order of definitions means something."""
