"""A server that listens for its one client at an address, over TCP or WebSocket.

Invariant: a token is required beyond this machine, and for WebSocket, which web pages can reach.
Invariant: it prints its address and who can reach it before it accepts a connection.
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from pygls.lsp.server import LanguageServer

from intent_lsp.core.errors import IntentLspError
from intent_lsp.doors.lsp.protocol import messages
from intent_lsp.doors.lsp.protocol.framing import Frame, Frames
from intent_lsp.doors.lsp.protocol.protocol import IntentProtocol
from intent_lsp.doors.lsp.transport.channel import CloseCode
from intent_lsp.doors.lsp.transport.client_admission import (
    MOST_WAITING,
    ClientAdmission,
    Limits,
    PendingConnection,
)
from intent_lsp.doors.lsp.transport.client_auth import ClientAuthenticator
from intent_lsp.doors.lsp.transport.run_loop import conduct, end_on_signals
from intent_lsp.formats.endpoint import ListenAddress
from intent_lsp.store.fs.token_file import token_of
from intent_lsp.store.listening import ListeningError, announce, is_loopback, listen

_HERE: Final = "this machine only"
_EVERYWHERE: Final = (
    "any machine that can reach this address, with the token, by a connection that is not encrypted"
)
_CURE: Final = "give an address of this machine and a free port, or port 0 to have one chosen"
_ANYBODY: Final = "; every user of this machine can connect, since no --token-file was given"

_SLICE: Final = 16 << 10
"""Bytes read at a time. A connection refused for the first bytes costs no more than that."""

Listen = Callable[[socket.socket, ClientAdmission], Awaitable[None]]


class SocketServer(Struct, frozen=True, kw_only=True):
    """A bound listener, with what authenticates and accepts its connections.

    `listen` starts to accept them.
    """

    listener: socket.socket
    authenticator: ClientAuthenticator
    listen: Listen
    limits: Limits


class TcpChannel:
    """One TCP connection as a `Channel` of messages, with the headers of LSP's base protocol."""

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


def open_socket_server(place: ListenAddress, limits: Limits | None = None) -> SocketServer:
    """Listen on an address and print `intent-lsp: listening on URL (…)` to standard error.

    `place` has the scheme `tcp` or `ws`. `limits` are those of a connection before it is admitted,
    or None for the default ones. Raise ListeningError if it is impossible to listen there, if a
    token is needed and `token_file` is None, or if the scheme is `ws` and the package websockets is
    not installed. Raise TokenFileError if the token file cannot be used.
    """
    accept = _listen_by(place)
    listener = listen(place.endpoint, cure=_CURE, backlog=MOST_WAITING)
    try:
        authenticator = ClientAuthenticator(_token(place, listener))
    except IntentLspError:
        listener.close()
        raise
    reach = _HERE if is_loopback(listener) else _EVERYWHERE
    guard = "" if place.token_file is not None else _ANYBODY
    announce(listener, place.scheme, "", reach + guard)
    return SocketServer(
        listener=listener, authenticator=authenticator, listen=accept, limits=limits or Limits()
    )


def serve_sockets(server: LanguageServer, place: SocketServer) -> int:
    """Serve the first admitted connection until it ends, and return the exit status.

    The status is 0 if the client sent `shutdown`, else 1. Raise TypeError unless the server speaks
    IntentProtocol.
    """
    with place.listener:
        return conduct(server, lambda protocol: _converse(protocol, place))


async def _converse(protocol: IntentProtocol, place: SocketServer) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    end_on_signals(loop, ended)
    admission = ClientAdmission(protocol, place.authenticator, place.limits, ended)
    await place.listen(place.listener, admission)
    await ended.wait()
    with contextlib.suppress(NotImplementedError):
        # Stop accepting without closing: asyncio.Server would lose a connection that is half set
        # up.
        loop.remove_reader(place.listener)
    await admission.finish()


def _listen_by(place: ListenAddress) -> Listen:
    if place.scheme == "tcp":
        return _listen_by_tcp
    try:
        # Imported late: only `--ws` needs the optional package websockets.
        from intent_lsp.doors.lsp.transport import web_socket  # noqa: PLC0415
    except ImportError as error:
        cure = "`pip install 'intent-lsp[ws]'`"
        raise ListeningError("--ws needs the package websockets", cure=cure) from error
    return partial(web_socket.listen, place.origins, place.endpoint.host)


async def _listen_by_tcp(listener: socket.socket, admission: ClientAdmission) -> None:
    """Start to accept TCP connections at `listener`, and pass each of them to `admission`."""

    def converse(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Coroutine[Any, Any, None]:
        # Registered before the task runs, because the task may be cancelled before it starts.
        pending = admission.arrive(writer.transport)
        return admission.converse(pending, TcpChannel(reader, writer, pending))

    await asyncio.start_server(converse, sock=listener, backlog=MOST_WAITING)


def _token(place: ListenAddress, listener: socket.socket) -> str | None:
    if place.token_file is not None:
        return token_of(Path(place.token_file))
    cure = "add `--token-file FILE`; the file is created with a new token if it does not exist"
    if place.scheme == "ws":
        raise ListeningError(
            "--ws needs a token: without one, any web page in a browser could connect", cure=cure
        )
    if not is_loopback(listener):
        raise ListeningError(
            f"--tcp {place.endpoint} needs a token: other machines can reach it", cure=cure
        )
    return None
