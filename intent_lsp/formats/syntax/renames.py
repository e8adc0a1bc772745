"""Detection of renames: whether names were changed at their declarations and at every use."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tree_sitter import Node

from intent_lsp.formats.syntax.definition_nodes import naming_part
from intent_lsp.formats.syntax.languages import SyntaxTree

MAX_PLACES: Final = 2_000
"""The most occurrences of changed names for which a change may be called a rename."""


def is_identifier(node: Node) -> bool:
    """Return whether a leaf node is a name chosen by the author of the code."""
    if node.type == "word":
        return node.parent is not None and node.parent.type in _COMMANDS
    return _NAMES.fullmatch(node.type) is not None


def consistent(tree: SyntaxTree, renamed: Mapping[tuple[bytes, bytes], Sequence[Node]]) -> bool:
    """Return whether the names in `renamed` were changed wherever the code has them.

    `renamed` maps (old name, new name) to the changed nodes of `tree`, the old tree. For each name,
    its declaration and every other use in its scope must be renamed, and the old tree must not use
    the new name in that scope. False also if more than MAX_PLACES nodes are changed.
    """
    few = sum(map(len, renamed.values())) <= MAX_PLACES
    return few and all(_renames(tree, *names, nodes) for names, nodes in renamed.items())


def _renames(tree: SyntaxTree, old: bytes, new: bytes, nodes: Sequence[Node]) -> bool:
    """Return whether `nodes` are the declaration and all uses of `old`, and `new` was not used."""
    scopes = {_scope(tree, node) for node in nodes if _binds(tree, node)}
    places = {node.start_byte for node in nodes}
    members = any(_is_member(node) for node in nodes)
    known = all(any(start <= place < end for start, end in scopes) for place in places)
    return known and all(
        all(place in places for place in _places(tree, old, scope, members=members))
        and next(_places(tree, new, scope, members=members), None) is None
        for scope in scopes
    )


def _scope(tree: SyntaxTree, node: Node) -> tuple[int, int]:
    """Return the (start, end) byte range in which an identifier's name has the same meaning.

    That is the nearest function or block around the identifier, but not a function whose name the
    identifier is; else the whole source. For a name that is looked up in something, as in
    `thing.name`, it is always the whole source.
    """
    above = None if _is_member(node) else node.parent
    while above is not None:
        block = tree.language not in _BY_FUNCTION and _BLOCKS.fullmatch(above.type)
        # A function's own name is visible outside the function, so its scope is a larger one.
        if (block or _FUNCTIONS.fullmatch(above.type)) and naming_part(above) != node:
            return above.start_byte, above.end_byte
        above = above.parent
    return 0, len(tree.source) + 1


def _binds(tree: SyntaxTree, node: Node) -> bool:
    """Return whether an identifier is at the place where its name is declared."""
    while (above := node.parent) is not None and (
        _TRANSPARENT.fullmatch(above.type) or _is_of_self(tree, above)
    ):
        node = above
    if above is None or _is_part(above, node, *_USE):
        return False
    if _BINDING.search(above.type) or _is_part(above, node, "alias"):
        return True
    return not _USING.search(above.type) and _is_part(above, node, *_BOUND)


def _is_of_self(tree: SyntaxTree, node: Node) -> bool:
    """Return whether a node is an attribute of `self`, `cls` or `this`, such as `self.name`."""
    thing = node.child_by_field_name("object")
    return thing is not None and tree.text(thing) in (b"self", b"cls", b"this")


def _is_member(node: Node) -> bool:
    """Return whether an identifier is looked up in something, as `name` is in `thing.name`.

    The name of a keyword argument counts too.
    """
    above = node.parent
    if above is None or _MEMBERS.fullmatch(node.type):
        return above is not None
    if above.type == "keyword_argument":
        return _is_part(above, node, "name")
    looked_up = _LOOKUPS.fullmatch(above.type) and node.start_byte > above.start_byte
    return bool(looked_up) and not _is_part(above, node, "arguments")


def _is_part(above: Node, node: Node, *fields: str) -> bool:
    """Return whether `node` is the child of `above` in one of the given grammar fields."""
    return any(above.child_by_field_name(each) == node for each in fields)


def _places(
    tree: SyntaxTree, name: bytes, scope: tuple[int, int], *, members: bool
) -> Iterator[int]:
    """Yield the byte offsets in a scope, a byte range, where a name occurs as an identifier.

    Names of members, as in `thing.name`, and of keyword arguments, as in `f(name=1)`, count only if
    `members` is set. If the text of the name occurs more than MAX_PLACES times, every further
    occurrence counts as an identifier.
    """
    before = rb"(?<![\w$])" if name[:1].isalnum() or name[:1] == b"_" else b""
    word = re.compile(before + re.escape(name) + rb"(?![\w$])")
    for count, found in enumerate(word.finditer(tree.source, *scope)):
        node = tree.root.descendant_for_byte_range(found.start(), found.end())
        # Past the limit, count the text as a use of the name: then the change is no rename.
        if count > MAX_PLACES or (node is not None and _stands(tree, node, name, members=members)):
            yield found.start()


def _stands(tree: SyntaxTree, node: Node, name: bytes, *, members: bool) -> bool:
    """Return whether a node is an identifier with this name.

    The name of a member, as in `thing.name`, or of a keyword argument, as in `f(name=1)`, counts
    only if `members` is set.
    """
    return is_identifier(node) and tree.text(node) == name and (members or not _is_member(node))


_FUNCTIONS: Final = re.compile(
    "(?:local_|protocol_)?function_(?:definition|declaration|item|expression|statement)"
    "|(?:generator_function|method|constructor|init)_(?:declaration|definition)|func_literal"
    "|generator_function|(?:singleton_)?method|lambda(?:_expression|_literal)?|closure_expression"
    "|arrow_function|anonymous_function(?:_creation_expression)?|do_block|create_function"
    "|(?:list|set|dictionary)_comprehension|generator_expression|catch_clause"
)
_BLOCKS: Final = re.compile(
    "(?:statement_)?block|compound_statement|match_arm|for_expression|for_range_loop"
    "|(?:for|for_in|enhanced_for|foreach)_statement"
)
_BY_FUNCTION: Final = ("bash", "php", "python")
"""Languages in which a name is visible in the whole function, not only in a block."""

_COMMANDS: Final = ("function_definition", "command_name")
_NAMES: Final = re.compile(
    "(?!shorthand_property_).*identifier|(?:variable_|id_)?name|constant|metavariable"
    "|(?:instance|class|global)_variable"
)
_MEMBERS: Final = re.compile(".*(?:property|field)_identifier|(?:instance|class|global)_variable")
_LOOKUPS: Final = re.compile(
    "attribute|(?:member|field|selector|navigation)_expression|navigation_suffix|field_access"
    "|method_invocation|(?:(?:nullsafe_)?member|scoped_property|class_constant)_access_expression"
    "|call|(?:(?:nullsafe_)?member|scoped)_call_expression"
)
_TRANSPARENT: Final = re.compile(
    "variable_name|(?:expression|pattern|left_assignment)_list|dotted_name|type"
    "|(?:pointer|reference|array|function)_declarator"
)
_USE: Final = ("value", "default_value", "type", "right", "body", "object", "function", "condition")
_BOUND: Final = ("name", "declarator", "pattern", "left", "bound_identifier", "parameter")
_BINDING: Final = re.compile(
    "parameter|import_clause|namespace_import|pattern|variable_declaration|enum_entry"
)
# In these nodes a name is used, not declared. Imports are among them: the name was declared
# elsewhere, and another name would import something else.
_USING: Final = re.compile(
    "import|use_|binary|boolean|comparison|call|invocation|argument|access|attribute"
    "|reference|scoped|qualified|member|selector|command|infix"
)
