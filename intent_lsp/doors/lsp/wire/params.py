"""Reads the params of requests, or raises an error that names the wrong field (protocol section 2).

Invariant: wrong params raise `InvalidParams`; a request that cannot be answered raises
`RequestFailed` with a code. Only this module makes these errors.
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
    """Return the error for a request that cannot be answered. `data` is sent beside its code."""
    return JsonRpcException(message, code=REQUEST_FAILED, data={"code": code.value, **data})


def invalid(message: str) -> JsonRpcException:
    """Return the error for wrong params. The message names the field."""
    return JsonRpcException(message, code=INVALID_PARAMS)


def read(given: object, shape: type[_S]) -> _S:
    """Return params as a `shape`, or raise `InvalidParams` that names the field."""
    try:
        return read_params(given, shape)
    except WrongParamsError as wrong:
        raise invalid(str(wrong)) from wrong


def named_path(params: CommonParams) -> str | None:
    """Return the absolute path of the workspace or file that the params name, or None.

    Raise InvalidParams for a URI that is not a `file:` URI.
    """
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
    """Return the id of the session that the params name, else of the connection's own."""
    return params.session_id or open_root.session.id


def session_of(params: CommonParams, open_root: OpenRoot) -> Session:
    """Return the session that the params name: the person's own, or an agent's."""
    session_id = session_named(params, open_root)
    if session_id == open_root.session.id and params.agent_id is None:
        return open_root.session
    return open_root.governance.sessions.of_agent(session_id, params.agent_id or "")


def required_path(params: PathParams) -> str:
    """Return the path or URI in the params. Raise InvalidParams if there is neither."""
    spelled = params.uri if params.uri is not None else params.path
    if not spelled:
        raise invalid("params.path: a path or a uri is needed")
    return spelled


def path_below(params: PathParams, open_root: OpenRoot) -> WorkspacePath:
    """Return the root-relative path that the params name. Raise InvalidParams if it is outside."""
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
    """Return a page cursor that this server issued, None for None, or raise InvalidParams."""
    if spelled is None:
        return None
    if not (spelled.isascii() and spelled.isdigit()):
        raise invalid(f"params.cursor: {spelled!r} was not given by this server")
    return PageCursor(int(spelled))
