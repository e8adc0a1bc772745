"""One connection over a socket: its bytes in, its messages out, its end.

Invariant: the event loop never waits on the other side: what it does not take at once is kept.
Invariant: a message is written whole and after all that was written before it, from any thread.
Invariant: what is said last arrives: after it the connection is closed at this end alone, and what
still comes is read and dropped, for a while. A system that has unread bytes when it closes takes
back what it has sent.
"""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from threading import get_ident
from typing import Final, Protocol, cast

from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.transport.codec import MessageCodec

_NORMAL: Final = 1000
_SLICE: Final = 16 << 10
LINGER: Final = 2.0
"""Seconds that the other side has to read what it was told last."""


class Host(Protocol):
    """Who is told of a connection, on the event loop."""

    def arrive(self, peer: "Peer") -> None:
        """Take note of a connection."""
        ...

    def handle(self, peer: "Peer", frame: Frame) -> None:
        """Take what it says."""
        ...

    def watch(self, peer: "Peer") -> None:
        """Look at a connection after it was heard."""
        ...

    def leave(self, peer: "Peer") -> None:
        """Take note that it says no more."""
        ...

    def forget(self, peer: "Peer") -> None:
        """Take note that it is gone."""
        ...


class Peer(asyncio.Protocol):
    """The other side of a connection; `heard` is the number of bytes that it has said."""

    def __init__(self, codec: MessageCodec, host: Host) -> None:
        self.codec = codec
        self.heard = 0
        self.gone = asyncio.Event()
        self._host = host
        self._loop, self._thread = asyncio.get_running_loop(), get_ident()
        self._bodies: deque[bytes] = deque()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._hung_up = self._at_end = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        connection = transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            # A client whose machine is gone says nothing: the system asks for it.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._host.arrive(self)

    def data_received(self, data: bytes) -> None:
        """Hear the next bytes."""
        if self._hung_up:
            return
        # In slices: whoever is sent away for the first of them costs nobody the rest.
        for start in range(0, len(data), _SLICE):
            if not self._hung_up:
                self._hear(data[start : start + _SLICE])

    def _hear(self, data: bytes) -> None:
        self.heard += len(data)
        frames = self.codec.feed(data)
        self._send(self.codec.replies())
        for frame in frames:
            if not self._hung_up:
                self._host.handle(self, frame)
        if self.codec.over:
            self._host.leave(self)
        self._host.watch(self)

    def eof_received(self) -> bool:
        """Hear that nothing more comes; what is to be answered still can be."""
        self._at_end = True
        if self._hung_up:
            return False
        self._host.leave(self)
        return True

    def connection_lost(self, error: Exception | None) -> None:
        """End."""
        del error
        self.limit(None)
        self._hung_up = True
        self.gone.set()
        self._host.leave(self)
        self._host.forget(self)

    def write(self, data: bytes) -> None:
        """Send the body of a message after all that was sent before; from any thread."""
        self._bodies.append(data)
        if get_ident() == self._thread:
            self._flush()
        else:
            # The loop may be closed by now: then nobody is left to be told.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._flush)

    def hang_up(self, code: int, reason: str) -> None:
        """Say no more than this close code of WebSocket and a line; hear no more."""
        if self._hung_up or self._transport is None:
            return
        self._flush()
        self._send(self.codec.close_frame(code, reason))
        self._hung_up = True
        self.limit(LINGER, self.drop)
        if self._at_end:
            self._transport.close()
        elif not self._transport.is_closing():
            # Who has gone already has reset the connection: that is no matter of anybody else's.
            with contextlib.suppress(OSError):
                self._transport.write_eof()

    def close(self) -> None:
        """Hang up on who says no more either."""
        self.hang_up(_NORMAL, "")
        self.limit(None)
        if self._transport is not None:
            self._transport.close()

    def drop(self) -> None:
        """End at once, whatever has not been read."""
        if self._transport is not None:
            self._transport.abort()

    def limit(self, seconds: float | None, then: Callable[[], None] = lambda: None) -> None:
        """Do this in so many seconds, and not what was to be done before; None: nothing."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self._loop.call_later(seconds, then)

    def _flush(self) -> None:
        while self._bodies:
            self._send(self.codec.encode(self._bodies.popleft()))

    def _send(self, data: bytes) -> None:
        if data and self._transport is not None and not self._hung_up:
            self._transport.write(data)
