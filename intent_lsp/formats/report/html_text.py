"""HTML written so that words stay words: a `str` is always escaped, only `Html` is markup.

Invariant: no text, whatever is in it, becomes a tag, an attribute or a character reference.
Invariant: what is written is UTF-8, and no character in it is unseen or turns the direction.
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
    """A piece of markup, well formed by itself."""

    text: str


Inside = Html | str


def tag(name: str, /, *inside: Inside, **attributes: str | int) -> Html:
    """Write an element. `class_` is `class`, `aria_label` is `aria-label`; "" is a bare name.

    Raises ValueError for a name that is none: names are ours, never foreign.
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
    """Write pieces one behind the other; text is escaped."""
    return Html("".join(p.text if isinstance(p, Html) else escaped(p) for p in pieces))


def escaped(text: str) -> str:
    """Spell a text as HTML shows it; what cannot be seen is spelled out, as Python does."""
    return escape_unseen(text).translate(_ENTITIES)


def _attribute(name: str, value: str | int) -> str:
    return f" {name}" if value == "" else f' {name}="{escaped(str(value))}"'
