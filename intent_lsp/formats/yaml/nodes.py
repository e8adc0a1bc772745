"""YAML nodes with exact positions, and single values written as YAML source and read from quotes.

Invariant: offsets count code points of the text. A node's range excludes its anchor and tag; that
of a block collection ends with its last value.
Invariant: a value that `spelled_like` returns is read back by this project as the same text, in
block and in flow form, unless it has a lone surrogate.
Invariant: `value_offsets` returns offsets only if the source, read by the rules here, gives the
value.
"""

import re
from collections.abc import Iterator, Sequence
from json import dumps
from typing import Final, Self, TypeAlias

from msgspec import Struct

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
"""Plain values that YAML reads as null."""
QUOTES: Final = ("'", '"')
"""The styles of values in quotes."""
BLOCK_STYLES: Final = ("|", ">")
"""The styles of block text."""

_ESCAPE = {
    "'": re.compile("''"),
    '"': re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL),
}
_LAST = "0010ffff"
_HEXADECIMAL = ("x", "u", "U")
_SIMPLE = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v"}
_SIMPLE |= {"f": "\f", "r": "\r", "e": "\x1b", " ": " ", '"': '"', "'": "'", "/": "/", "\\": "\\"}
_SIMPLE |= {"N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


class _Node(Struct, frozen=True, kw_only=True):
    """What stands in a text from the offset `start` to `end`."""

    start: int
    end: int

    @property
    def null(self) -> bool:
        """Whether YAML reads this, or what it stands for, as null. Tags do not count."""
        return False

    @property
    def block(self) -> bool:
        """Whether this is block text (`|`, `>`)."""
        return False

    @property
    def quote(self) -> str:
        """The quote around the first key of a mapping, or "" without a quote or a mapping."""
        return ""


class _Content(_Node, frozen=True, kw_only=True):
    """A node with content of its own. `anchored`: it has an anchor."""

    anchored: bool = False

    @property
    def content(self) -> Self:
        """The node itself."""
        return self

    @property
    def shared(self) -> bool:
        """Whether aliases elsewhere in the text may stand for the content: it has an anchor."""
        return self.anchored


class Scalar(_Content, frozen=True, kw_only=True):
    """A single YAML value as text.

    `style` is "" for a value without quotes, else the character that begins the value (a quote, `|`
    or `>`). `unquoted`: the source is a glob that YAML would have read as something else.
    """

    value: str
    style: str = ""
    unquoted: bool = False

    @property
    def null(self) -> bool:
        """Whether this is a value without quotes that YAML reads as null. Tags do not count."""
        return not self.style and not self.unquoted and self.value in NULLS

    @property
    def block(self) -> bool:
        """Whether this is block text (`|`, `>`)."""
        return self.style in BLOCK_STYLES


class SequenceNode(_Content, frozen=True, kw_only=True):
    """A YAML list. `flow` says that it is written in brackets."""

    items: tuple["YamlNode", ...]
    flow: bool


class MappingNode(_Content, frozen=True, kw_only=True):
    """A YAML mapping: its pairs in order, duplicates included.

    A pair is a key and its value. `flow` says that the mapping is written in braces.
    """

    pairs: tuple[tuple["YamlNode", "YamlNode"], ...]
    flow: bool

    @property
    def quote(self) -> str:
        """The quote around the first key, or "" if there is no such quote."""
        key = self.pairs[0][0] if self.pairs else None
        return key.style if isinstance(key, Scalar) and key.style in QUOTES else ""


class Alias(_Node, frozen=True, kw_only=True):
    """A YAML alias (`*name`). `target` is the node with the anchor of that name."""

    target: "Scalar | SequenceNode | MappingNode"

    @property
    def content(self) -> "ContentNode":
        """The target."""
        return self.target

    @property
    def null(self) -> bool:
        """Whether the target is null."""
        return self.target.null

    @property
    def shared(self) -> bool:
        """True: the content stands elsewhere in the text."""
        return True


ContentNode: TypeAlias = Scalar | SequenceNode | MappingNode
YamlNode: TypeAlias = ContentNode | Alias

# Stricter than YAML: no indicator at the start, and no `:` or `#` that could end the value.
_PLAIN = re.compile(r"[A-Za-z0-9_./\\$(+-](?:[^\s\[\]{},:#\"'&*!|>%@`]|(?<=\S)[:](?=\S)| (?=\S))*")
_UNSAFE = re.compile("[\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_MARKS = ("-", "?", "---", "...")


def nodes_in(node: YamlNode | None) -> Iterator[YamlNode]:
    """Yield a node and the nodes in it, in the order of the text. None has none.

    What an alias stands for is not in it.
    """
    waiting = [] if node is None else [node]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, SequenceNode):
            waiting += reversed(each.items)
        elif isinstance(each, MappingNode):
            waiting += (inner for pair in reversed(each.pairs) for inner in reversed(pair))


def double_quoted(value: str) -> str:
    """Return a value as YAML source in double quotes, on one line."""
    escaped = dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", escaped)


def spelled_like(style: str, value: str) -> str:
    """Return a value as YAML source in the given style, or in double quotes if that is unsafe.

    The style is "" for no quotes, else the quote. Styles of block text (`|`, `>`) give double
    quotes.
    """
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not style and plain_allowed(value):
        return value
    return double_quoted(value)


def plain_allowed(value: str) -> bool:
    """Return whether a value is known to be safe without quotes, in block and in flow form.

    Return False also for some values that YAML allows without quotes. A text that YAML reads as
    null is not safe. One that YAML reads as a number or a truth value is safe: this project reads
    such a value as text.
    """
    first = value.split(" ", 1)[0]
    if not value.isprintable() or value in NULLS:
        return False
    return _PLAIN.fullmatch(value) is not None and first not in _MARKS


def content_span(source: str) -> tuple[int, int]:
    """Return the (start, end) offsets of the text between the quotes of a value's source.

    Without quotes, they are those of the whole source.
    """
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
    """Return the value of a source text that follows an open `quote`, with escapes resolved."""
    return _ESCAPE[quote].sub(lambda found: _escaped(found[0]), source)


def _escaped(escape: str) -> str:
    """Return the character that an escape stands for, or the escape itself if it stands for none.

    An escaped line end stands for none.
    """
    if escape[1] in _HEXADECIMAL and len(escape) > len("\\x"):
        digits = escape[2:].lower()
        return chr(int(digits, 16)) if digits <= _LAST or len(digits) < len(_LAST) else escape
    return _SIMPLE.get(escape[1], escape)
