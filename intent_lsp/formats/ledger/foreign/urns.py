"""Converts sessions and related entries of records to URIs and back (ledger section 7)."""

import re
from typing import Final
from urllib.parse import quote, unquote

_OURS: Final = "urn:intent-lsp:"
_SESSION: Final = "session"
_NAMED: Final = {"specification": "intent"}
"""What a related entry's type is called in a URN, where that differs from its type."""

_URI: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)
_DRIVE: Final = re.compile(r"[A-Za-z]:")


def is_uri(text: str) -> bool:
    """Return whether a text is a URI with a scheme (RFC 3986). A drive letter is no scheme."""
    return _URI.fullmatch(text) is not None and not _DRIVE.match(text)


def talk_uri(url: str) -> str:
    """Return a conversation's URL if it is a URI, else a URN of a session with that name."""
    return url if is_uri(url) else _urn(_SESSION, url)


def related_uri(kind: str, value: str) -> str:
    """Return the value of a related entry of type `kind` if it is a URI, else a URN made from it.

    The type in the URN is `kind`, or `intent` if `kind` is `specification`.
    """
    return value if is_uri(value) else _urn(_NAMED.get(kind, kind), value)


def talk_url(uri: str) -> str:
    """Return the conversation's URL that `talk_uri` turned into `uri`.

    Any other URI is returned unchanged.
    """
    return _named(uri, _SESSION)


def related_value(kind: str, uri: str) -> str:
    """Return the value of a related entry of type `kind` that `related_uri` made `uri` from.

    Any other URI is returned unchanged.
    """
    return _named(uri, _NAMED.get(kind, kind))


def _urn(kind: str, name: str) -> str:
    return f"{_OURS}{_quoted(kind)}:{_quoted(name)}"


def _named(uri: str, kind: str) -> str:
    head = f"{_OURS}{_quoted(kind)}:"
    return unquote(uri[len(head) :]) or uri if uri.startswith(head) else uri


def _quoted(name: str) -> str:
    # An empty name would give an invalid URN, and a lone surrogate has no bytes.
    return quote(name.encode("utf-8", "replace"), safe="") or "-"
