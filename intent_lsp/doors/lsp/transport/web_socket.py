"""WebSocket: each message is one, of text or binary, without headers.

Invariant: no message is read before the request for the connection was found to be allowed.
Invariant: memory is bounded by one message of the limit; nothing is compressed, so that nothing
small becomes large.
"""

import asyncio
import logging
import socket
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT, Body, Frame
from intent_lsp.doors.lsp.transport.channel import CloseCode
from intent_lsp.doors.lsp.transport.client_admission import (
    LINGER,
    MOST_WAITING,
    ClientAdmission,
)
from intent_lsp.doors.lsp.transport.web_handshake import HandshakeResult

_SUBPROTOCOL: Final = Subprotocol("lsp")
_LONGEST_REASON: Final = 120
"""Bytes of a reason; a close frame has room for 123."""


class WebSocketChannel:
    """One WebSocket."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def receive(self) -> list[Frame] | None:
        """Return the next message, or None at the end."""
        try:
            data = await self._connection.recv()
        except ConnectionClosed:
            return None
        return [Body(data.encode() if isinstance(data, str) else data)]

    async def send(self, body: bytes) -> None:
        """Send one message, as text."""
        try:
            await self._connection.send(body, text=True)
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from error

    async def close(self, code: CloseCode, reason: str) -> None:
        """Send a close frame, and wait for the other side's."""
        said = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await self._connection.close(code, said)


class _CountedConnection(ServerConnection):
    """A connection that waits to be let in from its first byte, which belongs to a request."""

    def __init__(self, admission: ClientAdmission, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the library's
        super().__init__(*args, **kwargs)
        self._admission = admission

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.pending = self._admission.arrive(transport)

    def data_received(self, data: bytes) -> None:
        if self.pending.count(len(data)):
            super().data_received(data)


async def listen(
    handshake: HandshakeResult, listener: socket.socket, admission: ClientAdmission
) -> None:
    """Take connections from now on, until nobody reads from the listener."""

    async def converse(connection: ServerConnection) -> None:
        pending = cast("_CountedConnection", connection).pending
        await admission.converse(pending, WebSocketChannel(connection))

    await serve(
        converse,
        sock=listener,
        backlog=MOST_WAITING,
        create_connection=partial(_CountedConnection, admission),  # type: ignore[arg-type]  # a wrapper, as documented
        process_request=partial(_check, handshake),
        select_subprotocol=_choose,
        compression=None,
        server_header=None,
        open_timeout=admission.limits.seconds,
        close_timeout=LINGER,
        ping_interval=None,
        max_size=MESSAGE_LIMIT,
        logger=_discreet_log(),
    )


def _check(
    handshake: HandshakeResult, connection: ServerConnection, request: Request
) -> Response | None:
    headers = request.headers
    problem = handshake.refusal(hosts=headers.get_all("Host"), origins=headers.get_all("Origin"))
    return None if problem is None else connection.respond(HTTPStatus.FORBIDDEN, f"{problem}\n")


def _choose(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Agree to `lsp` if it is offered; a client that offers none, or others, gets none."""
    return _SUBPROTOCOL if _SUBPROTOCOL in offered else None


def _discreet_log() -> logging.Logger:
    """Return a log that never gets to `debug`, which holds each message, and so the token."""
    log = logging.getLogger(f"{__name__}.wire")
    log.setLevel(logging.WARNING)
    return log
