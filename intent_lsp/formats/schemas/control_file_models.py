"""The models of the intents file and of the policy in their normal form.

Specified in requirements sections 3 and 5.

Invariant: the model accepts an intents file in the normal form, and the value of `sidecar` in a
policy, if the server has no finding about it.
Invariant: what the model accepts has no finding of a wrong type, a missing key or an unknown
status.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from msgspec.json import decode, encode
from pydantic import AfterValidator, ConfigDict, Field, model_validator

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.text import camel_case
from intent_lsp.formats.intents.entry import ENTRY_KEYS, MAX_ID, STATUS_WORDS
from intent_lsp.formats.intents.policy_file import MAX_VERSION, MAX_WAIT_SECONDS, NO, YES
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS, ROOT_TEXTS, STATUS_TEXTS
from intent_lsp.formats.key_texts.key_text import KeyText
from intent_lsp.formats.key_texts.policy_keys import (
    DENY_RULE_TEXTS,
    LESSONS_TEXTS,
    POLICY_TEXTS,
    PRIVACY_TEXTS,
    SIDECAR_TEXTS,
)
from intent_lsp.formats.schemas.schema_model import (
    AnySpelling,
    SchemaModel,
    SchemaObject,
    SourceText,
    any_case,
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


_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(decode(encode(TeamPolicy())))
_SPELLINGS: Final = "|".join(any_case(word) for word in (*YES, *NO))

Flag: TypeAlias = bool | Annotated[str, Field(pattern=f"^({_SPELLINGS})$")]
"""A truth value, or one of the words that YAML 1.1 reads as one and YAML 1.2 as a text."""


def _words(key: str, texts: Mapping[str, KeyText] = POLICY_TEXTS) -> AnySpelling:
    return AnySpelling(texts[key].words, hyphens=True)


_EDITOR: Final = AnySpelling({ApprovalChannel.EDITOR: ""}, hyphens=True)


def _has_editor(channels: list[str]) -> list[str]:
    if not any(each.strip().lower() == ApprovalChannel.EDITOR for each in channels):
        raise ValueError("`hitl_by` must have `editor`")
    return channels


Channels: TypeAlias = Annotated[
    list[Annotated[str, _words("hitl_by")]],
    AfterValidator(_has_editor),
    Field(json_schema_extra={"contains": {"type": "string", "pattern": _EDITOR.pattern}}),
]
"""Where a person may answer: the editor among them."""


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
                    raise ValueError(
                        f"a key read in place of `{key}` must not be a list or mapping"
                    )
        return value

    @classmethod
    def add_rules(cls, schema: SchemaObject) -> None:
        """Forbid keys of other forms, such as camelCase.

        Also forbid a list or mapping as the value of a key such as `title`, which is read as `name`
        if `name` is absent.
        """
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


class _WithDefaults(SchemaModel):
    """A model whose keys have the defaults of the fields of a `TeamPolicy`.

    A field's name is `prefix` followed by the key, such as `lessons_violations`.
    """

    prefix: ClassVar = ""

    @classmethod
    def add_rules(cls, schema: SchemaObject) -> None:
        """Add the default of each key, but no empty list: editors would propose it as a value."""
        for name, value in schema["properties"].items():
            default = _DEFAULTS.get(cls.prefix + name)
            if default not in (None, []):
                value["default"] = default


class DenyRuleEntry(SchemaModel):
    """A glob of paths that no agent may change, and the reason for the rule."""

    model_config = ConfigDict(title="Rule")
    texts: ClassVar = DENY_RULE_TEXTS

    path_glob: SourceText
    reason: SourceText | None = None


class LessonsFiles(_WithDefaults):
    """The files in which lessons for later agents are written."""

    texts: ClassVar = LESSONS_TEXTS
    prefix: ClassVar = "lessons_"

    violations: SourceText | None = None
    verification: SourceText | None = None


class PrivacyRules(_WithDefaults):
    """Whether blame names people, and how records name sessions and conversations."""

    texts: ClassVar = PRIVACY_TEXTS

    authors: Annotated[str, _words("authors", PRIVACY_TEXTS)] | None = None
    session_ids: Annotated[str, _words("session_ids", PRIVACY_TEXTS)] | None = None
    urls: Annotated[str, _words("urls", PRIVACY_TEXTS)] | None = None


class PolicyRules(_WithDefaults):
    """The team's policy. Every key in it is optional."""

    texts: ClassVar = POLICY_TEXTS

    version: Annotated[int, Field(ge=0, le=MAX_VERSION)] | None = None
    architectural_constraints: list[SourceText] | None = None
    blocked_tools: list[SourceText] | None = None
    deny_mutations: list[DenyRuleEntry] | None = None
    enforcement: Annotated[str, _words("enforcement")] | None = None
    agents: Annotated[str, _words("agents")] | None = None
    agents_inherit: Annotated[str, _words("agents_inherit")] | None = None
    hitl: Annotated[str, _words("hitl")] | None = None
    hitl_by: Channels | None = None
    hitl_timeout_seconds: Annotated[int, Field(ge=1, le=MAX_WAIT_SECONDS)] | None = None
    fail_open: Flag | None = None
    contract: Annotated[str, _words("contract")] | None = None
    require_checkout: Flag | None = None
    require_read: Flag | None = None
    complete_on_attempt: Flag | None = None
    spec_iteration_globs: list[SourceText] | None = None
    mutating_tools: list[SourceText] | None = None
    read_only_tools: list[SourceText] | None = None
    history_in_yaml: Flag | None = None
    record_saves: Annotated[str, _words("record_saves")] | None = None
    generated: list[SourceText] | None = None
    ledger: Annotated[str, _words("ledger")] | None = None
    lessons: LessonsFiles | None = None
    privacy: PrivacyRules | None = None


class PolicyDocument(SchemaModel):
    """How edits of people and agents are judged in a project."""

    model_config = ConfigDict(title="Team policy of intent-lsp")
    texts: ClassVar = SIDECAR_TEXTS

    sidecar: PolicyRules | None = None
