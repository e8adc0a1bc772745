"""The structured results of the tools, as models from which their JSON schemas are made.

Invariant: keys are camelCase and mean what they mean in `intent/*` (protocol section 2).
"""

from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class ToolOutput(BaseModel):
    """The base class of all parts of a result. Keys that it does not know are passed on."""

    model_config = ConfigDict(
        extra="allow", frozen=True, alias_generator=to_camel, populate_by_name=True
    )


class IntentOutput(ToolOutput):
    """An intent."""

    id: str
    name: str
    status: str
    owned_scope: list[str]
    constraints: list[str]
    acceptance_criteria: list[str]
    related_files: list[str]
    recent_history: list[str]
    specification: str
    flags: list[str]
    created_at: str | None = None
    updated_at: str | None = None


class RelatedFileOutput(ToolOutput):
    """A file that an intent names, with its present hash."""

    path: str
    last_hash: str | None
    last_modified: str


class IntentContextOutput(ToolOutput):
    """What an agent has to know to work for an intent. Records are as they stand in the ledger."""

    intent: IntentOutput
    architectural_constraints: list[str]
    related_files: list[RelatedFileOutput]
    recent_records: list[dict[str, Any]]
    truncated: list[str]


class ListIntentsOutput(ToolOutput):
    """Result of `list_intents`."""

    root: str
    enabled: bool
    reason: str | None = None
    active_intent_id: str | None
    intents: list[IntentOutput]


class ContextOutput(ToolOutput):
    """Result of `get_intent_context`. `text` is the context as a model reads it."""

    intent: IntentOutput
    context: IntentContextOutput
    text: str
    warnings: list[str]


class SelectOutput(ContextOutput):
    """Result of `select_active_intent`. `session` is the handle for all later calls."""

    session: str
    root: str


class GateErrorOutput(ToolOutput):
    """Why the gate refuses a call. `details` depend on the code."""

    type: str
    code: str
    message: str
    details: dict[str, Any]


class ChangedFileOutput(ToolOutput):
    """A file of a call, with its hash before the call and, once recorded, after it."""

    path: str
    uri: str
    pre_hash: str | None
    post_hash: str | None = None


class DecisionOutput(ToolOutput):
    """Result of `check_edit`."""

    allowed: bool
    scope_validation: str
    intent_id: str | None
    mutation_class: str | None
    files: list[ChangedFileOutput]
    ticket: str | None
    warnings: list[str]
    reason: str | None = None
    error: GateErrorOutput | None = None


class AppliedOutput(DecisionOutput):
    """Result of `apply_edit` and of `write_to_file`."""

    applied: bool
    record_id: str | None


class ViolationOutput(ToolOutput):
    """A file that a call changed against the rules. `message` says how to undo that."""

    path: str
    uri: str
    code: str
    message: str


class RecordedOutput(ToolOutput):
    """Result of `record_edit`."""

    record_id: str | None
    files: list[ChangedFileOutput]
    violations: list[ViolationOutput]


class ExpansionOutput(ToolOutput):
    """Result of `request_scope_expansion`. `feedback` says why it was not approved."""

    approved: bool
    intent: IntentOutput | None = None
    expires_at: str | None = None
    feedback: str | None = None


class VerificationOutput(ToolOutput):
    """Result of `report_verification`."""

    lesson_recorded: bool
    violations: list[ViolationOutput]


class CompleteOutput(ToolOutput):
    """Result of `complete_intent`."""

    intent: IntentOutput
    completed: bool


class RunOutput(ToolOutput):
    """Lines that follow each other and come from one record, or from none."""

    start_line: int
    end_line: int
    who: str
    record_id: str | None
    intent_id: str | None
    entity_type: str | None
    model_identifier: str | None
    author: str | None
    is_you: bool | None
    timestamp: str | None
    tool_name: str | None
    mutation_class: str | None
    scope_validation: str | None
    confidence: str


class WhoWroteOutput(ToolOutput):
    """Result of `who_wrote`."""

    path: str
    uri: str
    lines: list[RunOutput]


class LedgerProofOutput(ToolOutput):
    """What a verification of the ledger has shown."""

    ok: bool
    records: int
    segments: int
    heads: list[str]
    problems: list[dict[str, Any]]
    anchors: list[dict[str, Any]]
    proved: str
    conditional: str | None = None


class LedgerStatusOutput(ToolOutput):
    """Result of `ledger_status`."""

    root: str
    enabled: bool
    reason: str | None = None
    active_intent_id: str | None
    stage: str
    turn: int
    enforcement: str
    records: int
    heads: list[str]
    failures: int
    version: str
    verification: LedgerProofOutput | None = None
