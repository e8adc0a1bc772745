"""The node types that are definitions, by language, as the tree-sitter grammars name them."""

from typing import Final

CONTAINERS: Final = frozenset(
    [
        "class",
        "struct",
        "interface",
        "trait",
        "enum",
        "impl",
        "protocol",
        "object",
        "record",
        "union",
        "extension",
    ]
)
"""Kinds of definitions in which a function is a method."""

HELD_WITH: Final = frozenset(
    [
        "decorated_definition",
        "export_statement",
        "template_declaration",
        "type_declaration",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "variable_declarator",
        "statement",
        "expression_statement",
        "internal_module",
    ]
)
"""Node types that wrap a definition and belong to it, such as its decorators."""

LISTS: Final = frozenset(["type_declaration", "lexical_declaration", "variable_declaration"])
"""Those of `HELD_WITH` that may hold several definitions."""

NEED_BODY: Final = frozenset(
    ["struct_specifier", "class_specifier", "union_specifier", "enum_specifier"]
)
"""Node types that define something only if they have a body. Without one they refer to a type."""

FUNCTION_VALUES: Final = frozenset(
    ["arrow_function", "function_expression", "generator_function", "class"]
)
"""Values that make a variable or field a definition."""
HOLD_VALUES: Final = frozenset(
    ["variable_declarator", "field_definition", "public_field_definition"]
)
"""Node types that define something only if their value is one of `FUNCTION_VALUES`."""

DEEPEST: Final = {"json": 4, "toml": 1, "yaml": 7}
"""In data languages, the greatest depth in the tree of a definition: two levels of keys."""


def kinds_of(language: str) -> dict[str, str]:
    """Return the kind of definition for each node type of a language; empty if it has none."""
    return _KINDS.get(language, {})


_SCRIPT: Final = {
    "class_declaration": "class",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "method_definition": "method",
    "variable_declarator": "function",
    "field_definition": "method",
}
_TYPED_SCRIPT: Final = _SCRIPT | {
    "abstract_class_declaration": "class",
    "abstract_method_signature": "method",
    "enum_declaration": "enum",
    "function_signature": "function",
    "interface_declaration": "interface",
    "internal_module": "namespace",
    "method_signature": "method",
    "public_field_definition": "method",
    "type_alias_declaration": "type",
}
_C: Final = {
    "enum_specifier": "enum",
    "function_definition": "function",
    "preproc_function_def": "macro",
    "struct_specifier": "struct",
    "type_definition": "type",
    "union_specifier": "union",
}
_KINDS: Final[dict[str, dict[str, str]]] = {
    "bash": {"function_definition": "function"},
    "c": _C,
    "c_sharp": {
        "class_declaration": "class",
        "constructor_declaration": "method",
        "delegate_declaration": "type",
        "enum_declaration": "enum",
        "interface_declaration": "interface",
        "local_function_statement": "function",
        "method_declaration": "method",
        "namespace_declaration": "namespace",
        "property_declaration": "property",
        "record_declaration": "record",
        "struct_declaration": "struct",
    },
    "cpp": _C
    | {
        "alias_declaration": "type",
        "class_specifier": "class",
        "concept_definition": "concept",
        "namespace_definition": "namespace",
    },
    "css": {
        "at_rule": "rule",
        "keyframes_statement": "rule",
        "media_statement": "rule",
        "rule_set": "rule",
    },
    "go": {
        "function_declaration": "function",
        "method_declaration": "method",
        "method_elem": "method",
        "type_alias": "type",
        "type_spec": "type",
    },
    "html": {"element": "element", "script_element": "element", "style_element": "element"},
    "java": {
        "annotation_type_declaration": "interface",
        "class_declaration": "class",
        "constructor_declaration": "method",
        "enum_declaration": "enum",
        "interface_declaration": "interface",
        "method_declaration": "method",
        "record_declaration": "record",
    },
    "javascript": _SCRIPT,
    "json": {"pair": "key"},
    "kotlin": {
        "class_declaration": "class",
        "companion_object": "object",
        "function_declaration": "function",
        "object_declaration": "object",
        "type_alias": "type",
    },
    "markdown": {"section": "section"},
    "php": {
        "class_declaration": "class",
        "enum_declaration": "enum",
        "function_definition": "function",
        "interface_declaration": "interface",
        "method_declaration": "method",
        "trait_declaration": "trait",
    },
    "python": {"class_definition": "class", "function_definition": "function"},
    "ruby": {
        "class": "class",
        "method": "function",
        "module": "module",
        "singleton_method": "function",
    },
    "rust": {
        "enum_item": "enum",
        "function_item": "function",
        "function_signature_item": "function",
        "impl_item": "impl",
        "macro_definition": "macro",
        "mod_item": "module",
        "struct_item": "struct",
        "trait_item": "trait",
        "type_item": "type",
        "union_item": "union",
    },
    "sql": {
        "create_function": "function",
        "create_index": "index",
        "create_materialized_view": "view",
        "create_sequence": "sequence",
        "create_table": "table",
        "create_trigger": "trigger",
        "create_type": "type",
        "create_view": "view",
    },
    "swift": {
        "class_declaration": "class",
        "function_declaration": "function",
        "init_declaration": "method",
        "protocol_declaration": "protocol",
        "protocol_function_declaration": "method",
        "typealias_declaration": "type",
    },
    "toml": {"pair": "key", "table": "table", "table_array_element": "table"},
    "tsx": _TYPED_SCRIPT,
    "typescript": _TYPED_SCRIPT,
    "yaml": {"block_mapping_pair": "key", "flow_pair": "key"},
}
