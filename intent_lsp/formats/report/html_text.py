"""HTML writer that escapes by type: a `str` is always escaped, only `Html` is markup.

Invariant: no text can become a tag, an attribute or a character reference.
Invariant: the output is UTF-8 and has no invisible characters or text-direction controls.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.text import escape_unseen

_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
_VOID: Final = frozenset({"input", "meta"})
_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")


@dataclass(frozen=True, slots=True)
class Html:
    """A piece of well-formed markup."""

    text: str


Inside = Html | str
"""The content of an element: markup, or text to escape."""


def tag(name: str, /, *inside: Inside, **attributes: str | int) -> Html:
    """Return an element. `class_` becomes `class`, `aria_label` becomes `aria-label`.

    An attribute with the value "" is written without a value. Raise ValueError for an invalid
    element name.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError(name)
    told = "".join(
        _attribute(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    if name in _VOID:
        return Html(f"<{name}{told}>")
    return Html(f"<{name}{told}>{joined(inside).text}</{name}>")


def joined(pieces: Iterable[Inside]) -> Html:
    """Return the pieces joined into one. Text is escaped."""
    return Html("".join(p.text if isinstance(p, Html) else escaped(p) for p in pieces))


def escaped(text: str) -> str:
    """Return a text escaped for HTML. Invisible characters are shown as Python escapes."""
    return escape_unseen(text).translate(_ENTITIES)


def _attribute(name: str, value: str | int) -> str:
    return f" {name}" if value == "" else f' {name}="{escaped(str(value))}"'
