"""Text as a terminal may be given it: nothing that a file name or an agent says moves the cursor.

Invariant: the result is one line of printable characters.
"""

import unicodedata
from collections.abc import Mapping
from typing import Final

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_WIDE: Final = ("F", "W")
_SHORT: Final[Mapping[str, str]] = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def spoken(text: str) -> str:
    r"""Spell control, format and line characters out: `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(char) for char in text)


def width(text: str) -> int:
    """Count the columns that a spoken text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _spelled(char: str) -> str:
    if unicodedata.category(char) not in _UNSEEN:
        return char
    if char.isascii():
        return _SHORT.get(char, f"\\x{ord(char):02x}")
    return char.encode("ascii", "backslashreplace").decode()


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1
