"""Names of ours as URIs, for formats that take nothing else (ledger section 7)."""

import re
from typing import Final
from urllib.parse import quote, unquote

_OURS: Final = "urn:intent-lsp:"
_SESSION: Final = "session"
_NAMED: Final = {"specification": "intent"}
"""What a related thing is called here, by the type that the ledger gives it."""

_URI: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def is_uri(text: str) -> bool:
    """Find out whether a text is a URI with a scheme (RFC 3986); a drive letter is no scheme."""
    return _URI.fullmatch(text) is not None and not _DRIVE.match(text)


def talk_uri(url: str) -> str:
    """Give where an edit was talked about as a URI: as it stands, or a session's URN."""
    return url if is_uri(url) else _urn(_SESSION, url)


def related_uri(kind: str, value: str) -> str:
    """Give a related thing as a URI: as it stands, or as a URN of its type."""
    return value if is_uri(value) else _urn(_NAMED.get(kind, kind), value)


def talk_url(uri: str) -> str:
    """Undo `talk_uri`."""
    return _named(uri, _SESSION)


def related_value(kind: str, uri: str) -> str:
    """Undo `related_uri`."""
    return _named(uri, _NAMED.get(kind, kind))


def _urn(kind: str, name: str) -> str:
    return f"{_OURS}{_quoted(kind)}:{_quoted(name)}"


def _named(uri: str, kind: str) -> str:
    head = f"{_OURS}{_quoted(kind)}:"
    return unquote(uri[len(head) :]) or uri if uri.startswith(head) else uri


def _quoted(name: str) -> str:
    # An empty name would leave no URN; a lone surrogate has no bytes.
    return quote(name.encode("utf-8", "replace"), safe="") or "-"
