"""WebSocket channel: one message per WebSocket message, text or binary, without headers.

Invariant: no message is read before the handshake was allowed.
Invariant: a web page's request is refused unless its origin is allowed. Any page that somebody
opens can reach every port of this machine.
Invariant: a request with a foreign host name is refused. A web page's host name can be made to lead
to this machine once the page is loaded (DNS rebinding).
Invariant: a message is limited in length. Compression is off, so nothing can expand.
"""

import asyncio
import logging
import re
import socket
from functools import partial
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Final, cast

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from intent_lsp.doors.lsp.protocol.framing import MESSAGE_LIMIT, Body, Frame
from intent_lsp.doors.lsp.transport.channel import CloseCode
from intent_lsp.doors.lsp.transport.client_admission import LINGER, MOST_WAITING, ClientAdmission
from intent_lsp.formats.endpoint import read_origin

_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]+))(?::[0-9]{1,5})?", re.ASCII)
_SUBPROTOCOL: Final = Subprotocol("lsp")
_LONGEST_REASON: Final = 120
"""Bytes of a close reason. A close frame has room for 123."""


class WebSocketChannel:
    """One WebSocket connection as a `Channel` of messages."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection

    async def receive(self) -> list[Frame] | None:
        """Return the next message as one frame, or None if there are no more messages."""
        try:
            data = await self._connection.recv()
        except ConnectionClosed:
            return None
        return [Body(data.encode() if isinstance(data, str) else data)]

    async def send(self, body: bytes) -> None:
        """Send one message, as text. Raise ConnectionError if the connection is closed."""
        try:
            await self._connection.send(body, text=True)
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from error

    async def close(self, code: CloseCode, reason: str) -> None:
        """Send a close frame and wait for the close frame of the other side, at most two seconds.

        A long `reason` is cut.
        """
        said = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await self._connection.close(code, said)


class _CountedConnection(ServerConnection):
    """A WebSocket connection that is registered with `ClientAdmission` before its handshake.

    So its time and its received bytes are limited from the start.
    """

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
    allowed: frozenset[str], host: str, listener: socket.socket, admission: ClientAdmission
) -> None:
    """Start to accept WebSocket connections at `listener`, and pass each of them to `admission`.

    Only a request for `host`, `localhost` or an IP address may become a WebSocket. A request of a
    web page must also have one of the origins `allowed`, which are as `read_origin` returns them.
    """

    async def converse(connection: ServerConnection) -> None:
        pending = cast("_CountedConnection", connection).pending
        await admission.converse(pending, WebSocketChannel(connection))

    await serve(
        converse,
        sock=listener,
        backlog=MOST_WAITING,
        create_connection=partial(_CountedConnection, admission),  # type: ignore[arg-type]  # a wrapper, as documented
        process_request=partial(_check, allowed, host),
        select_subprotocol=lambda _, offered: _SUBPROTOCOL if _SUBPROTOCOL in offered else None,
        compression=None,
        server_header=None,
        open_timeout=admission.limits.seconds,
        close_timeout=LINGER,
        ping_interval=None,
        max_size=MESSAGE_LIMIT,
        logger=_discreet_log(),
    )


def _check(
    allowed: frozenset[str], host: str, connection: ServerConnection, request: Request
) -> Response | None:
    """Return the refusal of a request that may not become a WebSocket, or None if it may.

    There must be exactly one Host header: localhost, `host` or any IP address. There may be at most
    one Origin header, which must be in `allowed`. A request without an Origin header does not come
    from a web page.
    """
    hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
    if len(hosts) != 1 or not _is_ours(hosts[0], host):
        problem = "the Host header of the request does not name this server"
    elif origins and (len(origins) > 1 or read_origin(origins[0]) not in allowed):
        problem = "the Origin header of the request names no origin that `--allow-origin` allows"
    else:
        return None
    return connection.respond(HTTPStatus.FORBIDDEN, f"{problem}\n")


def _is_ours(spelled: str, host: str) -> bool:
    found = _HOST.fullmatch(spelled)
    if found is None:
        return False
    name = (found[1] or found[2]).lower().removesuffix(".")
    return name in {"localhost", host.lower()} or _is_address(name)


def _is_address(name: str) -> bool:
    """Return whether a host is an IP address, which DNS rebinding cannot redirect."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _discreet_log() -> logging.Logger:
    """Return a logger that logs WARNING and up.

    At DEBUG, websockets logs whole messages, and so the token.
    """
    log = logging.getLogger(f"{__name__}.wire")
    log.setLevel(logging.WARNING)
    return log
