"""Which nodes of a tree-sitter grammar are definitions, by language, and how they are named."""

import re
from collections.abc import Sequence
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.languages import SyntaxTree

MAX_NAME: Final = 120
"""The most characters of a part of a definition's own name. The end of a longer one is cut off.

A method of Go and an `impl` of Rust have two parts.
"""

CONTAINERS: Final = re.compile(
    "class|struct|interface|trait|enum|impl|protocol|object|record|union|extension"
)
"""Kinds of definitions in which a function is a method."""

HELD_WITH: Final = re.compile(
    "decorated_definition|(?:template|type|ambient|lexical|variable)_declaration"
    "|variable_declarator|(?:(?:export|expression)_)?statement|internal_module"
)
"""Node types that wrap a definition and belong to it, such as one with its decorators."""

LISTS: Final = frozenset(["type_declaration", "lexical_declaration", "variable_declaration"])
"""Those of `HELD_WITH` that may hold several definitions."""

_NEED_BODY: Final = frozenset(
    ["struct_specifier", "class_specifier", "union_specifier", "enum_specifier"]
)
"""Node types that define something only if they have a body. Without one they refer to a type."""

_FUNCTION_VALUES: Final = frozenset(
    ["arrow_function", "function_expression", "generator_function", "class"]
)
"""Values that make a variable or field a definition."""
_HOLD_VALUES: Final = frozenset(
    ["variable_declarator", "field_definition", "public_field_definition"]
)
"""Node types that define something only if their value is one of `_FUNCTION_VALUES`."""

DEEPEST: Final = {"json": 4, "toml": 1, "yaml": 7}
"""In data languages, the greatest depth in the tree of a node that is taken as a definition.

These are keys of two levels; in TOML they are tables, and the keys before the first table.
"""


def kinds_of(language: str) -> dict[str, str]:
    """Return the kind, such as `class`, of each node type of a language that can be a definition.

    The result is empty if the language has no definitions.
    """
    return _KINDS.get(language, {})


def defines(node: Node) -> bool:
    """Return whether a node is a definition. Its type must be one that can be a definition.

    A type such as `struct` needs a body to define something, and a variable needs a function or
    class as its value.
    """
    if node.type in _NEED_BODY:
        return node.child_by_field_name("body") is not None
    if node.type in _HOLD_VALUES:
        value = node.child_by_field_name("value")
        return value is not None and value.type in _FUNCTION_VALUES
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


_TAGS = ("start_tag", "self_closing_tag")


def _element(tree: SyntaxTree, node: Node) -> str:
    """Return the name of an HTML element: `#` and its id, or "" if it has no id."""
    start = next((child for child in node.named_children if child.type in _TAGS), None)
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

_ROWS: Final[Sequence[Sequence[str]]] = (
    ("bash", "function", "function_definition"),
    ("c", "enum", "enum_specifier"),
    ("c", "function", "function_definition"),
    ("c", "macro", "preproc_function_def"),
    ("c", "struct", "struct_specifier"),
    ("c", "type", "type_definition"),
    ("c", "union", "union_specifier"),
    ("c_sharp", "class", "class_declaration"),
    ("c_sharp", "enum", "enum_declaration"),
    ("c_sharp", "function", "local_function_statement"),
    ("c_sharp", "interface", "interface_declaration"),
    ("c_sharp", "method", "constructor_declaration", "method_declaration"),
    ("c_sharp", "namespace", "namespace_declaration"),
    ("c_sharp", "property", "property_declaration"),
    ("c_sharp", "record", "record_declaration"),
    ("c_sharp", "struct", "struct_declaration"),
    ("c_sharp", "type", "delegate_declaration"),
    ("cpp", "class", "class_specifier"),
    ("cpp", "concept", "concept_definition"),
    ("cpp", "namespace", "namespace_definition"),
    ("cpp", "type", "alias_declaration"),
    ("css", "rule", "at_rule", "keyframes_statement", "media_statement", "rule_set"),
    ("go", "function", "function_declaration"),
    ("go", "method", "method_declaration", "method_elem"),
    ("go", "type", "type_alias", "type_spec"),
    ("html", "element", "element", "script_element", "style_element"),
    ("java", "class", "class_declaration"),
    ("java", "enum", "enum_declaration"),
    ("java", "interface", "annotation_type_declaration", "interface_declaration"),
    ("java", "method", "constructor_declaration", "method_declaration"),
    ("java", "record", "record_declaration"),
    ("javascript", "class", "class_declaration"),
    ("javascript", "function", "function_declaration", "generator_function_declaration"),
    ("javascript", "function", "variable_declarator"),
    ("javascript", "method", "method_definition", "field_definition"),
    ("json", "key", "pair"),
    ("kotlin", "class", "class_declaration"),
    ("kotlin", "function", "function_declaration"),
    ("kotlin", "object", "companion_object", "object_declaration"),
    ("kotlin", "type", "type_alias"),
    ("markdown", "section", "section"),
    ("php", "class", "class_declaration"),
    ("php", "enum", "enum_declaration"),
    ("php", "function", "function_definition"),
    ("php", "interface", "interface_declaration"),
    ("php", "method", "method_declaration"),
    ("php", "trait", "trait_declaration"),
    ("python", "class", "class_definition"),
    ("python", "function", "function_definition"),
    ("ruby", "class", "class"),
    ("ruby", "function", "method", "singleton_method"),
    ("ruby", "module", "module"),
    ("rust", "enum", "enum_item"),
    ("rust", "function", "function_item", "function_signature_item"),
    ("rust", "impl", "impl_item"),
    ("rust", "macro", "macro_definition"),
    ("rust", "module", "mod_item"),
    ("rust", "struct", "struct_item"),
    ("rust", "trait", "trait_item"),
    ("rust", "type", "type_item"),
    ("rust", "union", "union_item"),
    ("sql", "function", "create_function"),
    ("sql", "index", "create_index"),
    ("sql", "sequence", "create_sequence"),
    ("sql", "table", "create_table"),
    ("sql", "trigger", "create_trigger"),
    ("sql", "type", "create_type"),
    ("sql", "view", "create_materialized_view", "create_view"),
    ("swift", "class", "class_declaration"),
    ("swift", "function", "function_declaration"),
    ("swift", "method", "init_declaration", "protocol_function_declaration"),
    ("swift", "protocol", "protocol_declaration"),
    ("swift", "type", "typealias_declaration"),
    ("toml", "key", "pair"),
    ("toml", "table", "table", "table_array_element"),
    ("typescript", "class", "abstract_class_declaration"),
    ("typescript", "enum", "enum_declaration"),
    ("typescript", "function", "function_signature"),
    ("typescript", "interface", "interface_declaration"),
    ("typescript", "method", "abstract_method_signature", "method_signature"),
    ("typescript", "method", "public_field_definition"),
    ("typescript", "namespace", "internal_module"),
    ("typescript", "type", "type_alias_declaration"),
    ("yaml", "key", "block_mapping_pair", "flow_pair"),
)
"""A row is a language, a kind of definition, and the node types that are of this kind."""

_LIKE: Final = {"cpp": "c", "typescript": "javascript", "tsx": "typescript"}
"""Languages that have the node types of another one too."""


def _read_rows() -> dict[str, dict[str, str]]:
    kinds: dict[str, dict[str, str]] = {}
    for language, kind, *types in _ROWS:
        kinds.setdefault(language, {}).update(dict.fromkeys(types, kind))
    for language, other in _LIKE.items():
        kinds[language] = kinds[other] | kinds.get(language, {})
    return kinds


_KINDS: Final = _read_rows()
