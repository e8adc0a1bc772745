"""The answers of `intent/*`: results and notifications that requests share, and errors.

Specified in protocol section 2.

Invariant: names are sent in camelCase. Records and the `details` of a refusal are sent verbatim.
Invariant: the error for wrong params is `InvalidParams`, that for a request that cannot be answered
is `RequestFailed` with a code.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec.structs import asdict
from pygls.exceptions import JsonRpcException

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.records import Record
from intent_lsp.core.text import camel_case
from intent_lsp.governance.governance import GovernanceStatus
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.store.state.drafts import Draft

JsonObject = dict[str, Any]

DID_DENY: Final = "intent/didDeny"
DID_TRACE: Final = "intent/didTrace"

REQUEST_FAILED: Final = -32803
INVALID_PARAMS: Final = -32602

_Done = TypeVar("_Done")


def failed(code: RequestCode, message: str, data: Mapping[str, object]) -> JsonRpcException:
    """Return the JSON-RPC error `RequestFailed` for a request that cannot be answered.

    Its data are the code and the members of `data`.
    """
    return JsonRpcException(message, code=REQUEST_FAILED, data={"code": code.value, **data})


def refused(refusal: CheckoutRefusal) -> JsonRpcException:
    """Return the JSON-RPC error for a request that governance refuses."""
    return failed(refusal.code, refusal.message, refusal.data)


def invalid(problem: IntentLspError) -> JsonRpcException:
    """Return the JSON-RPC error `InvalidParams`. The message of `problem` names the wrong field."""
    return JsonRpcException(str(problem), code=INVALID_PARAMS)


def accepted(done: _Done | CheckoutRefusal) -> _Done:
    """Return `done`, what governance did. If it is a refusal, raise it as a JSON-RPC error."""
    if isinstance(done, CheckoutRefusal):
        raise refused(done)
    return done


def status_wire(status: GovernanceStatus, blind: Sequence[str] = ()) -> JsonObject:
    """Return a governance status as the JSON object `Status` of the protocol.

    `reason` and `polling` are left out if they are None. `blind` are the names of the agent hosts
    whose hooks asked nothing although files changed.
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
