"""An entry of the governance ledger: a governed call and its outcome (ledger section 6)."""

from dataclasses import dataclass
from enum import StrEnum


class CallStatus(StrEnum):
    """What became of a governed call: turned back at the gate, or done with or without success."""

    DENIED = "DENIED"
    OK = "OK"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class GovernanceEntry:
    """One governed call as it happened; `at` is RFC 3339, the words are the caller's own.

    `constraints` are the team policy's architectural constraints at the time.
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
