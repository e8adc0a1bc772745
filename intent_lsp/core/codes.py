"""The codes that clients and people see: refusals, diagnostics, errors, lessons, ledger problems.

Invariant: a code never gets another meaning. Each is documented in docs/codes.md.
"""

from enum import StrEnum
from typing import Final


class GateCode(StrEnum):
    """Why an edit was denied, in the order of the gate's rows (requirements section 6).

    GOVERNANCE_UNAVAILABLE belongs to no row: the edit could not be judged (requirements
    section 10).
    """

    CHECKOUT_REQUIRED = "CHECKOUT_REQUIRED"
    CONTRACT_DRIFT = "CONTRACT_DRIFT"
    TOOL_BLOCKED = "TOOL_BLOCKED"
    PATH_DENIED = "PATH_DENIED"
    OUTSIDE_WORKSPACE = "OUTSIDE_WORKSPACE"
    NO_ACTIVE_INTENT = "NO_ACTIVE_INTENT"
    INTENT_NOT_FOUND = "INTENT_NOT_FOUND"
    INTENT_CLOSED = "INTENT_CLOSED"
    INTENT_IGNORED = "INTENT_IGNORED"
    SCOPE_VIOLATION = "SCOPE_VIOLATION"
    STALE_FILE = "STALE_FILE"
    READ_REQUIRED = "READ_REQUIRED"
    SPEC_ITERATION = "SPEC_ITERATION_REQUIRES_INTENT_EVOLUTION"
    HITL_REJECTED = "HITL_REJECTED"
    GOVERNANCE_UNAVAILABLE = "GOVERNANCE_UNAVAILABLE"


NO_USABLE_INTENT: Final = (
    GateCode.NO_ACTIVE_INTENT,
    GateCode.INTENT_NOT_FOUND,
    GateCode.INTENT_CLOSED,
    GateCode.INTENT_IGNORED,
)
"""The codes of refusals for want of a usable active intent: selecting or creating one helps."""


class ShownCode(StrEnum):
    """Codes of diagnostics about edits, besides those in GateCode.

    CONTROL_PLANE_EDIT: a person edits a file that only the server may write. MORE_VIOLATIONS:
    counts the violations that are not shown.
    """

    CONTROL_PLANE_EDIT = "CONTROL_PLANE_EDIT"
    MORE_VIOLATIONS = "MORE_VIOLATIONS"


class HostCode(StrEnum):
    """Codes of diagnostics about agent hosts that the gate cannot stop (requirements section 8)."""

    REFUSAL_IGNORED = "REFUSAL_IGNORED"
    GATE_BLIND = "GATE_BLIND"


class CheckCode(StrEnum):
    """Codes of a check's findings that are no refusal of the gate (requirements section 14)."""

    UNRECORDED_CHANGE = "UNRECORDED_CHANGE"


class RequestCode(StrEnum):
    """The codes of error responses to requests, in the field `data.code` (protocol section 2)."""

    INTENT_NOT_FOUND = "INTENT_NOT_FOUND"
    INTENT_CLOSED = "INTENT_CLOSED"
    INTENT_IGNORED = "INTENT_IGNORED"
    NOT_GOVERNED = "NOT_GOVERNED"
    TICKET_UNKNOWN = "TICKET_UNKNOWN"
    LEDGER_UNAVAILABLE = "LEDGER_UNAVAILABLE"
    DRAFT_UNKNOWN = "DRAFT_UNKNOWN"
    INTENTS_FILE_UNWRITTEN = "INTENTS_FILE_UNWRITTEN"
    STATE_UNAVAILABLE = "STATE_UNAVAILABLE"


class McpCode(StrEnum):
    """Codes of errors that only the tools of the MCP server return."""

    SESSION_UNKNOWN = "SESSION_UNKNOWN"
    INVALID_ARGUMENTS = "INVALID_ARGUMENTS"
    EDIT_NOT_APPLIED = "EDIT_NOT_APPLIED"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class LessonCode(StrEnum):
    """Codes of lessons (notes for later agents) about a failed call, completion or verification."""

    MUTATION_FAILED = "MUTATION_FAILED"
    COMPLETION_FAILED = "COMPLETION_FAILED"
    VERIFICATION_FAILED = "VERIFICATION_FAILED"


class FileCode(StrEnum):
    """Codes of findings in the intents file and in the policy (requirements sections 3 and 5)."""

    YAML_SYNTAX = "YAML_SYNTAX"
    YAML_UNQUOTED_GLOB = "YAML_UNQUOTED_GLOB"
    YAML_LIMIT = "YAML_LIMIT"
    YAML_DUPLICATE_KEY = "YAML_DUPLICATE_KEY"
    WRONG_TYPE = "WRONG_TYPE"
    MISSING_ID = "MISSING_ID"
    DUPLICATE_ID = "DUPLICATE_ID"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    UNKNOWN_STATUS = "UNKNOWN_STATUS"
    OTHER_FORM = "OTHER_FORM"
    EMPTY_SCOPE = "EMPTY_SCOPE"
    BAD_GLOB = "BAD_GLOB"
    DEAD_GLOB = "DEAD_GLOB"
    GLOB_HINT = "GLOB_HINT"
    WIDE_GLOB = "WIDE_GLOB"
    SCOPE_MATCHES_NOTHING = "SCOPE_MATCHES_NOTHING"
    COVERED_GLOB = "COVERED_GLOB"
    SCOPE_CONTROL_PLANE = "SCOPE_CONTROL_PLANE"
    SCOPE_OVERLAP = "SCOPE_OVERLAP"
    BAD_VALUE = "BAD_VALUE"
    BAD_DATE = "BAD_DATE"
    ID_STYLE = "ID_STYLE"
    CLOSED_SCOPE_EDITED = "CLOSED_SCOPE_EDITED"
    UNUSED_SCOPE = "UNUSED_SCOPE"
    INTENTS_FILE_MISSING = "INTENTS_FILE_MISSING"


class LedgerCode(StrEnum):
    """Codes of the problems that `trace verify` finds in a ledger (ledger section 2)."""

    BAD_JSON = "BAD_JSON"
    BAD_FORM = "BAD_FORM"
    BAD_RECORD = "BAD_RECORD"
    BAD_HASH = "BAD_HASH"
    BROKEN_LINK = "BROKEN_LINK"
    MISSING_SEGMENT = "MISSING_SEGMENT"
    UNREADABLE_FILE = "UNREADABLE_FILE"
    DUPLICATE_ID = "DUPLICATE_ID"
    TRUNCATED = "TRUNCATED"
    HEAD_ELSEWHERE = "HEAD_ELSEWHERE"
    TORN_TAIL = "TORN_TAIL"
    UNTIED_HEADS = "UNTIED_HEADS"
    CLOCK_BACKWARDS = "CLOCK_BACKWARDS"
    OLDER_RECORDS = "OLDER_RECORDS"
