"""Where a name is known, and what an identifier does where it stands."""

from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.languages import SyntaxTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Bindings:
    """A stretch of a text in which a name means one thing; `outer` is around it."""

    start: int
    end: int
    outer: "Bindings | None" = None


def scope_below(language: str, scope: Bindings, node: Node, part: str | None) -> Bindings:
    """Give the scope of a node's part, from the scope that is around the node."""
    if node.type == "function_declarator" and part == "declarator":
        # The name of a function of C is known outside of it.
        return scope.outer or scope
    opens = node.type in _FUNCTIONS or (node.type in _BLOCKS and language not in _BY_FUNCTION)
    if not opens or part == "name":
        return scope
    return Bindings(start=node.start_byte, end=node.end_byte, outer=scope)


def is_identifier(node: Node) -> bool:
    """Find out whether a leaf is a name that somebody chose."""
    if node.type == "word":
        return node.parent is not None and node.parent.type in _COMMANDS
    return node.type in _NAMES or (
        node.type.endswith("identifier") and node.type != "shorthand_property_identifier"
    )


def is_member(node: Node) -> bool:
    """Find out whether a name is looked up in something, as in `thing.name`."""
    if node.type in ("property_identifier", "field_identifier", "private_property_identifier"):
        return True
    above = node.parent
    if above is None or above.type not in _LOOKUPS:
        return above is not None and above.type == "keyword_argument" and _is(above, "name", node)
    arguments = above.child_by_field_name("arguments")
    inside = arguments is not None and arguments.start_byte <= node.start_byte
    return node.start_byte > above.start_byte and not inside


def binds(tree: SyntaxTree, node: Node) -> bool:
    """Find out whether an identifier stands where its name is made known."""
    above = node.parent
    if above is not None and above.type in _LOOKUPS and _of_self(tree, above):
        # An object's own attribute is made known by assigning it.
        node, above = above, above.parent
    while above is not None and above.type in _TRANSPARENT:
        node, above = above, above.parent
    if above is None or any(_is(above, part, node) for part in _USES):
        return False
    if any(word in above.type for word in _BINDING_PARENTS) or _is(above, "alias", node):
        return True
    if any(word in above.type for word in _USING_PARENTS):
        return False
    return any(_is(above, part, node) for part in _BINDINGS)


def known_everywhere(node: Node) -> bool:
    """Find out whether a name is known wherever its object is, and not by scopes."""
    return is_member(node) or node.type in _SHARED


def _of_self(tree: SyntaxTree, node: Node) -> bool:
    thing = node.child_by_field_name("object")
    return thing is not None and tree.text(thing) in (b"self", b"cls", b"this")


def _is(above: Node, part: str, node: Node) -> bool:
    return above.child_by_field_name(part) == node


_FUNCTIONS: Final = frozenset(
    [
        "function_definition",
        "function_declaration",
        "function_item",
        "function_expression",
        "arrow_function",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "constructor_declaration",
        "method",
        "singleton_method",
        "lambda",
        "lambda_expression",
        "lambda_literal",
        "closure_expression",
        "func_literal",
        "anonymous_function",
        "anonymous_function_creation_expression",
        "init_declaration",
        "do_block",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
        "local_function_statement",
        "create_function",
        "catch_clause",
        "protocol_function_declaration",
    ]
)
_BLOCKS: Final = frozenset(
    [
        "block",
        "statement_block",
        "compound_statement",
        "for_statement",
        "for_in_statement",
        "for_expression",
        "enhanced_for_statement",
        "foreach_statement",
        "for_range_loop",
        "match_arm",
    ]
)
_BY_FUNCTION: Final = frozenset(["bash", "php", "python"])
"""Languages in which a name is known in the whole function."""

_COMMANDS: Final = ("function_definition", "command_name")
_NAMES: Final = frozenset(
    [
        "name",
        "constant",
        "variable_name",
        "instance_variable",
        "class_variable",
        "global_variable",
        "id_name",
        "metavariable",
    ]
)
_SHARED: Final = ("instance_variable", "class_variable", "global_variable")
_LOOKUPS: Final = frozenset(
    [
        "attribute",
        "member_expression",
        "field_expression",
        "selector_expression",
        "navigation_expression",
        "navigation_suffix",
        "field_access",
        "method_invocation",
        "member_access_expression",
        "call",
        "member_call_expression",
        "scoped_call_expression",
        "scoped_property_access_expression",
        "nullsafe_member_call_expression",
        "nullsafe_member_access_expression",
        "class_constant_access_expression",
    ]
)
_TRANSPARENT: Final = frozenset(
    [
        "variable_name",
        "expression_list",
        "dotted_name",
        "pattern_list",
        "left_assignment_list",
        "type",
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "function_declarator",
    ]
)
_USES: Final = (
    "value",
    "default_value",
    "type",
    "right",
    "body",
    "object",
    "function",
    "condition",
)
_BINDING_PARENTS: Final = (
    "parameter",
    "import_clause",
    "namespace_import",
    "pattern",
    "variable_declaration",
    "enum_entry",
)
_USING_PARENTS: Final = (
    *("binary", "boolean", "comparison", "call", "invocation", "argument", "access", "attribute"),
    # What is imported was named elsewhere; another name imports another thing.
    *("import", "use_"),
    *("reference", "scoped", "qualified", "member", "selector", "command", "infix"),
)
_BINDINGS: Final = ("name", "declarator", "pattern", "left", "bound_identifier", "parameter")
