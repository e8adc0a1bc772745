"""JSON-RPC messages: parses what a client sends and encodes what is sent to it.

Invariant: any bytes give a request, a notification, an answer or a refusal, never an exception.
`params` stay as JSON gave them.
"""

import json
import math
from collections.abc import Callable
from typing import Any, NewType, NoReturn

from msgspec import Struct

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT, BadHeader, Body, Frame, Oversized

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

MessageId = str | int | float
IdKey = NewType("IdKey", tuple[str, MessageId])


class Request(Struct, frozen=True, kw_only=True):
    """A JSON-RPC request: a call that must be answered once, under its `id`."""

    id: MessageId
    method: str
    params: Any = None


class Notification(Struct, frozen=True):
    """A JSON-RPC notification: a call that must not be answered."""

    method: str
    params: Any = None


class Answer(Struct, frozen=True, kw_only=True):
    """A client's answer to a request of this server: its `result`, or its `error` if not None."""

    id: MessageId
    result: Any = None
    error: Any = None


class InvalidMessage(Struct, frozen=True, kw_only=True):
    """A received message that cannot be accepted.

    `code` and `message` are the error to send back. `id` is the id of what was received, or None if
    it has no readable one.
    """

    id: MessageId | None
    code: int
    message: str


Message = Request | Notification | Answer | InvalidMessage


def read_frame(frame: Frame) -> Message:
    """Return the message in a frame, or an InvalidMessage if it cannot be accepted."""
    match frame:
        case Body(data):
            return read_body(data)
        case BadHeader(problem):
            return InvalidMessage(id=None, code=PARSE_ERROR, message=problem)
        case Oversized(length):
            return _refuse(
                None,
                f"a message of {length} bytes is longer than the limit of {MESSAGE_LIMIT} bytes",
            )


def read_body(data: bytes) -> Message:
    """Return the message in a body, or an InvalidMessage if it cannot be accepted.

    A valid body is UTF-8, strict JSON and one object.
    """
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        problem = "the message is nested too deeply"
    except (json.JSONDecodeError, _ConstantError) as error:
        problem = f"the message is not JSON: {error}"
    except ValueError:
        # Not UTF-8, or a number with more digits than Python accepts.
        problem = "the message is not JSON in UTF-8, or has a number that is too long"
    else:
        return read_value(value)
    return InvalidMessage(id=None, code=PARSE_ERROR, message=problem)


def read_value(value: object) -> Message:
    """Return the message in a decoded JSON value, or an InvalidMessage if it is no message."""
    if isinstance(value, list):
        return _refuse(None, "batches are not supported: send one message at a time")
    if not isinstance(value, dict):
        return _refuse(None, "a message must be a JSON object")
    identity = read_id(value.get("id"))
    # Accept an answer without `jsonrpc`: refusing it would help nobody.
    if "method" not in value and identity is not None and value.keys() & {"result", "error"}:
        return Answer(id=identity, result=value.get("result"), error=value.get("error"))
    if value.get("jsonrpc") != "2.0":
        return _refuse(identity, 'jsonrpc: "2.0" is expected')
    return _read_call(value, identity)


def read_id(value: object) -> MessageId | None:
    """Return `value` as a message id, or None if it is neither a string nor a finite number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    # Python reads 1e999 as infinity, which cannot be written as JSON.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def id_key(identity: MessageId) -> IdKey:
    """Return a dictionary key for a message id.

    Ids that Python treats as equal, such as 1 and 1.0, have different keys.
    """
    return IdKey((type(identity).__name__, identity))


def encode(message: dict[str, Any], default: Callable[[Any], Any]) -> bytes:
    """Return a message as JSON bytes. `default` converts a value whose type JSON does not have.

    Raise TypeError, ValueError or RecursionError for a value that cannot be encoded.
    """
    text = json.dumps(message, default=default, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii")


def frame(body: bytes) -> bytes:
    """Return `body` with a `Content-Length` header in front, ready to be sent."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _read_call(value: dict[str, Any], identity: MessageId | None) -> Message:
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        problem = "expected a string" if "method" in value else "is missing"
        return _refuse(identity, f"method: {problem}")
    if "id" not in value:
        return Notification(method, params)
    if identity is None:
        return _refuse(None, "id: expected a string or a number")
    return Request(id=identity, method=method, params=params)


def _refuse(identity: MessageId | None, message: str) -> InvalidMessage:
    return InvalidMessage(id=identity, code=INVALID_REQUEST, message=message)


class _ConstantError(ValueError):
    """A text has NaN, Infinity or -Infinity, which Python would read, but JSON does not have."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not a JSON value")


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)
