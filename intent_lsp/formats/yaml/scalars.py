"""How a value is spelled in YAML: plain where it may be, quoted where it must.

Invariant: what is spelled here reads back as the same text, in block and in flow form.
"""

import re
from json import dumps

from intent_lsp.formats.yaml.nodes import NULLS

# Stricter than YAML: no indicator first, no colon or number sign that could end the value.
_PLAIN = re.compile(r"[A-Za-z0-9_./\\$(+-](?:[^\s\[\]{},:#\"'&*!|>%@`]|(?<=\S)[:](?=\S)| (?=\S))*")
_UNSAFE = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_MARKS = ("-", "?", "---", "...")


def double_quoted(value: str) -> str:
    """Spell a value between double quotes, on one line."""
    escaped = dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", escaped)


def spelled_like(style: str, value: str) -> str:
    """Spell a value in the style of the one it replaces; double-quoted where that cannot be.

    `style` is a scalar's: empty for plain, else its first character.
    """
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not style and plain_allowed(value):
        return value
    return double_quoted(value)


def plain_allowed(value: str) -> bool:
    """Tell whether a value can stand without quotes anywhere."""
    first = value.split(" ", 1)[0]
    if not value.isprintable() or value in NULLS:
        return False
    return _PLAIN.fullmatch(value) is not None and first not in _MARKS
