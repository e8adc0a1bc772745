"""Serves one MCP client over standard input and output.

Invariant: a request that cannot be read, which the SDK passes over in silence, gets an error, under
its id if that can be read, so that its sender need not wait for ever.
Invariant: no child process can read the client's messages. SIGINT or SIGTERM ends the server as
soon as the running calls have ended, whether there is input or not.
"""

import asyncio
import contextlib
import io
import json
import os
import signal
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self, cast

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from intent_lsp.core.text import whole

HALF_A_CHARACTER: Final = (
    "the message has half of a character (a lone surrogate), which is not valid text; send it"
    " without"
)
TOO_DEEP: Final = "the message is nested too deeply: send it with fewer levels of lists and objects"
NO_JSON: Final = "the line cannot be read as JSON: a message is one JSON object on one line"
NO_MESSAGE: Final = "the JSON is no JSON-RPC 2.0 message"

_CHUNK: Final = 64 << 10
_STDIN: Final = 0


def serve_stdio(server: Server[dict[str, object]]) -> None:
    """Serve the client until it closes standard input, or a signal ends that."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        lines = cast("anyio.AsyncFile[str]", StdinLines(loop))
        with anyio.CancelScope() as scope:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, scope.cancel)
            async with stdio_server(stdin=lines) as (reading, writing):
                answering = AnsweringStream(reading, writing)
                await server.run(answering, writing, server.create_initialization_options())

    anyio.run(run)


class StdinLines:
    """The lines of standard input, decoded, as an asynchronous iterator.

    Invalid UTF-8 becomes U+FFFD. Once this is made, descriptor 0 is the null device for all else. A
    daemon thread reads the lines, so that the process can end while the client sends nothing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._source = os.dup(_STDIN)
        os.set_blocking(self._source, True)
        with io.FileIO(os.devnull, "r") as nothing:
            os.dup2(nothing.fileno(), _STDIN)
        Thread(target=self._read, name="standard input", daemon=True).start()

    def __aiter__(self) -> "StdinLines":
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def _read(self) -> None:
        rest: list[bytes] = []
        with contextlib.suppress(OSError):
            while chunk := os.read(self._source, _CHUNK):
                *lines, last = chunk.split(b"\n")
                for line in lines:
                    self._put(b"".join((*rest, line)))
                    rest.clear()
                rest.append(last)
        if any(rest):
            self._put(b"".join(rest))
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        text = None if line is None else line.decode("utf-8", "replace")
        # The loop may have been closed while this thread was reading.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._lines.put_nowait, text)


class AnsweringStream:
    """A stream of messages. It answers those that cannot be read, and leaves them out."""

    def __init__(
        self, reading: ReadStream[SessionMessage | Exception], writing: WriteStream[SessionMessage]
    ) -> None:
        self._reading = reading
        self._writing = writing

    @property
    def last_context(self) -> Any:  # noqa: ANN401 - the SDK's own
        """The context variables with which the last message was sent, or None.

        The SDK's stream keeps them.
        """
        return getattr(self._reading, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message that can be read. Answer those before it that cannot.

        An exception is never returned; the type is the SDK's.
        """
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

    `line` is what `_line_of` returns.
    """
    code, said, message = types.PARSE_ERROR, NO_JSON, None
    if isinstance(line, str):
        with contextlib.suppress(ValueError, RecursionError):
            # This parser accepts lone surrogates, so that the id can be found.
            message = json.loads(line)
            is_text = _is_text(json.dumps(message, ensure_ascii=False))
            code, said = types.INVALID_PARAMS, TOO_DEEP if is_text else HALF_A_CHARACTER
    elif line is not None:
        code, said, message = types.INVALID_REQUEST, NO_MESSAGE, line
    name = message.get("id") if isinstance(message, dict) else None
    if isinstance(name, bool) or not isinstance(name, str | int) or not _is_text(name):
        name = None
    error = types.ErrorData(code=code, message=said)
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=error)


def _line_of(problem: Exception) -> object:
    """Return what is known of a line that the SDK could not read, or None if nothing is known.

    That is the line's text if it is not JSON. Else it is the first object to which an error in
    `problem` refers, mostly the whole line, or {} if there is none.
    """
    if not isinstance(problem, ValidationError):
        return None
    found = problem.errors(include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return found[0]["input"]
    return next((each["input"] for each in found if isinstance(each["input"], dict)), {})


def _is_text(name: str | int) -> bool:
    return isinstance(name, int) or whole(name) == name
