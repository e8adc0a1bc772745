"""Serves one MCP client over standard input and output.

Invariant: no child process can read the client's messages. SIGINT or SIGTERM ends the server as
soon as the running calls have ended, whether there is input or not.
"""

import asyncio
import contextlib
import io
import os
import signal
from threading import Thread
from typing import Final, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from intent_lsp.doors.mcp.malformed import AnsweringStream

_CHUNK: Final = 64 << 10
_STDIN: Final = 0


class StdinLines:
    """The lines of standard input, decoded, as an asynchronous iterator.

    Invalid UTF-8 becomes U+FFFD. Once this is made, descriptor 0 is the null device for all else. A
    daemon thread reads the lines: a thread that the event loop waits for could not be ended while
    the client says nothing.
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
                *whole, last = chunk.split(b"\n")
                for line in whole:
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
