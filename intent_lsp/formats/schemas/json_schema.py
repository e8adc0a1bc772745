"""Writes the models as JSON Schemas, in the keywords that draft-07 and 2020-12 share.

Invariant: a schema has no references, because readers of draft-07 pass over what stands beside one.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from intent_lsp.formats.schemas.control_file_models import IntentsDocument, PolicyDocument
from intent_lsp.formats.schemas.record_model import LedgerRecord
from intent_lsp.formats.schemas.schema_model import SchemaModel, SchemaObject

MODELS: Final[Mapping[str, type[SchemaModel]]] = {
    "intents": IntentsDocument,
    "policy": PolicyDocument,
    "record": LedgerRecord,
}
"""The models by the name of their schema."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_FIRST: Final = ("title", "description", "type", "const", "default", "required", "properties")
_OF_SCHEMAS: Final = ("items", "additionalProperties", "contains", "not", "if", "then")
_LISTS_OF_SCHEMAS: Final = ("anyOf", "allOf")


def json_schema(name: str) -> SchemaObject:
    """Return the JSON Schema with the name `intents`, `policy` or `record`."""
    made = MODELS[name].model_json_schema()
    definitions = made.pop("$defs", {})
    plain: SchemaObject = _plain(made, definitions)
    return {"$schema": _DIALECT} | plain


def schema_text(name: str) -> str:
    """Return the JSON Schema `name` (see `json_schema`) as indented JSON with a final newline."""
    return json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n"


def _plain(schema: Any, definitions: Mapping[str, SchemaObject]) -> Any:  # noqa: ANN401 -- or a truth value
    """Return a schema with its references replaced by what they refer to.

    Alternatives that can be one schema with a list of types are joined (see `_can_join`). A default
    of null is left out: pydantic writes it for each key that may be absent.
    """
    if not isinstance(schema, dict):
        return schema
    named = schema.get("$ref")
    if named is not None:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = definitions[named.rpartition("/")[2]] | beside
    made: SchemaObject = {}
    for key, value in schema.items():
        if key == "properties":
            made[key] = {name: _plain(each, definitions) for name, each in value.items()}
        elif key in _OF_SCHEMAS:
            made[key] = _plain(value, definitions)
        elif key in _LISTS_OF_SCHEMAS:
            made[key] = [_plain(each, definitions) for each in value]
        elif key != "default" or value is not None:
            made[key] = value
    return _in_order(_one_of_types(made))


def _one_of_types(schema: SchemaObject) -> SchemaObject:
    """Return a schema in which alternatives of `anyOf` are joined, if they can be (`_can_join`).

    For example, a text with a pattern and null become the types text and null with the pattern,
    which says nothing about null. `anyOf` goes if one alternative is left.
    """
    options = schema.get("anyOf")
    if options is None:
        return schema
    joined: list[SchemaObject] = []
    for option in options:
        before = next((each for each in joined if _can_join(each, option)), None)
        if before is None:
            joined.append(dict(option))
        else:
            types = _types({**before, "type": [*_types(before), *_types(option)]})
            before |= {**option, "type": types}
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return joined[0] | rest if len(joined) == 1 else {**rest, "anyOf": joined}


def _can_join(one: SchemaObject, other: SchemaObject) -> bool:
    """Return whether two alternatives name different types and have no other keyword in common.

    Return False if one has a keyword that concerns values of every type, such as `enum`.
    """
    closed = {"const", "enum", "anyOf", "allOf", "not", "if"}
    both = _types(one) and _types(other) and not set(_types(one)) & set(_types(other))
    keys = (one.keys() | other.keys()) & closed
    said = (one.keys() & other.keys()) - {"type"}
    return bool(both) and not keys and not said


def _types(schema: SchemaObject) -> list[str]:
    """Return the types that a schema names, each once, without `integer` beside `number`."""
    found = schema.get("type", [])
    types = [found] if isinstance(found, str) else list(dict.fromkeys(found))
    return [each for each in types if each != "integer" or "number" not in types]


def _in_order(schema: SchemaObject) -> SchemaObject:
    """Return a schema with its keywords in a fixed order: title and description come first."""
    first: Iterable[str] = (key for key in _FIRST if key in schema)
    return {key: schema[key] for key in dict.fromkeys((*first, *schema))}
