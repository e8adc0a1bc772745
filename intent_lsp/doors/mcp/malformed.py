"""Answers messages that cannot be read, which the SDK passes over in silence.

Invariant: a request that cannot be read gets an error, under its id if that can be read, so that
its sender need not wait for ever.
"""

import json
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

import mcp_types as types
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

HALF_A_CHARACTER: Final = (
    "the message has half of a character (a lone surrogate), which is not valid text; send it"
    " without"
)
TOO_DEEP: Final = (
    "the message is nested too deeply: send it with fewer lists and objects in another"
)
NO_JSON: Final = "the line cannot be read as JSON: a message is one JSON object on one line"
NO_MESSAGE: Final = "the JSON is no JSON-RPC 2.0 message"


class AnsweringStream:
    """A stream of messages. It answers those that cannot be read, and leaves them out."""

    def __init__(
        self, reading: ReadStream[SessionMessage | Exception], writing: WriteStream[SessionMessage]
    ) -> None:
        self._reading = reading
        self._writing = writing

    @property
    def last_context(self) -> Any:  # noqa: ANN401 - the SDK's own
        """The sender's context of the last message, as the SDK's stream keeps it, or None."""
        return getattr(self._reading, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message that can be read. Answer those before it that cannot."""
        while isinstance(found := await self._reading.receive(), Exception):
            await self._answer(found)
        return found

    async def aclose(self) -> None:
        """Close the stream."""
        await self._reading.aclose()

    def __aiter__(self) -> "AnsweringStream":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while isinstance(found := await self._reading.__anext__(), Exception):
            await self._answer(found)
        return found

    async def __aenter__(self) -> Self:
        await self._reading.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return await self._reading.__aexit__(kind, raised, traceback)

    async def _answer(self, problem: Exception) -> None:
        """Send the error response for a line that cannot be read, unless the line is blank."""
        line = _line_of(problem)
        if not isinstance(line, str) or line.strip():
            await self._writing.send(SessionMessage(_error(line)))


def _error(line: object) -> types.JSONRPCError:
    """Return the error response for a line that cannot be read, under its id if that can be read.

    `line` is the line's text, or its value if it is JSON, or None if it is not known.
    """
    code, said, message = types.PARSE_ERROR, NO_JSON, None
    if isinstance(line, str):
        with suppress(ValueError, RecursionError):
            # This parser accepts lone surrogates, so that the id can be found.
            message = json.loads(line)
            whole = _is_text(json.dumps(message, ensure_ascii=False))
            code, said = types.INVALID_PARAMS, TOO_DEEP if whole else HALF_A_CHARACTER
    elif line is not None:
        code, said, message = types.INVALID_REQUEST, NO_MESSAGE, line
    name = message.get("id") if isinstance(message, dict) else None
    if isinstance(name, bool) or not isinstance(name, str | int) or not _is_text(name):
        name = None
    error = types.ErrorData(code=code, message=said)
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=error)


def _line_of(problem: Exception) -> object:
    """Return the line that the SDK could not read: its text, or its value if it is JSON.

    The value is that of the first error about an object, or {} if there is none. Return None if
    `problem` does not have the line.
    """
    if not isinstance(problem, ValidationError):
        return None
    found = problem.errors(include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return found[0]["input"]
    return next((each["input"] for each in found if isinstance(each["input"], dict)), {})


def _is_text(name: str | int) -> bool:
    return isinstance(name, int) or not any("\ud800" <= char <= "\udfff" for char in name)
