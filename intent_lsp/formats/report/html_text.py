"""HTML written so that words stay words: a `str` is always escaped, only `Html` is markup.

Invariant: no text, whatever is in it, becomes a tag, an attribute or a character reference.
Invariant: what is written is UTF-8, and no character in it is unseen or turns the direction.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
_VOID: Final = frozenset({"input", "meta"})
_LAST_OF_PLANE: Final = 0xFFFE
_ARABIC_NONCHARACTERS: Final = range(0xFDD0, 0xFDF0)
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
    return spelled(text).translate(_ENTITIES)


def spelled(text: str) -> str:
    """Spell control, format, line and surrogate characters and noncharacters out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(char) if _unseen(char) else char for char in text)


def _attribute(name: str, value: str | int) -> str:
    return f" {name}" if value == "" else f' {name}="{escaped(str(value))}"'


def _unseen(char: str) -> bool:
    point = ord(char)
    return (
        unicodedata.category(char) in _UNSEEN
        or point & _LAST_OF_PLANE == _LAST_OF_PLANE
        or point in _ARABIC_NONCHARACTERS
    )


def _spelled(char: str) -> str:
    point = ord(char)
    if point <= 0xFF:  # noqa: PLR2004 -- as Python spells it
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 -- as above
