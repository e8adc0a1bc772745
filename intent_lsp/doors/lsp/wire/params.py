"""Builds the errors of requests, and reads the session and the page cursor that params name.

Specified in protocol section 2.

Invariant: the error for wrong params is `InvalidParams`, that for a request that cannot be answered
is `RequestFailed` with a code.
"""

from collections.abc import Mapping
from typing import Final

from pygls.exceptions import JsonRpcException

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.formats.params.requests import CommonParams, read_cursor
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.sessions import Session, asking_session
from intent_lsp.store.ledger.index.queries import PageCursor

REQUEST_FAILED: Final = -32803
INVALID_PARAMS: Final = -32602


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


def session_of(params: CommonParams, open_root: OpenRoot) -> Session:
    """Return the session that the params name: an agent's, or, without one, the connection's."""
    return asking_session(open_root.session, params.session_id, params.agent_id)


def cursor_of(spelled: str | None) -> PageCursor | None:
    """Return the page cursor that `spelled` stands for, or None if `spelled` is None.

    Raise WrongParamsError if it is not a number, as every cursor of this server is.
    """
    return None if spelled is None else PageCursor(read_cursor(spelled))
