"""Escaping and width of text for a terminal, so that no name can move the cursor.

Invariant: the result is one line of printable characters.
"""

import unicodedata
from typing import Final

from intent_lsp.core.text import escape_unseen

_WIDE: Final = ("F", "W")
_SHORT: Final = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


def spoken(text: str) -> str:
    r"""Return text with control, format and line characters escaped: `\x1b`, `\u202e`."""
    return escape_unseen(text.translate(_SHORT))


def width(text: str) -> int:
    """Return the columns that an escaped text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1
