"""Opens the TCP socket at which a server listens for clients, and prints where it listens."""

import contextlib
import socket
import sys
from ipaddress import ip_address

from intent_lsp.core.errors import IntentLspError
from intent_lsp.formats.endpoint import Endpoint


class ListeningError(IntentLspError):
    """Raised if a server cannot, or must not, listen as it was asked to. `cure` says what to do."""

    def __init__(self, problem: str, *, cure: str) -> None:
        super().__init__(problem)
        self.cure = cure


def listen(
    endpoint: Endpoint, *, cure: str, beyond: str | None = None, backlog: int | None = None
) -> socket.socket:
    """Return a socket that listens at an endpoint. Raise ListeningError, with `cure`, if it cannot.

    If `beyond` is not None, an address that other machines can reach is refused: ListeningError is
    raised with the message `beyond`.
    """
    try:
        found = socket.getaddrinfo(
            endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, address = found[0]
        host = str(address[0])
        if beyond is not None and not _is_local(host):
            raise ListeningError(beyond, cure=cure)
        return socket.create_server((host, int(address[1])), family=family, backlog=backlog)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ListeningError(f"cannot listen on {endpoint}: {reason}", cure=cure) from error


def is_loopback(listener: socket.socket) -> bool:
    """Return whether only this machine can reach a socket that listens."""
    return _is_local(str(listener.getsockname()[0]))


def announce(listener: socket.socket, scheme: str, path: str, reach: str) -> None:
    """Print `intent-lsp: listening on SCHEME://HOST:PORTPATH (REACH)` to standard error."""
    host, port = listener.getsockname()[:2]
    # The parent may have closed standard error; then it knows the port.
    with contextlib.suppress(AttributeError, OSError):
        url = f"{scheme}://{Endpoint(host, port)}{path}"
        sys.stderr.write(f"intent-lsp: listening on {url} ({reach})\n")
        sys.stderr.flush()


def _is_local(host: str) -> bool:
    return ip_address(host.partition("%")[0]).is_loopback
