"""Servers that listen at a socket, over TCP or WebSocket, and clients that connect to them."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Queue
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from intent_lsp.doors.lsp.transport.client_admission import Limits
from intent_lsp.doors.lsp.transport.socket_server import (
    open_socket_server,
    serve_sockets,
)
from intent_lsp.formats.endpoint import Endpoint, ListenAddress
from tests.support import tiny_server
from tests.support.raw_client import INITIALIZE, LIMIT, RawClient

TOKEN: Final = "only-we-two-know-it"  # noqa: S105 - of servers that live for one test
SERVER: Final = (sys.executable, "-m", "intent_lsp", "serve")


class TcpClient(RawClient):
    """A client over TCP."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, LIMIT)
        super().__init__(self.socket.makefile("wb"), self.socket.makefile("rb"))

    def hang_up(self) -> None:
        """Shut down our side: nothing more comes from us."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def leave(self) -> None:
        """Shut down both sides, and close the socket."""
        self.hang_up()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RD)
        self.reader.join(LIMIT)
        for end in (self._to, self._from, self.socket):
            with suppress(OSError):
                end.close()


class WebClient(RawClient):
    """A client over WebSocket; `closed` is the close code and reason, once the connection ended."""

    closed: tuple[int, str] | None = None

    def __init__(self, address: tuple[str, int], origin: str | None = None) -> None:
        self._held = ExitStack()
        self.connection = self._held.enter_context(open_web(address, origin))
        self._next = 0
        self.inbox: Queue[dict[str, Any] | None] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def send(self, message: object) -> None:
        """Send a message; WebSocket frames it."""
        self.connection.send(json.dumps(message))

    def raw(self, data: bytes) -> None:
        """Send a binary message."""
        self.connection.send(data)

    def hang_up(self) -> None:
        """Close the connection."""
        self.connection.close()

    def leave(self) -> None:
        """Close the connection, and wait for the thread that reads."""
        self._held.close()
        self.reader.join(LIMIT)

    def _read(self) -> None:
        try:
            for message in self.connection:
                self.inbox.put(json.loads(message))
        except ConnectionClosed:
            pass
        self.closed = self.connection.close_code or 0, self.connection.close_reason or ""
        self.inbox.put(None)


SocketClient = TcpClient | WebClient


def open_web(
    address: tuple[str, int], origin: str | None = None
) -> AbstractContextManager[ClientConnection]:
    """Open a WebSocket, as a program does or (`origin`) as a web page does."""
    return connect(
        f"ws://{Endpoint(*address)}/",
        origin=None if origin is None else Origin(origin),
        proxy=None,
        open_timeout=LIMIT,
        close_timeout=LIMIT,
        max_size=None,
    )


class Listening:
    """A server that listens at `address`; `scheme` is `tcp` or `ws`."""

    scheme: str
    address: tuple[str, int]

    def client(self) -> SocketClient:
        """Connect, and send nothing yet."""
        kind = TcpClient if self.scheme == "tcp" else WebClient
        return kind(self.address)

    @contextmanager
    def guest(self) -> Iterator[SocketClient]:
        """Connect, and disconnect in the end."""
        client = self.client()
        try:
            yield client
        finally:
            client.leave()


class TinyListening(Listening):
    """The tiny server, listening in a thread of this process."""

    def __init__(self, place: ListenAddress, limits: Limits | None) -> None:
        self.scheme = place.scheme
        self._server = open_socket_server(place, limits)
        host, port = self._server.listener.getsockname()[:2]
        self.address = host, port
        self.status: int | None = None
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def end(self) -> int | None:
        """Wait for the end; return the exit status."""
        self._thread.join(LIMIT)
        assert not self._thread.is_alive(), "the server goes on"
        return self.status

    def stop(self) -> None:
        """End the server as its client: connect, initialize and exit."""
        # Repeatedly: a server whose limits are tight may refuse this client, too.
        while self._thread.is_alive():
            with suppress(OSError, EOFError, WebSocketException), self.guest() as client:
                client.begin("initialize", INITIALIZE | with_token())
                client.notify("exit")
                client.reader.join(LIMIT)

    def _serve(self) -> None:
        self.status = serve_sockets(tiny_server.build(), self._server)


@contextmanager
def tiny(
    scheme: str = "tcp",
    *,
    host: str = "127.0.0.1",
    token_file: Path | None = None,
    origins: Iterable[str] = (),
    limits: Limits | None = None,
) -> Iterator[TinyListening]:
    """Start a tiny server that listens; end it with the block."""
    listening = TinyListening(
        ListenAddress(
            scheme=scheme,
            endpoint=Endpoint(host, 0),
            token_file=None if token_file is None else str(token_file),
            origins=frozenset(origins),
        ),
        limits,
    )
    try:
        yield listening
    finally:
        listening.stop()
        listening.end()


class Process(Listening):
    """A server in a process of its own; `said` are the lines that it wrote to standard error."""

    def __init__(self, words: Sequence[str], cwd: Path | None = None) -> None:
        self.process = subprocess.Popen(
            [*SERVER, *words], cwd=cwd, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stderr
        self.said = [self.process.stderr.readline()]
        url, _, self.reach = self.said[0].removeprefix("intent-lsp: listening on ").partition(" ")
        self.scheme, _, place = url.partition("://")
        host, _, port = place.rpartition(":")
        self.address = host.strip("[]"), int(port)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and what it wrote after the first line."""
        assert self.process.stderr
        log = self.process.stderr.read()
        return self.process.wait(LIMIT), log


@contextmanager
def process(*words: str, cwd: Path | None = None) -> Iterator[Process]:
    """Start a server process that listens, and kill it in the end."""
    started = Process(words, cwd)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait(LIMIT)
        assert started.process.stderr
        started.process.stderr.close()


def with_token(token: object = TOKEN) -> dict[str, Any]:
    """Return the params of `initialize` that carry a token."""
    return {"initializationOptions": {"token": token}}


def token_file(directory: Path, token: str = TOKEN, mode: int = 0o600) -> Path:
    """Write a token file; by default only its user can read it."""
    path = directory / "token"
    path.write_text(token)
    path.chmod(mode)
    return path


def ask_http(address: tuple[str, int], *lines: str) -> tuple[int, str]:
    """Send an HTTP request of these lines; return the status and all that was answered."""
    with socket.create_connection(address, LIMIT) as connection:
        connection.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        head = connection.recv(1 << 16)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        answer = (head + everything(connection)).decode("latin-1")
    return int(answer.split()[1]), answer


def everything(connection: socket.socket) -> bytes:
    """Read to the end of a connection."""
    answer = b""
    with suppress(ConnectionError):
        while data := connection.recv(1 << 16):
            answer += data
    return answer
