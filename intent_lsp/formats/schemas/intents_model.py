"""The model of the intents file in its normal form (requirements section 3).

Invariant: where the server shows nothing about a file in the normal form, the model accepts it.
Invariant: what the model accepts has no finding of a wrong type, a missing key or an unknown
status.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from intent_lsp.core.text import camel_case
from intent_lsp.formats.intents.entry import ENTRY_KEYS, MAX_ID, STATUS_WORDS
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS, ROOT_TEXTS, STATUS_TEXTS
from intent_lsp.formats.key_texts.key_text import KeyText
from intent_lsp.formats.schemas.schema_model import (
    AnySpelling,
    SchemaModel,
    SchemaObject,
    SourceText,
)

_OLDER_STATUSES: Final = tuple(word for word in STATUS_WORDS if word not in STATUS_TEXTS)
_BREAKS: Final = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_ONE_LINE: Final = rf"^[^{_BREAKS}]*[^\s{_BREAKS}][^{_BREAKS}]*$"

StatusWord: TypeAlias = Annotated[str, AnySpelling(STATUS_TEXTS, _OLDER_STATUSES)]
"""A status, or an older word for one, in any letter case."""

IdValue: TypeAlias = (
    Annotated[str, Field(min_length=1, max_length=MAX_ID, pattern=_ONE_LINE)] | int | float | bool
)
"""An id, read as its source text: `001` and `no` are ids."""


OTHER_NAMES: Final = frozenset(
    spelling
    for name in (*ENTRY_KEYS.known, *ENTRY_KEYS.others)
    for spelling in (name, camel_case(name))
    if spelling not in ENTRY_KEYS.known and name not in ENTRY_KEYS.quiet
)
"""Keys that are read as another key, and so never stand in the normal form: `scope`, camelCase."""

STAND_INS: Final[Mapping[str, frozenset[str]]] = {
    key: frozenset(
        spelling
        for name, meant in ENTRY_KEYS.others.items()
        if meant == key and name in ENTRY_KEYS.quiet
        for spelling in (name, camel_case(name))
    )
    for key in ("name", "specification_id")
}
"""Keys that are read in the place of one that is absent, and are free otherwise: `title`."""


class IntentEntry(SchemaModel):
    """One intent: a piece of work, and the files that an edit for it may change."""

    model_config = ConfigDict(title="Intent", extra="allow")
    texts: ClassVar = ENTRY_TEXTS

    id: IdValue
    name: SourceText | None = None
    status: StatusWord | None = None
    owned_scope: list[SourceText] | None = None
    constraints: list[SourceText] | None = None
    acceptance_criteria: list[SourceText] | None = None
    related_files: list[SourceText] | None = None
    recent_history: list[SourceText] | None = None
    aliases: list[SourceText] | None = None
    specification_id: SourceText | None = None
    created_at: SourceText | None = None
    updated_at: SourceText | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_normal_form(cls, value: Any) -> Any:  # noqa: ANN401 -- whatever was given
        if isinstance(value, dict):
            other = sorted(OTHER_NAMES & value.keys())
            if other:
                raise ValueError(f"`{other[0]}` is not a key of the normal form")
            for key, names in STAND_INS.items():
                read = names & value.keys() if key not in value else frozenset[str]()
                if any(isinstance(value[name], dict | list) for name in read):
                    raise ValueError(f"what is read as `{key}` must be a single value")
        return value

    @classmethod
    def add_rules(cls, schema: SchemaObject) -> None:
        """Forbid keys of other forms, and lists and mappings in the place of an absent key."""
        schema["properties"] |= dict.fromkeys(sorted(OTHER_NAMES), False)
        schema["allOf"] = [_stand_in_rule(key, sorted(names)) for key, names in STAND_INS.items()]


def _stand_in_rule(key: str, names: list[str]) -> SchemaObject:
    # As `not`, so that editors do not propose these names as keys.
    wrong = [
        {"required": [name], "properties": {name: {"type": ["array", "object"]}}} for name in names
    ]
    return {"if": {"not": {"required": [key]}}, "then": {"not": {"anyOf": wrong}}}


class IntentsDocument(SchemaModel):
    """The pieces of work of a project, and the files that each of them may change."""

    model_config = ConfigDict(title="Intents file of intent-lsp", extra="allow")
    texts: ClassVar[Mapping[str, KeyText]] = ROOT_TEXTS

    active_intents: list[IntentEntry] | None
