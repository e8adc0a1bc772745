"""Names of definitions, found in the nodes of each tree-sitter grammar."""

from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.definition_kinds import FUNCTION_VALUES, HOLD_VALUES, NEED_BODY
from intent_lsp.formats.syntax.languages import SyntaxTree

MAX_NAME: Final = 120
"""The most characters of a part of a definition's own name. The end of a longer one is cut off.

A method of Go and an `impl` of Rust have two parts.
"""


def defines(node: Node) -> bool:
    """Return whether a node is a definition. Its type must be one that can be a definition.

    A type such as `struct` needs a body to define something, and a variable needs a function or
    class as its value.
    """
    if node.type in NEED_BODY:
        return node.child_by_field_name("body") is not None
    if node.type in HOLD_VALUES:
        value = node.child_by_field_name("value")
        return value is not None and value.type in FUNCTION_VALUES
    return True


def definition_name(tree: SyntaxTree, node: Node) -> str:
    """Return a definition's own name, unqualified by outer definitions, or "" if it has none.

    A method of Go is qualified by the type of its receiver, and an element of HTML is named by its
    id.
    """
    if node.type == "impl_item":
        return _implementation(tree, node)
    if node.type == "method_declaration" and tree.language == "go":
        return _of_receiver(tree, node)
    if tree.language == "html":
        return _element(tree, node)
    if node.type == "companion_object" and node.child_by_field_name("name") is None:
        return "Companion"
    return _spelled(tree, naming_part(node))


def naming_part(node: Node) -> Node | None:
    """Return the node inside a definition that holds its name, or None if none is found."""
    for field in ("name", "key", "declarator", "property"):
        found = node.child_by_field_name(field)
        if found is not None:
            return _declared(found)
    wanted = _NAMING.get(node.type, _SQL_NAMING)
    within = (child for child in node.named_children if child.type in wanted)
    found = next(within, None)
    if found is not None and found.type in _HEADINGS:
        heading = found.named_children
        return next((child for child in heading if child.type in ("inline", "paragraph")), None)
    return found


def _declared(node: Node) -> Node:
    """Return the node of the name in a declarator of C, such as `*f(int)`, which may be nested.

    Any other node is returned unchanged.
    """
    while node.type.endswith("_declarator"):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next((each for each in node.named_children), None)
        if inner is None:
            break
        node = inner
    return node


def _implementation(tree: SyntaxTree, node: Node) -> str:
    """Return the name of a Rust `impl`: its type, or `Trait for Type`."""
    of = _spelled(tree, node.child_by_field_name("type"))
    trait = _spelled(tree, node.child_by_field_name("trait"))
    return f"{trait} for {of}" if trait else of


def _of_receiver(tree: SyntaxTree, node: Node) -> str:
    """Return the name of a Go method, qualified by the type of its receiver."""
    receiver = _spelled(tree, node.child_by_field_name("receiver")).strip("()")
    of = receiver.rpartition(" ")[2].lstrip("*").partition("[")[0]
    name = _spelled(tree, node.child_by_field_name("name"))
    return f"{of}.{name}" if of else name


def _element(tree: SyntaxTree, node: Node) -> str:
    """Return the name of an HTML element: `#` and its id, or "" if it has no id."""
    start = next((child for child in node.named_children if child.type == "start_tag"), None)
    for child in () if start is None else start.named_children:
        parts = [_spelled(tree, part) for part in child.named_children]
        if child.type == "attribute" and [part.lower() for part in parts[:1]] == ["id"]:
            return "#" + "".join(parts[1:]).strip("\"'")
    return ""


def _spelled(tree: SyntaxTree, node: Node | None) -> str:
    """Return a node's text on one line, without quotes, cut to MAX_NAME; "" if there is no node."""
    if node is None:
        return ""
    text = tree.text(node).decode("utf-8", "replace")
    return " ".join(text.split())[:MAX_NAME].strip("\"'")


_SQL_NAMING: Final = ("object_reference",)
_HEADINGS: Final = ("atx_heading", "setext_heading")
_NAMING: Final = {
    "at_rule": ("at_keyword",),
    "create_index": ("identifier",),
    "keyframes_statement": ("keyframes_name",),
    "media_statement": ("parenthesized_query", "feature_query", "keyword_query", "binary_query"),
    "pair": ("bare_key", "quoted_key", "dotted_key"),
    "rule_set": ("selectors",),
    "section": _HEADINGS,
    "table": ("bare_key", "quoted_key", "dotted_key"),
    "table_array_element": ("bare_key", "quoted_key", "dotted_key"),
    "type_alias": ("identifier", "type_identifier"),
}
