"""The results and notifications that several `intent/*` requests share (protocol section 2).

Invariant: names are sent in camelCase. Records and the `details` of a refusal are sent verbatim.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import asdict

from intent_lsp.core.records import Record
from intent_lsp.core.text import camel_case
from intent_lsp.governance.governance import GovernanceStatus
from intent_lsp.store.state.drafts import Draft

JsonObject = dict[str, Any]

DID_DENY: Final = "intent/didDeny"
DID_TRACE: Final = "intent/didTrace"


def status_wire(status: GovernanceStatus, blind: Sequence[str] = ()) -> JsonObject:
    """Return a governance status as the JSON object `Status` of the protocol.

    `reason` and `polling` are left out if they are None. `blind` are the names of the agent hosts
    whose hooks did not ask while files changed.
    """
    told = {camel_case(name): value for name, value in asdict(status).items()}
    told["heads"] = list(status.heads)
    told["blindHosts"] = list(blind)
    for name in ("reason", "polling"):
        if told[name] is None:
            del told[name]
    return told


def trace_wire(record: Record) -> JsonObject:
    """Return the params of the notification `intent/didTrace` that reports a record."""
    return {
        "recordId": record.id,
        "paths": [file.path for file in record.files],
        "intentId": record.intent_id,
        "scopeValidation": record.scope_validation.value,
    }


def draft_wire(draft: Draft) -> JsonObject:
    """Return a draft as one entry of the result of `intent/drafts`."""
    return {
        "id": draft.id,
        "path": draft.path,
        "createdAt": draft.created_at,
        "code": draft.code,
        "intentId": draft.intent_id,
    }
