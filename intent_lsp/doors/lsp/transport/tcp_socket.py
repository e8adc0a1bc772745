"""TCP: the base protocol's headers, as over standard input and output."""

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
"""Bytes that are looked at in one go: who is refused for the first costs nobody the rest."""


class TcpChannel:
    """One TCP connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pending: PendingConnection
    ) -> None:
        self._reader, self._writer, self._pending = reader, writer, pending
        self._frames = Frames()

    async def receive(self) -> list[Frame] | None:
        """Return the frames that the next bytes complete, or None at the end."""
        try:
            data = await self._reader.read(_SLICE)
        except OSError:
            return None
        if not data:
            return None
        return self._frames.feed(data) if self._pending.count(len(data)) else []

    async def send(self, body: bytes) -> None:
        """Send one message with its header."""
        self._writer.write(messages.frame(body))
        await self._writer.drain()

    async def close(self, code: CloseCode, _: str) -> None:
        """End this side; unless all is FINE, read what still comes until the other side ends."""
        if code is not CloseCode.FINE:
            # A system that has unread bytes when it closes takes back what it has sent.
            self._writer.write_eof()
            while await self._reader.read(_SLICE):
                pass
        self._writer.close()
        await self._writer.wait_closed()


async def listen(listener: socket.socket, admission: ClientAdmission) -> None:
    """Take connections from now on, until nobody reads from the listener."""

    def converse(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Coroutine[Any, Any, None]:
        # Noted at once: a task may be cancelled before it has begun.
        pending = admission.arrive(writer.transport)
        return admission.converse(pending, TcpChannel(reader, writer, pending))

    await asyncio.start_server(converse, sock=listener, backlog=MOST_WAITING)
