"""Source of a single YAML value: where in the text each character of the value stands.

Invariant: offsets are returned only if the source, read by the rules here, gives the value.
"""

import re
from collections.abc import Sequence

_ESCAPE = {
    "'": re.compile("''"),
    '"': re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL),
}
_LAST = "0010ffff"
_HEXADECIMAL = ("x", "u", "U")
_SIMPLE = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v"}
_SIMPLE |= {"f": "\f", "r": "\r", "e": "\x1b", " ": " ", '"': '"', "'": "'", "/": "/", "\\": "\\"}
_SIMPLE |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


def content_span(source: str) -> tuple[int, int]:
    """Return the offsets of the text between the quotes of a value, or of all of its source."""
    quoted = len(source) > 1 and source[0] in "'\"" and source[-1] == source[0]
    return (1, len(source) - 1) if quoted else (0, len(source))


def value_offsets(source: str, value: str) -> Sequence[int] | None:
    """Return where each character of a value begins in its source, and where the last one ends.

    Return None if that is unknown: for values of several lines, block text and YAML aliases.
    """
    if source == value:
        return range(len(source) + 1)
    start, end = content_span(source)
    if not start:
        return None
    characters, offsets = "", []
    while start < end:
        found = _ESCAPE[source[0]].match(source, start, end)
        characters += source[start] if found is None else _escaped(found[0])
        offsets.append(start)
        start = start + 1 if found is None else found.end()
    return [*offsets, end] if characters == value else None


def value_begun(source: str, quote: str) -> str:
    """Return what the source text behind an open quote means."""
    return _ESCAPE[quote].sub(lambda found: _escaped(found[0]), source)


def _escaped(escape: str) -> str:
    """Return the character that an escape stands for, or the escape itself if it stands for none.

    That is so for the end of a line, which a value of one line does not have.
    """
    if escape[1] in _HEXADECIMAL and len(escape) > len("\\x"):
        digits = escape[2:].lower()
        return chr(int(digits, 16)) if digits <= _LAST or len(digits) < len(_LAST) else escape
    return _SIMPLE.get(escape[1], escape)
