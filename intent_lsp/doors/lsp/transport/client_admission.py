"""The strangers at a socket, and the one of them that becomes the client.

Invariant: one client a process: once there is one, everybody else is told so and sent away.
Invariant: whoever says nothing, too much, or not all of it, has nobody wait for long.
Invariant: strangers who only hold a place make room for those who come.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame
from intent_lsp.doors.lsp.protocol.messages import InvalidMessage
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.client_auth import (
    Accept,
    ClientAuthenticator,
    Reject,
    encode_refusal,
)
from intent_lsp.doors.lsp.transport.peer import Peer

_log: Final = logging.getLogger(__name__)

_TOO_MANY: Final = 16
_BUSY: Final = "this server already has a client, and it serves only one; start another server"


class CloseCode(IntEnum):
    """How a WebSocket ends (RFC 6455, section 7.4.1)."""

    FINE = 1000
    GOING_AWAY = 1001
    REFUSED = 1008
    TOO_BIG = 1009
    TRY_LATER = 1013


@dataclass(frozen=True, slots=True)
class Limits:
    """What a stranger may take before it is let in: seconds, and bytes."""

    seconds: float = 10.0
    size: int = 1 << 20


class ClientAdmission:
    """Hears strangers, lets one of them in, and gives the protocol what that one says."""

    def __init__(
        self,
        protocol: IntentProtocol,
        keeper: ClientAuthenticator,
        limits: Limits,
        end: Callable[[], None],
    ) -> None:
        self._protocol, self._keeper, self._limits = protocol, keeper, limits
        self._end = end
        self._client: Peer | None = None
        self._closed = False
        self._strangers: list[Peer] = []

    def arrive(self, peer: Peer) -> None:
        """Give a stranger its time, and send it away where there is a client."""
        self._strangers.append(peer)
        if len(self._strangers) > _TOO_MANY:
            self._strangers.pop(0).drop()
        seconds = self._limits.seconds
        problem = f"there was no initialize request within {seconds:g} seconds"
        peer.limit(seconds, lambda: self._dismiss(peer, problem, CloseCode.REFUSED))
        self.watch(peer)

    def handle(self, peer: Peer, frame: Frame) -> None:
        """Take a message: the client's is the protocol's, a stranger's the doorkeeper's."""
        if peer is self._client:
            self._deliver(frame)
        elif self._client is None:
            self._judge(peer, frame)

    def watch(self, peer: Peer) -> None:
        """Send a stranger away where it is one too many, or has said too much."""
        if peer is self._client or self._closed:
            return
        if self._client is not None and peer.codec.opened:
            self._dismiss(peer, _BUSY, CloseCode.TRY_LATER)
        elif peer.heard > self._limits.size:
            problem = f"more than {self._limits.size} bytes before initialize"
            self._dismiss(peer, problem, CloseCode.TOO_BIG)

    def leave(self, peer: Peer) -> None:
        """End with the client; let a stranger go."""
        if peer is self._client:
            self._finish()
        else:
            peer.hang_up(CloseCode.FINE, "")

    def forget(self, peer: Peer) -> None:
        """Drop a connection that is gone."""
        if peer in self._strangers:
            self._strangers.remove(peer)

    async def close(self) -> Peer | None:
        """Let go of the strangers; give the client, which still has to be told of the end."""
        self._closed = True
        strangers = list(self._strangers)
        for stranger in strangers:
            stranger.drop()
            await stranger.gone.wait()
        return self._client

    def _judge(self, peer: Peer, frame: Frame) -> None:
        match self._keeper.handle(frame):
            case Accept():
                self._let_in(peer, frame)
            case Reject(None):
                peer.hang_up(CloseCode.FINE, "")
            case Reject(InvalidMessage() as refusal):
                peer.write(encode_refusal(refusal))
                _log.info("a connection was refused: %s", refusal.message)
                peer.hang_up(CloseCode.REFUSED, refusal.message)
            case waits:
                if waits.answer is not None:
                    peer.write(encode_refusal(waits.answer))

    def _let_in(self, peer: Peer, frame: Frame) -> None:
        self._client = peer
        self.forget(peer)
        peer.limit(None)
        self._protocol.set_writer(peer, include_headers=False)
        strangers = list(self._strangers)
        self._deliver(frame)
        for stranger in strangers:
            self.watch(stranger)

    def _deliver(self, frame: Frame) -> None:
        if not self._closed:
            self._protocol.receive(frame)
        if self._protocol.exit_requested:
            self._finish()

    def _finish(self) -> None:
        self._closed = True
        self._end()

    def _dismiss(self, peer: Peer, problem: str, code: CloseCode) -> None:
        _log.info("a connection was refused: %s", problem)
        refusal = InvalidMessage(id=None, code=messages.INVALID_REQUEST, message=problem)
        peer.write(encode_refusal(refusal))
        peer.hang_up(code, problem)
