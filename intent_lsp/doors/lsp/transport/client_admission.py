"""Admission of socket connections: one becomes the client, the others are turned away.

Invariant: one client per process. Once there is one, every other connection is closed.
Invariant: a connection that is not the client yet and sends nothing, too much or an incomplete
message is closed in limited time.
Invariant: if too many connections wait, the oldest is dropped for a new one.
Invariant: a refused connection has two seconds to read why, if there is something to say.
"""

import asyncio
import contextlib
import logging
import socket
from typing import Final, cast

from msgspec import Struct

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import BadHeader, Frame
from intent_lsp.doors.lsp.protocol.messages import InvalidMessage
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.channel import Channel, ChannelWriter, CloseCode
from intent_lsp.doors.lsp.transport.client_auth import (
    Accept,
    ClientAuthenticator,
    Reject,
    Retry,
    encode_refusal,
)
from intent_lsp.doors.lsp.transport.run_loop import PATIENCE

_log: Final = logging.getLogger(__name__)

MOST_WAITING: Final = 16
LINGER: Final = 2.0
"""Seconds that the other side has to read what was sent last."""
_CLOSING: Final = {
    CloseCode.GOING_AWAY: "the server is shutting down",
    CloseCode.REFUSED: "the header of a message cannot be read, so the connection is closed",
}
"""What a client is told when its connection is closed with one of these codes."""

_BUSY: Final = "this server already has a client, and it serves only one; start another server"


class Limits(Struct, frozen=True):
    """What a connection may use before it is admitted: `seconds` of time, and `size` bytes."""

    seconds: float = 10.0
    size: int = 1 << 20


class PendingConnection:
    """A connection that waits for admission.

    It waits until `deadline` at most, and may send `size` bytes meanwhile.
    """

    def __init__(self, transport: asyncio.WriteTransport, deadline: float, size: int) -> None:
        self.transport, self.deadline = transport, deadline
        self.timeout: asyncio.Timeout | None = None
        """Runs while the connection waits."""
        self._left, self._is_limited = size, True

    @property
    def is_too_big(self) -> bool:
        """Whether the connection has sent more than it may before admission."""
        return self._is_limited and self._left < 0

    def count(self, size: int) -> bool:
        """Count `size` received bytes.

        Return False if the connection has sent too much, so that the bytes must be ignored.
        """
        self._left -= size
        if self.is_too_big:
            self.interrupt()
        return not self.is_too_big

    def let_in(self) -> None:
        """Lift the limit of received bytes, because the connection is admitted."""
        self._is_limited = False

    def interrupt(self) -> None:
        """End the wait for admission now, before its deadline."""
        if self.timeout is not None and not self.timeout.expired():
            self.timeout.reschedule(0)


class ClientAdmission:
    """Admits one connection as the client and passes its messages to the protocol.

    Sets the event `ended` when the client has left.
    """

    def __init__(
        self,
        protocol: IntentProtocol,
        authenticator: ClientAuthenticator,
        limits: Limits,
        ended: asyncio.Event,
    ) -> None:
        self.limits = limits
        self._protocol, self._authenticator, self._ended = protocol, authenticator, ended
        self._settled = asyncio.Event()
        self._pending: list[PendingConnection] = []
        self._most = MOST_WAITING
        self._client: asyncio.Task[object] | None = None

    def arrive(self, transport: asyncio.BaseTransport) -> PendingConnection:
        """Register a new connection as waiting. If too many are waiting, drop the oldest."""
        with contextlib.suppress(OSError):
            # Keepalive, because a client whose machine has vanished never closes its connection.
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        deadline = asyncio.get_running_loop().time() + self.limits.seconds
        pending = PendingConnection(
            cast("asyncio.WriteTransport", transport), deadline, self.limits.size
        )
        self._pending = [each for each in self._pending if not each.transport.is_closing()]
        self._pending.append(pending)
        while len(self._pending) > self._most:
            self._pending.pop(0).transport.abort()
        return pending

    async def converse(self, pending: PendingConnection, channel: Channel) -> None:
        """Admit a connection as the client and serve it to its end, or answer why not.

        In either case the connection is closed at the end. `channel` sends and receives the
        messages of the connection `pending`.
        """
        try:
            outcome = await self._wait(pending, channel)
            if isinstance(outcome, Reject):
                await _send_away(channel, outcome)
            else:
                await self._serve(channel, outcome)
        finally:
            pending.transport.abort()

    async def finish(self) -> None:
        """Drop all waiting and later connections, and end the client's connection.

        Wait, within time limits, until the client has read all that was sent.
        """
        # Drop later connections too.
        self._most = 0
        while self._pending:
            self._pending.pop().transport.abort()
        await self._protocol.settle(PATIENCE)
        self._settled.set()
        if self._client is not None:
            await asyncio.wait({self._client})

    async def _wait(self, pending: PendingConnection, channel: Channel) -> list[Frame] | Reject:
        """Wait until `pending` sends an `initialize` that is accepted, and admit it as the client.

        Return the frames from that message on. Return why the connection is not admitted if another
        connection becomes the client first, or if `pending` breaks a rule.
        """
        try:
            async with asyncio.timeout_at(pending.deadline) as pending.timeout:
                return await self._judge(pending, channel)
        except TimeoutError:
            return self._overdue(pending)
        except OSError:
            return Reject(None, CloseCode.FINE)
        finally:
            pending.timeout = None
            if pending in self._pending:
                self._pending.remove(pending)

    async def _judge(self, pending: PendingConnection, channel: Channel) -> list[Frame] | Reject:
        while self._client is None and (frames := await channel.receive()) is not None:
            for place, frame in enumerate(frames):
                match self._authenticator.handle(frame):
                    case Accept() if self._may_enter(pending):
                        self._let_in(pending)
                        return frames[place:]
                    case Reject() as refusal:
                        return refusal
                    case Retry(InvalidMessage() as answer):
                        await channel.send(encode_refusal(answer))
                    case _:
                        pass
        return Reject(None, CloseCode.FINE) if self._client is None else self._overdue(pending)

    def _may_enter(self, pending: PendingConnection) -> bool:
        """Return whether there is no client yet, and `pending` still waits within its limits."""
        return self._client is None and pending in self._pending and not pending.is_too_big

    def _let_in(self, pending: PendingConnection) -> None:
        self._client = asyncio.current_task()
        pending.let_in()
        self._pending.remove(pending)
        for other in self._pending:
            other.interrupt()

    def _overdue(self, pending: PendingConnection) -> Reject:
        if self._client is not None:
            problem, code = _BUSY, CloseCode.TRY_LATER
        elif pending.is_too_big:
            problem, code = (
                f"more than {self.limits.size} bytes came before the end of an initialize request",
                CloseCode.TOO_BIG,
            )
        else:
            problem = f"there was no initialize request within {self.limits.seconds:g} seconds"
            code = CloseCode.REFUSED
        return Reject(InvalidMessage(id=None, code=messages.INVALID_REQUEST, message=problem), code)

    async def _serve(self, channel: Channel, frames: list[Frame]) -> None:
        writer = ChannelWriter(channel)
        self._protocol.set_writer(writer, include_headers=False)
        reading = asyncio.create_task(self._read(channel, frames))
        reading.add_done_callback(lambda _: self._ended.set())
        await self._ended.wait()
        reading.cancel()
        await asyncio.wait({reading})
        await self._settled.wait()
        writer.close()
        await writer.join(PATIENCE)
        code = CloseCode.GOING_AWAY if reading.cancelled() else reading.result()
        with contextlib.suppress(OSError):
            async with asyncio.timeout(LINGER):
                await channel.close(code, _CLOSING.get(code, ""))

    async def _read(self, channel: Channel, first: list[Frame]) -> CloseCode:
        """Pass the frames `first`, then those received, to the protocol until there are no more.

        Stop also after the client's `exit` or an unreadable header.

        Return the close code for the client: REFUSED after an unreadable header, else FINE.
        """
        frames: list[Frame] | None = first
        while frames is not None:
            for frame in frames:
                self._protocol.receive(frame)
                if self._protocol.exit_requested:
                    return CloseCode.REFUSED if isinstance(frame, BadHeader) else CloseCode.FINE
            frames = await channel.receive()
        return CloseCode.FINE


async def _send_away(channel: Channel, refusal: Reject) -> None:
    reason = ""
    with contextlib.suppress(OSError):
        async with asyncio.timeout(LINGER):
            if refusal.answer is not None:
                reason = refusal.answer.message
                _log.info("a connection was refused: %s", reason)
                await channel.send(encode_refusal(refusal.answer))
            await channel.close(refusal.code, reason)
