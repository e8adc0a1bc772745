"""The published schemas: their keys, their texts, the keywords that they are made of."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, get_args, get_origin

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from intent_lsp.core.approvals import ApprovalChoice
from intent_lsp.core.intents import Status
from intent_lsp.core.paths import INTENTS_FILE, POLICY_FILE
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.records import EntityType, MutationClass, ScopeValidation
from intent_lsp.formats.intents.entry import ENTRY_KEYS, status_meant
from intent_lsp.formats.intents.policy_file import read_policy
from intent_lsp.formats.key_texts import intents_keys, policy_keys, record_keys
from intent_lsp.formats.key_texts.key_text import KeyText
from intent_lsp.formats.ledger.schema import WireRecord
from intent_lsp.formats.schemas.control_file_models import OTHER_NAMES
from intent_lsp.formats.schemas.json_schema import MODELS, json_schema
from intent_lsp.store.packaged_files import template
from tests.support.yaml_values import values_of

SHARED = frozenset(
    (
        *("$schema", "title", "description", "default", "format", "type", "const", "pattern"),
        *("properties", "required", "additionalProperties", "items", "contains"),
        *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
        *("anyOf", "allOf", "not", "if", "then"),
    )
)
"""Keywords that mean the same in draft-07 and in 2020-12, as far as the schemas use them."""

POLICY_WORDS = {
    field.name: words
    for field in msgspec.structs.fields(TeamPolicy)
    for words in (field.type, *get_args(field.type))
    if isinstance(words, type) and issubclass(words, StrEnum)
}
TABLES = [
    table
    for module in (intents_keys, policy_keys, record_keys)
    for name, table in vars(module).items()
    if name.endswith("_TEXTS") and name != "STATUS_TEXTS"
]

each_schema = pytest.mark.parametrize("name", MODELS)


def below(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield a schema and all schemas in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    named = schema.get("properties", {}).values()
    alone = [schema[key] for key in ("items", "contains", "not", "if", "then") if key in schema]
    listed = [each for key in ("anyOf", "allOf") for each in schema.get(key, [])]
    for each in (*named, *alone, *listed):
        yield from below(each)


def keys(schema: dict[str, Any]) -> list[str]:
    """Return the keys that a schema describes."""
    return [key for key, value in schema["properties"].items() if value is not False]


@each_schema
def test_a_schema_is_one_of_both_drafts(name: str) -> None:
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    Draft7Validator.check_schema(schema)
    assert {key for each in below(schema) for key in each} <= SHARED


@each_schema
def test_each_key_has_a_title_and_a_description(name: str) -> None:
    schema = json_schema(name)
    assert schema["title"]
    for each in below(schema):
        for key in keys(each) if "title" in each and "properties" in each else ():
            value = each["properties"][key]
            assert value["title"], key
            assert value["description"].endswith((".", "`")), key


def test_each_text_is_one_line_and_a_title_short() -> None:
    texts: list[KeyText] = [text for table in TABLES for text in table.values()]
    assert len(texts) > 80
    for text in texts:
        assert len(text.title) <= 32
        assert not text.title.endswith(".")
        for sentence in (text.description, *text.words.values()):
            assert sentence.endswith("."), sentence
            assert "\n" not in sentence
            assert "  " not in sentence


def test_the_keys_of_an_intent_are_those_that_are_read() -> None:
    entry = json_schema("intents")["properties"]["active_intents"]["items"]
    assert set(keys(entry)) == set(ENTRY_KEYS.known) == intents_keys.ENTRY_TEXTS.keys()
    camel = ("ownedScope", "acceptanceCriteria", "relatedFiles", "recentHistory", "specificationId")
    assert {"scope", *camel, "createdAt", "updatedAt"} == OTHER_NAMES
    assert all(entry["properties"][name] is False for name in OTHER_NAMES)


def test_each_status_has_its_text_and_is_read_as_itself() -> None:
    assert set(intents_keys.STATUS_TEXTS) == set(Status)
    assert all(status_meant(word) is Status(word) for word in intents_keys.STATUS_TEXTS)


def test_the_keys_of_the_policy_are_those_that_are_read() -> None:
    rules = json_schema("policy")["properties"]["sidecar"]
    lessons, privacy = (rules["properties"][key] for key in ("lessons", "privacy"))
    fields = {*keys(rules), *keys(privacy), *(f"lessons_{key}" for key in keys(lessons))}
    assert fields - {"lessons", "privacy"} == {*TeamPolicy.__struct_fields__}
    lines = [f"  {key}:" for key in keys(rules) if key not in {"lessons", "privacy"}]
    lines += [f"  lessons: {{{', '.join(f'{key}: ' for key in keys(lessons))}}}"]
    lines += [f"  privacy: {{{', '.join(f'{key}: ' for key in keys(privacy))}}}"]
    assert read_policy("sidecar:\n" + "\n".join(lines)).findings == ()


def test_each_word_of_the_policy_has_its_text() -> None:
    tables = {**policy_keys.POLICY_TEXTS, **policy_keys.PRIVACY_TEXTS}
    assert {key for key, text in tables.items() if text.words} == POLICY_WORDS.keys()
    for key, words in POLICY_WORDS.items():
        assert list(tables[key].words) == list(words), key


def test_each_word_of_a_record_has_its_text() -> None:
    kinds = record_keys.CONTRIBUTOR_TEXTS["entity_type"], record_keys.APPROVAL_TEXTS["choice"]
    verdicts = (record_keys.RECORD_TEXTS[key] for key in ("mutation_class", "scope_validation"))
    enums = (EntityType, ApprovalChoice, MutationClass, ScopeValidation)
    for text, words in zip((*kinds, *verdicts), enums, strict=True):
        assert list(text.words) == list(words), text.title


def test_a_default_in_the_schema_is_the_policy_s_own() -> None:
    rules = json_schema("policy")["properties"]["sidecar"]

    def defaults(schema: dict[str, Any]) -> dict[str, Any]:
        return {
            key: value["default"] if "default" in value else defaults(value)
            for key, value in schema["properties"].items()
            if "default" in value or "properties" in value
        }

    text = msgspec.json.encode({"sidecar": defaults(rules)}).decode()
    read = read_policy(text)
    assert (read.policy, read.findings) == (TeamPolicy(), ())
    assert read.policy.spec_iteration_globs
    assert "specs/" in text


def test_the_keys_of_a_record_stand_in_the_order_of_the_line() -> None:
    def check(struct: type[msgspec.Struct], schema: dict[str, Any]) -> int:
        count = 1
        assert tuple(keys(schema)) == struct.__struct_encode_fields__
        for field in msgspec.structs.fields(struct):
            value = schema["properties"][field.name]
            for inner in structs(field.type):
                count += check(inner, value.get("items", value))
        return count

    def structs(type_: Any) -> Iterator[type[msgspec.Struct]]:
        if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
            yield type_
        elif get_origin(type_) is not None:
            for each in get_args(type_):
                yield from structs(each)

    assert check(WireRecord, json_schema("record")) == 11


@pytest.mark.parametrize(("name", "path"), [("intents", INTENTS_FILE), ("policy", POLICY_FILE)])
def test_the_templates_validate(name: str, path: str) -> None:
    for value in values_of(template(path)):
        Draft202012Validator(json_schema(name)).validate(value)
