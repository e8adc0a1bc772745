"""The params of a request: read, or refused with the field that does not fit (protocol section 2).

Invariant: what is wrong with the client's words is `InvalidParams`, what stands in the way of an
answer `RequestFailed` with its code; both are raised here and nowhere else.
"""

from collections.abc import Mapping
from typing import Final, TypeVar

import msgspec
from pygls.exceptions import JsonRpcException

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.paths import WorkspacePath, parse_relative, path_of_uri
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.common import CommonParams, PathParams, WrongParamsError, read_params
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.ledger.index.queries import PageCursor

REQUEST_FAILED: Final = -32803
INVALID_PARAMS: Final = -32602

_FIELDS: Final = {"workspace_uri": "workspaceUri", "uri": "uri"}

_S = TypeVar("_S", bound=msgspec.Struct)


def failed(code: RequestCode, message: str, data: Mapping[str, object]) -> JsonRpcException:
    """Make the error of a request that cannot be judged; `data` stands beside its code."""
    return JsonRpcException(message, code=REQUEST_FAILED, data={"code": code.value, **data})


def invalid(message: str) -> JsonRpcException:
    """Make the error of params that do not fit; the message names the field."""
    return JsonRpcException(message, code=INVALID_PARAMS)


def read(given: object, shape: type[_S]) -> _S:
    """Read params, or fail the request with `InvalidParams` that names the field."""
    try:
        return read_params(given, shape)
    except WrongParamsError as wrong:
        raise invalid(str(wrong)) from wrong


def named_path(params: CommonParams) -> str | None:
    """Give the absolute path that the params name, by workspace or by file."""
    for name in ("workspace_uri", "uri"):
        uri = getattr(params, name, None)
        if uri is None:
            continue
        path = path_of_uri(uri)
        if path is None:
            raise invalid(f"params.{_FIELDS[name]}: {uri!r} is not a file: URI")
        return path
    return None


def session_named(params: CommonParams, open_root: OpenRoot) -> str:
    """Give the session that the params name, else the connection's own."""
    return params.session_id or open_root.session.id


def session_of(params: CommonParams, open_root: OpenRoot) -> Session:
    """Give the session that the params name: the person's own, or an agent's."""
    session_id = session_named(params, open_root)
    if session_id == open_root.session.id and params.agent_id is None:
        return open_root.session
    return open_root.governance.sessions.of_agent(session_id, params.agent_id or "")


def required_path(params: PathParams) -> str:
    """Give the path or URI that the params must have."""
    spelled = params.uri if params.uri is not None else params.path
    if not spelled:
        raise invalid("params.path: a path or a uri is needed")
    return spelled


def path_below(params: PathParams, open_root: OpenRoot) -> WorkspacePath:
    """Give the root-relative path that the params name."""
    spelled = required_path(params)
    if params.uri is not None:
        absolute = path_of_uri(params.uri)
        place = None if absolute is None else resolve_below(open_root.governance.root, absolute)
        if place is None:
            raise invalid(f"params.uri: {params.uri} is not a file of {open_root.governance.root}")
        return place.path
    path = parse_relative(spelled)
    if path is None:
        raise invalid(f"params.path: {spelled!r} does not stay below the root")
    return path


def cursor_of(spelled: str | None) -> PageCursor | None:
    """Read the cursor of a page that this server gave."""
    if spelled is None:
        return None
    if not (spelled.isascii() and spelled.isdigit()):
        raise invalid(f"params.cursor: {spelled!r} was not given by this server")
    return PageCursor(int(spelled))
