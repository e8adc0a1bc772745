"""YAML encoding of a single value: plain where that is safe, else quoted.

Invariant: the result reads back as the same text, in block and in flow form.
"""

import re
from json import dumps

from intent_lsp.formats.yaml.nodes import NULLS

# Stricter than YAML: no indicator at the start, and no `:` or `#` that could end the value.
_PLAIN = re.compile(r"[A-Za-z0-9_./\\$(+-](?:[^\s\[\]{},:#\"'&*!|>%@`]|(?<=\S)[:](?=\S)| (?=\S))*")
_UNSAFE = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_MARKS = ("-", "?", "---", "...")


def double_quoted(value: str) -> str:
    """Return a value in double quotes, on one line."""
    escaped = dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", escaped)


def spelled_like(style: str, value: str) -> str:
    """Return a value in the given style, or in double quotes if that is not possible.

    `style` is a scalar's: "" for plain, else its first character.
    """
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not style and plain_allowed(value):
        return value
    return double_quoted(value)


def plain_allowed(value: str) -> bool:
    """Whether a value can stand without quotes anywhere, in block and in flow form."""
    first = value.split(" ", 1)[0]
    if not value.isprintable() or value in NULLS:
        return False
    return _PLAIN.fullmatch(value) is not None and first not in _MARKS
