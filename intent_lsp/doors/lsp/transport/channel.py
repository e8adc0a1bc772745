"""A socket connection as a channel of messages, over TCP or WebSocket.

Invariant: messages, from any thread, are sent one after the other, in the order of `write`.
Invariant: only the sending task waits for a slow client; what it has not taken yet is queued.
"""

import asyncio
import contextlib
from enum import IntEnum
from typing import Protocol

from intent_lsp.doors.lsp.protocol.framing import Frame


class CloseCode(IntEnum):
    """Close codes of a WebSocket (RFC 6455, section 7.4.1). They are not sent over TCP."""

    FINE = 1000
    GOING_AWAY = 1001
    REFUSED = 1008
    TOO_BIG = 1009
    TRY_LATER = 1013


class Channel(Protocol):
    """One socket connection, as a channel on which whole messages are sent and received."""

    async def receive(self) -> list[Frame] | None:
        """Return the next frames, or None at the end of the connection.

        The list is empty if no frame is complete yet.
        """
        ...

    async def send(self, body: bytes) -> None:
        """Send the body of one message. Raise OSError if the other side is gone."""
        ...

    async def close(self, code: CloseCode, reason: str) -> None:
        """End the connection, for the reason that `code` and `reason` give.

        Unless `code` is FINE, the other side can first read what was sent last. Raise OSError if
        the connection breaks meanwhile.
        """
        ...


class ChannelWriter:
    """The protocol's writer: queues message bodies from any thread, and a task sends them."""

    def __init__(self, channel: Channel) -> None:
        self._loop = asyncio.get_running_loop()
        self._bodies: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = self._loop.create_task(self._send_all(channel))

    def write(self, data: bytes) -> None:
        """Queue the body of a message, to be sent after those queued before."""
        self._put(data)

    def close(self) -> None:
        """Stop sending, once the bodies that are queued already are sent."""
        self._put(None)

    async def join(self, patience: float) -> None:
        """Wait until sending has stopped after `close`, at most `patience` seconds."""
        await asyncio.wait({self._task}, timeout=patience)

    def _put(self, data: bytes | None) -> None:
        # If the loop is closed, the connection is gone.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._bodies.put_nowait, data)

    async def _send_all(self, channel: Channel) -> None:
        with contextlib.suppress(OSError):
            while (body := await self._bodies.get()) is not None:
                await channel.send(body)
