"""The model of the team's policy in its normal form (requirements section 5).

Invariant: where the server shows nothing about a policy below `sidecar`, the model accepts it.
Invariant: what the model accepts has no finding of a wrong type or a missing key.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from msgspec.json import decode, encode
from pydantic import AfterValidator, ConfigDict, Field

from intent_lsp.core.approvals import ApprovalChannel
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.formats.intents.policy_file import MAX_VERSION, MAX_WAIT_SECONDS, NO, YES
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

_DEFAULTS: Final[Mapping[str, Any]] = MappingProxyType(decode(encode(TeamPolicy())))
_SPELLINGS: Final = "|".join(any_case(word) for word in (*YES, *NO))

Flag: TypeAlias = bool | Annotated[str, Field(pattern=f"^({_SPELLINGS})$")]
"""A truth value, or one of the words that YAML 1.1 reads as one and YAML 1.2 as a text."""


def _policy_words(key: str) -> AnySpelling:
    return AnySpelling(POLICY_TEXTS[key].words, hyphens=True)


def _privacy_words(key: str) -> AnySpelling:
    return AnySpelling(PRIVACY_TEXTS[key].words, hyphens=True)


_EDITOR: Final = AnySpelling({ApprovalChannel.EDITOR: ""}, hyphens=True)


def _has_editor(channels: list[str]) -> list[str]:
    if not any(each.strip().lower() == ApprovalChannel.EDITOR for each in channels):
        raise ValueError("`hitl_by` must have `editor`")
    return channels


Channels: TypeAlias = Annotated[
    list[Annotated[str, _policy_words("hitl_by")]],
    AfterValidator(_has_editor),
    Field(json_schema_extra={"contains": {"type": "string", "pattern": _EDITOR.pattern}}),
]
"""Where a person may answer: the editor among them."""


class _WithDefaults(SchemaModel):
    """A model whose keys have the defaults of the fields of a `TeamPolicy`.

    The name of a field is `prefix` and the key.
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
    """What records and blame say about people."""

    texts: ClassVar = PRIVACY_TEXTS

    authors: Annotated[str, _privacy_words("authors")] | None = None
    session_ids: Annotated[str, _privacy_words("session_ids")] | None = None
    urls: Annotated[str, _privacy_words("urls")] | None = None


class PolicyRules(_WithDefaults):
    """The team's policy. Every key in it is optional."""

    texts: ClassVar = POLICY_TEXTS

    version: Annotated[int, Field(ge=0, le=MAX_VERSION)] | None = None
    architectural_constraints: list[SourceText] | None = None
    blocked_tools: list[SourceText] | None = None
    deny_mutations: list[DenyRuleEntry] | None = None
    enforcement: Annotated[str, _policy_words("enforcement")] | None = None
    agents: Annotated[str, _policy_words("agents")] | None = None
    agents_inherit: Annotated[str, _policy_words("agents_inherit")] | None = None
    hitl: Annotated[str, _policy_words("hitl")] | None = None
    hitl_by: Channels | None = None
    hitl_timeout_seconds: Annotated[int, Field(ge=1, le=MAX_WAIT_SECONDS)] | None = None
    fail_open: Flag | None = None
    contract: Annotated[str, _policy_words("contract")] | None = None
    require_checkout: Flag | None = None
    require_read: Flag | None = None
    complete_on_attempt: Flag | None = None
    spec_iteration_globs: list[SourceText] | None = None
    mutating_tools: list[SourceText] | None = None
    read_only_tools: list[SourceText] | None = None
    history_in_yaml: Flag | None = None
    record_saves: Annotated[str, _policy_words("record_saves")] | None = None
    generated: list[SourceText] | None = None
    ledger: Annotated[str, _policy_words("ledger")] | None = None
    lessons: LessonsFiles | None = None
    privacy: PrivacyRules | None = None


class PolicyDocument(SchemaModel):
    """How edits of people and agents are judged in a project."""

    model_config = ConfigDict(title="Team policy of intent-lsp")
    texts: ClassVar = SIDECAR_TEXTS

    sidecar: PolicyRules | None = None
