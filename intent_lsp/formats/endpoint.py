"""Addresses: where a server listens, and which web pages may connect.

Invariant: a host that is left out is this machine's own, which nobody else reaches.
Invariant: what names no single origin (`null`, `*`, a list) is none.
"""

import re
from dataclasses import dataclass
from typing import Final

LOOPBACK: Final = "127.0.0.1"
"""The host of an endpoint that names none."""

_HIGHEST_PORT: Final = 65_535
_SPELLED: Final = re.compile(r"(?:(?:\[([^\]\s]+)\]|([^:\[\]\s]*)):)?([0-9]{1,5})", re.ASCII)
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#\s,*@]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host, by name or by address, and a port; port 0 is any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        """Spell it as `HOST:PORT`, an IPv6 address in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_endpoint(spelled: str) -> Endpoint | None:
    """Read `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; None for anything else."""
    found = _SPELLED.fullmatch(spelled)
    if found is None or int(found[3]) > _HIGHEST_PORT:
        return None
    return Endpoint(found[1] or found[2] or LOOPBACK, int(found[3]))


def read_origin(spelled: str) -> str | None:
    """Read an origin, in lower case; None for what is none."""
    origin = spelled.lower()
    return origin if _ORIGIN.fullmatch(origin) else None
