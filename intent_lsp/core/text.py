"""Text for storage and display: UTF-8 encoding, names, and control or invisible characters.

Invariant: `seen` keeps white space and removes every other control character.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

UNSEEN: Final = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f"  # controls
    "\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f"  # zero width, bidi
    "\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb"
    "\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff"  # tags among them
)
"""Control and invisible characters, as the text between the brackets of a regular expression."""

SURROGATES: Final = "\\ud800-\\udfff"
"""All surrogates, as the text between the brackets of a regular expression.

Python uses some of them for bytes of a file name that are not UTF-8. They cannot be encoded.
"""

_UNSEEN = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # terminal sequences, whole: else their letters would remain
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"
    f"|[{UNSEEN}]"
)
_NOT_ON_A_LINE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_UNSEEN_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_LAST_OF_PLANE: Final = 0xFFFE
_ARABIC_NONCHARACTERS: Final = range(0xFDD0, 0xFDF0)
REPLACEMENT: Final = "\ufffd"
_SURROGATE: Final = re.compile(f"[{SURROGATES}]")


def pack(text: str) -> bytes:
    """Encode a text as UTF-8. Lone surrogates are encoded too, although UTF-8 forbids them."""
    return text.encode("utf-8", "surrogatepass")


def unpack(data: bytes) -> str:
    """Decode bytes that `pack` has encoded."""
    return data.decode("utf-8", "surrogatepass")


def unpack_perhaps(data: bytes | None) -> str | None:
    """Decode bytes that `pack` has encoded, or return None if `data` is None."""
    return None if data is None else unpack(data)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular or plural: `1 record`, `1,234 records`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def some_of(names: Sequence[str], at_most: int) -> str:
    """Join the first `at_most` names with commas, and count the others: `a, b and 3 more`."""
    more = len(names) - at_most
    return ", ".join(names[:at_most]) + (f" and {more:,} more" if more > 0 else "")


def camel_case(name: str) -> str:
    """Return a snake_case name in camelCase."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest) if head else name


def on_one_line(text: str, longest: int) -> str:
    """Return a text on one line: control and bidirectional characters and line ends become blanks.

    A text of more than `longest` characters is cut: with a `…` at its end it has `longest`.
    """
    plain = _NOT_ON_A_LINE.sub(" ", text)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def without_middle(text: str, longest: int) -> str:
    """Return a text, with `…` for its middle if it has more than `longest` characters."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[: half - 1]}…{text[-half:]}"


def has_in_order(text: str, letters: str) -> bool:
    """Return whether the letters occur in a text in the same order, ignoring case."""
    left = iter(text.casefold())
    return all(letter in left for letter in letters.casefold())


def spliced(text: str, parts: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with each part, from a start to an end offset, replaced by a new text.

    The parts must not overlap, and must be in order of position.
    """
    pieces: list[str] = []
    done = 0
    for start, end, new in parts:
        pieces += (text[done:start], new)
        done = end
    return "".join((*pieces, text[done:]))


def seen(text: str) -> str:
    """Return the text without terminal sequences, control characters and invisible characters.

    White space stays, including line ends.
    """
    return _UNSEEN.sub("", text)


def escape_unseen(text: str) -> str:
    r"""Return the text with each invisible character as a hexadecimal escape, such as `\x1b`.

    Invisible are control characters (also tabs and line ends), format and surrogate characters, the
    separators U+2028 and U+2029, and noncharacters.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(escape_char(char) if _is_unseen(char) else char for char in text)


def escape_char(char: str) -> str:
    r"""Return a character's number as a hexadecimal escape: `\x1b`, `\u202e`, `\U000e0001`."""
    point = ord(char)
    if point <= 0xFF:  # noqa: PLR2004 - two digits
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - four digits


def whole(text: str) -> str:
    """Return the text with each surrogate replaced by U+FFFD. The length stays the same."""
    return text if text.isascii() else _SURROGATE.sub(REPLACEMENT, text)


def _is_unseen(char: str) -> bool:
    """Whether `escape_unseen` has to escape the character."""
    point = ord(char)
    return (
        unicodedata.category(char) in _UNSEEN_CATEGORIES
        or point & _LAST_OF_PLANE == _LAST_OF_PLANE
        or point in _ARABIC_NONCHARACTERS
    )
