"""Parses the endpoints that a server listens on, and the origins of web pages that may connect.

Invariant: a missing host means the loopback address, which other machines cannot reach.
Invariant: text that is not exactly one origin (`null`, `*`, a list) is rejected.
"""

import re
from dataclasses import dataclass
from typing import Final

LOOPBACK: Final = "127.0.0.1"
"""The host of an endpoint that names none."""

_HIGHEST_PORT: Final = 65_535
_SPELLED: Final = re.compile(r"(?:(?:\[([^\]\s]+)\]|([^:\[\]\s]*)):)?([0-9]{1,5})", re.ASCII)
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s,*@]+", re.ASCII)


# A dataclass, as the next: whoever only lists the commands need not load msgspec.
@dataclass(frozen=True, slots=True)
class Endpoint:
    """The host (a name or an address) and port of a server. Port 0 means any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `HOST:PORT`, with an IPv6 address in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenAddress:
    """Where a server listens, by scheme `tcp`, `ws` or `http`, and whom it lets in.

    A client has to know the token in `token_file`; if that is None, no token is needed. `origins`
    are the origins of web pages that may open a WebSocket.
    """

    scheme: str
    endpoint: Endpoint
    token_file: str | None = None
    origins: frozenset[str] = frozenset()


def read_endpoint(spelled: str) -> Endpoint | None:
    """Return the endpoint that a text names: `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `PORT`.

    A missing host means the loopback address of IPv4. Return None for any other text, or for a port
    above 65535.
    """
    found = _SPELLED.fullmatch(spelled)
    if found is None or int(found[3]) > _HIGHEST_PORT:
        return None
    return Endpoint(found[1] or found[2] or LOOPBACK, int(found[3]))


def read_origin(spelled: str) -> str | None:
    """Return a web origin (SCHEME://HOST[:PORT]) in lower case.

    Return None if the text is not exactly one origin. The host and the port are not checked.
    """
    origin = spelled.lower()
    return origin if _ORIGIN.fullmatch(origin) else None
