"""Which HTTP requests may become a WebSocket.

Invariant: a request of a web page is refused unless its origin was allowed by name: every page that
anybody opens can reach every port of this machine.
Invariant: a request that names a host which could be somebody else's is refused: a page's own name
can be made to lead here after the page was loaded (DNS rebinding).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from intent_lsp.formats.endpoint import read_origin

_HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]\s]+))(?::[0-9]{1,5})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class HandshakeResult:
    """What is allowed: origins as `read_origin` gives them, and the host that was asked for."""

    origins: frozenset[str]
    host: str

    def refusal(self, *, hosts: Sequence[str], origins: Sequence[str]) -> str | None:
        """Say why a request with these values of its headers is refused; None: it is not."""
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "the Host of the request is not an address of this server, nor its name"
        if origins and (len(origins) > 1 or read_origin(origins[0]) not in self.origins):
            return "the Origin of the request is not allowed; `--allow-origin` allows one"
        return None

    def _is_ours(self, spelled: str) -> bool:
        found = _HOST.fullmatch(spelled)
        if found is None:
            return False
        name = (found[1] or found[2]).lower().removesuffix(".")
        return name in {"localhost", self.host.lower()} or _is_address(name)


def _is_address(name: str) -> bool:
    """Whether no name server is asked where this leads."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
