"""One entry of the audit log: a governed call and its outcome (ledger section 6)."""

from dataclasses import dataclass
from enum import StrEnum


class CallStatus(StrEnum):
    """The outcome of a governed call: DENIED by the gate, or executed with or without success."""

    DENIED = "DENIED"
    OK = "OK"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceEntry:
    """One governed call as it happened. `at` is an RFC 3339 time.

    The other texts are as the caller sent them. `constraints` are the architectural constraints of
    the team policy at that time.
    """

    at: str
    status: CallStatus
    tool: str
    intent_id: str | None
    session_id: str
    model: str
    revision: str
    touched_paths: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
