"""Decides which HTTP requests may become a WebSocket, by their Host and Origin headers.

Invariant: a web page's request is refused unless its origin is allowed. Any page that somebody
opens can reach every port of this machine.
Invariant: a request with a foreign host name is refused. After it is loaded, a page can make its
own name resolve to this machine (DNS rebinding).
"""

import re
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

from msgspec import Struct

from intent_lsp.formats.endpoint import read_origin

_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]+))(?::[0-9]{1,5})?", re.ASCII)


class HandshakeResult(Struct, frozen=True):
    """The rules of the handshake: which requests may become a WebSocket.

    `origins` are the allowed origins, as `read_origin` returns them; `host` is the host to listen
    on.
    """

    origins: frozenset[str]
    host: str

    def refusal(self, *, hosts: Sequence[str], origins: Sequence[str]) -> str | None:
        """Return why a request is refused, or None if it is allowed.

        `hosts` and `origins` are the values of its Host and Origin headers. There must be one host:
        localhost, `host` or any IP address. There may be one origin, which must be an allowed one.
        A request without an origin does not come from a web page.
        """
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "the Host header of the request does not name this server"
        if origins and (len(origins) > 1 or read_origin(origins[0]) not in self.origins):
            return "the Origin header of the request names no origin that `--allow-origin` allows"
        return None

    def _is_ours(self, spelled: str) -> bool:
        found = _HOST.fullmatch(spelled)
        if found is None:
            return False
        name = (found[1] or found[2]).lower().removesuffix(".")
        return name in {"localhost", self.host.lower()} or _is_address(name)


def _is_address(name: str) -> bool:
    """Return whether a host is an IP address, so that no name server is asked for it."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
