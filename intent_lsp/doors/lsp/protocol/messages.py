"""JSON-RPC messages as a client sends them, and how ours are spelled.

Invariant: total: whatever the bytes are, they are a request, a notification, an answer or a
refusal; `params` are what JSON gave, never turned into anything else on the way.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NewType, NoReturn

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT, BadHeader, Body, Frame, Oversized

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

MessageId = str | int | float
IdKey = NewType("IdKey", tuple[str, MessageId])


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call that wants one answer."""

    id: MessageId
    method: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A call that wants none."""

    method: str
    params: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a client answers to a request of ours: a `result`, or an `error` that is not None."""

    id: MessageId
    result: Any = None
    error: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidMessage:
    """What cannot be taken as a message: the error to answer, to the id that could be read."""

    id: MessageId | None
    code: int
    message: str


Message = Request | Notification | Answer | InvalidMessage


def read_frame(frame: Frame) -> Message:
    """Read what the stream gave."""
    match frame:
        case Body(data):
            return read_body(data)
        case BadHeader(problem):
            return InvalidMessage(id=None, code=PARSE_ERROR, message=problem)
        case Oversized(length):
            return _refuse(
                None, f"a message of {length} bytes is beyond the limit of {MESSAGE_LIMIT} bytes"
            )


def read_body(data: bytes) -> Message:
    """Read the body of a message: UTF-8, strict JSON, one object."""
    try:
        value = json.loads(data.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        return InvalidMessage(id=None, code=PARSE_ERROR, message="the message is nested too deeply")
    except json.JSONDecodeError as error:
        return InvalidMessage(
            id=None, code=PARSE_ERROR, message=f"the message is not JSON: {error}"
        )
    except ValueError:
        # Not UTF-8, NaN, or a number of more digits than Python reads.
        return InvalidMessage(id=None, code=PARSE_ERROR, message="the message is not JSON in UTF-8")
    return read_value(value)


def read_value(value: object) -> Message:
    """Read a message that JSON made a value of."""
    if isinstance(value, list):
        return _refuse(None, "batches are not supported: send one message at a time")
    if not isinstance(value, dict):
        return _refuse(None, "a message is a JSON object")
    identity = read_id(value.get("id"))
    # A client that answers us loosely has answered; to refuse an answer would help nobody.
    if "method" not in value and identity is not None and value.keys() & {"result", "error"}:
        return Answer(id=identity, result=value.get("result"), error=value.get("error"))
    if value.get("jsonrpc") != "2.0":
        return _refuse(identity, 'jsonrpc: "2.0" is expected')
    return _read_call(value, identity)


def read_id(value: object) -> MessageId | None:
    """Read an id; None when it is not one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    # 1e999 is read as infinity, which JSON cannot spell.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def id_key(identity: MessageId) -> IdKey:
    """Tell apart what Python takes for equal: 1 and 1.0 are different ids."""
    return IdKey((type(identity).__name__, identity))


def encode(message: dict[str, Any], default: Callable[[Any], Any]) -> bytes:
    """Spell a message; `default` gives plain values for those that JSON does not know.

    Raises TypeError, ValueError or RecursionError for what cannot be spelled.
    """
    text = json.dumps(message, default=default, allow_nan=False, separators=(",", ":"))
    return text.encode("ascii")


def frame(body: bytes) -> bytes:
    """Put the header before a body."""
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


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
