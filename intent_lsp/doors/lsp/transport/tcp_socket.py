"""TCP channel: a TCP connection whose messages have the headers of LSP's base protocol."""

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any, Final

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame, Frames
from intent_lsp.doors.lsp.transport.channel import CloseCode
from intent_lsp.doors.lsp.transport.client_admission import (
    MOST_WAITING,
    ClientAdmission,
    PendingConnection,
)

_SLICE: Final = 16 << 10
"""Bytes read at a time. A connection refused for the first bytes costs no more than that."""


class TcpChannel:
    """One TCP connection as a `Channel` of messages."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pending: PendingConnection
    ) -> None:
        self._reader, self._writer, self._pending = reader, writer, pending
        self._frames = Frames()

    async def receive(self) -> list[Frame] | None:
        """Return the frames that the next bytes complete, or None if there are no more bytes.

        The list is empty if no frame is complete, or if the connection has sent too much.
        """
        try:
            data = await self._reader.read(_SLICE)
        except OSError:
            return None
        if not data:
            return None
        return self._frames.feed(data) if self._pending.count(len(data)) else []

    async def send(self, body: bytes) -> None:
        """Send one message: `body` with its header in front."""
        self._writer.write(messages.frame(body))
        await self._writer.drain()

    async def close(self, code: CloseCode, _: str) -> None:
        """End the connection.

        Unless `code` is FINE, first read until the other side has closed it. The second argument,
        the reason, is not sent.
        """
        if code is not CloseCode.FINE:
            # A socket closed with unread bytes resets the connection and loses what was sent last.
            self._writer.write_eof()
            while await self._reader.read(_SLICE):
                pass
        self._writer.close()
        await self._writer.wait_closed()


async def listen(listener: socket.socket, admission: ClientAdmission) -> None:
    """Start to accept TCP connections at `listener`, and pass each of them to `admission`."""

    def converse(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Coroutine[Any, Any, None]:
        # Registered before the task runs, because the task may be cancelled before it starts.
        pending = admission.arrive(writer.transport)
        return admission.converse(pending, TcpChannel(reader, writer, pending))

    await asyncio.start_server(converse, sock=listener, backlog=MOST_WAITING)
