"""The model of a record, as one line of the ledger holds it (ledger section 1).

Invariant: the model accepts each line that this program writes. The model does not check the order
of ranges, the hashes and the chain; `intent-lsp trace verify` does.
"""

from typing import Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from intent_lsp.core.records import UNKNOWN_REVISION, MutationClass, ScopeValidation
from intent_lsp.formats.key_texts.record_keys import (
    APPROVAL_TEXTS,
    CONTRIBUTOR_TEXTS,
    CONVERSATION_TEXTS,
    FILE_TEXTS,
    FINGERPRINT_TEXTS,
    GRANT_TEXTS,
    INTEGRITY_TEXTS,
    RANGE_TEXTS,
    RECORD_TEXTS,
    RELATED_TEXTS,
    VCS_TEXTS,
)
from intent_lsp.formats.ledger.schema import COMMIT, MAX_FILES, MAX_NUMBER, TIME, UUID4
from intent_lsp.formats.schemas.schema_model import ExactWords, OrAbsent, SchemaModel, SchemaObject

Hash: TypeAlias = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Identifier: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]
FilledText: TypeAlias = Annotated[str, Field(min_length=1)]
LineNumber: TypeAlias = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
Time: TypeAlias = Annotated[
    str, Field(pattern=f"^{TIME.pattern}$", json_schema_extra={"format": "date-time"})
]
Uuid: TypeAlias = Annotated[str, Field(pattern=f"^{UUID4.pattern}$")]
Revision: TypeAlias = Annotated[str, Field(pattern=f"^({COMMIT.pattern}|{UNKNOWN_REVISION})$")]


class ContributorEntry(SchemaModel):
    """The author of changed lines."""

    texts: ClassVar = CONTRIBUTOR_TEXTS

    entity_type: Annotated[str, ExactWords(CONTRIBUTOR_TEXTS["entity_type"].words)]
    model_identifier: Identifier


class RangeEntry(SchemaModel):
    """One contiguous run of changed lines, in the numbers of the new content."""

    model_config = ConfigDict(title="Range")
    texts: ClassVar = RANGE_TEXTS

    start_line: LineNumber
    end_line: LineNumber
    content_hash: Hash
    replaced: OrAbsent[Annotated[list[LineNumber], Field(min_length=3, max_length=3)]] = None
    fallback: OrAbsent[Literal[True]] = None


class RelatedItem(SchemaModel):
    """Something that an edit belongs to."""

    model_config = ConfigDict(title="Related")
    texts: ClassVar = RELATED_TEXTS

    type: FilledText
    value: str


class ConversationEntry(SchemaModel):
    """The session or chat in which lines of a file were changed."""

    model_config = ConfigDict(title="Conversation")
    texts: ClassVar = CONVERSATION_TEXTS

    url: FilledText
    contributor: ContributorEntry
    ranges: list[RangeEntry]
    related: list[RelatedItem]


class FingerprintEntry(SchemaModel):
    """A hash of a file's definitions."""

    texts: ClassVar = FINGERPRINT_TEXTS

    parser: FilledText
    language: FilledText
    summary_hash: Hash


class FileEntry(SchemaModel):
    """One file of an edit."""

    model_config = ConfigDict(title="File")
    texts: ClassVar = FILE_TEXTS

    relative_path: FilledText
    path_encoding: OrAbsent[Literal["percent"]] = None
    previous_path: OrAbsent[FilledText] = None
    pre_hash: Hash | None
    post_hash: Hash | None
    ast_fingerprint: OrAbsent[FingerprintEntry] = None
    conversations: list[ConversationEntry]


class VcsEntry(SchemaModel):
    """The commit that git had checked out at the edit."""

    texts: ClassVar = VCS_TEXTS

    revision_id: Revision


class ApprovalEntry(SchemaModel):
    """A person's approval of an edit."""

    texts: ClassVar = APPROVAL_TEXTS

    choice: Annotated[str, ExactWords(APPROVAL_TEXTS["choice"].words)]
    session_id: Identifier
    channel: OrAbsent[Literal["elicitation"]] = None


class GrantEntry(SchemaModel):
    """Scope that a person granted to an intent."""

    texts: ClassVar = GRANT_TEXTS

    patterns: list[str]
    reason: str | None
    granted_by: Identifier
    expires_at: Time | None
    channel: OrAbsent[Literal["elicitation"]] = None


class IntegrityEntry(SchemaModel):
    """A record's place in the hash chain, and its own hash."""

    texts: ClassVar = INTEGRITY_TEXTS

    chain: Literal["sha256"]
    canonical: Literal["rfc8785"]
    prev_record_hash: Hash | None
    merges: OrAbsent[Annotated[list[Hash], Field(min_length=1)]] = None
    record_hash: Hash


class LedgerRecord(SchemaModel):
    """One edit that happened, a tool call that failed, or a grant: a line of the ledger."""

    model_config = ConfigDict(title="Record of intent-lsp")
    texts: ClassVar = RECORD_TEXTS

    id: Uuid
    timestamp: Time
    intent_id: Identifier | None
    intent_hash: Hash | None
    session_id: Identifier
    agent_id: OrAbsent[Identifier] = None
    tool_name: Identifier
    mutation_class: Annotated[str, ExactWords(RECORD_TEXTS["mutation_class"].words)]
    inferred: OrAbsent[Literal[True]] = None
    scope_validation: Annotated[str, ExactWords(RECORD_TEXTS["scope_validation"].words)]
    success: bool
    error: OrAbsent[Annotated[str, Field(max_length=120)]] = None
    concurrent_modification: OrAbsent[Literal[True]] = None
    assumed: OrAbsent[Literal[True]] = None
    compared: OrAbsent[Literal[False]] = None
    reconstructed: OrAbsent[Literal[True]] = None
    refused_call_hash: OrAbsent[Hash] = None
    approval: OrAbsent[ApprovalEntry] = None
    grant: OrAbsent[GrantEntry] = None
    vcs: VcsEntry
    files: Annotated[list[FileEntry], Field(max_length=MAX_FILES)]
    integrity: IntegrityEntry

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.error is not None and self.success:
            raise ValueError("the record has an `error` although `success` is true")
        if self.grant is not None and (
            self.files
            or self.mutation_class != MutationClass.CONFIGURATION
            or self.scope_validation != ScopeValidation.EXEMPT
        ):
            raise ValueError(
                "the record is a grant, so it must have no files, the class CONFIGURATION and the"
                " verdict EXEMPT"
            )
        return self

    @classmethod
    def add_rules(cls, schema: SchemaObject) -> None:
        """Add that only a failed call has an error, and that a grant changes no file."""
        grant = {
            "mutation_class": {"const": MutationClass.CONFIGURATION.value},
            "scope_validation": {"const": ScopeValidation.EXEMPT.value},
            "files": {"maxItems": 0},
        }
        schema["allOf"] = [
            {"if": {"required": ["error"]}, "then": {"properties": {"success": {"const": False}}}},
            {"if": {"required": ["grant"]}, "then": {"properties": grant}},
        ]
