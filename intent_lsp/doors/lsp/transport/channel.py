"""One connection over a socket, TCP or WebSocket: its messages in, its messages out, its end.

Invariant: a message is sent whole and after all that was written before it, from any thread.
Invariant: nobody waits on the other side but who sends to it: what it does not take is kept.
"""

import asyncio
import contextlib
from enum import IntEnum
from typing import Protocol

from intent_lsp.doors.lsp.protocol.framing import Frame


class CloseCode(IntEnum):
    """How a WebSocket ends (RFC 6455, section 7.4.1)."""

    FINE = 1000
    GOING_AWAY = 1001
    REFUSED = 1008
    TOO_BIG = 1009
    TRY_LATER = 1013


class Channel(Protocol):
    """The messages of one connection."""

    async def receive(self) -> list[Frame] | None:
        """Return the next frames, or none of them as yet, or None when no more will come."""
        ...

    async def send(self, body: bytes) -> None:
        """Send one message. Raise OSError when the other side is gone."""
        ...

    async def close(self, code: CloseCode, reason: str) -> None:
        """End the connection, and wait until the other side has read what was sent last.

        FINE: it reads no more than that anyway. May raise OSError.
        """
        ...


class ChannelWriter:
    """The client's end of the protocol: what is written, from any thread, is sent by a task."""

    def __init__(self, channel: Channel) -> None:
        self._loop = asyncio.get_running_loop()
        self._bodies: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = self._loop.create_task(self._send_all(channel))

    def write(self, data: bytes) -> None:
        """Send the body of a message after all that was written before."""
        self._put(data)

    def close(self) -> None:
        """Send no more than what was written before."""
        self._put(None)

    async def join(self, patience: float) -> None:
        """Wait until all is sent, `patience` seconds at most."""
        await asyncio.wait({self._task}, timeout=patience)

    def _put(self, data: bytes | None) -> None:
        # The loop may be closed by now: then nobody is left to send to.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._bodies.put_nowait, data)

    async def _send_all(self, channel: Channel) -> None:
        with contextlib.suppress(OSError):
            while (body := await self._bodies.get()) is not None:
                await channel.send(body)
