"""Splits one line of a YAML text in block form: white space, dashes, key and value.

Invariant: every line can be split, also one that is half typed.
"""

import re

from msgspec import Struct

from intent_lsp.formats.yaml.cursor_place import CursorWord, NamedKey
from intent_lsp.formats.yaml.open_quotes import quoted_word

_DASH = re.compile(r"-(?=[ \t]|\Z)[ \t]*")
_QUOTED_KEY = re.compile(
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>(?:[^']|'')*+)')[ \t]*:(?=[ \t]|\Z)"""
)
_NO_PLAIN_KEY = frozenset("\"'[]{}#&*!|>%@`,")
_PLAIN_KEY_END = re.compile(r":(?=[ \t]|\Z)|[ \t]#")
_OPENING = ("'", '"', "[", "{")
_NO_WORD = ("#", "]", "}")
_BLANKS = re.compile(r"[ \t]*")
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|\Z))*")
_TAG_OR_ANCHOR = re.compile(r"(?:(?:&\S+|!![\w:.-]*|!<\S*>|![\w-]*)[ \t]+)+")
_COMMENT = re.compile(r"[ \t]#")
_TEXT_HEADER = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:\Z|#)")


class LineParts(Struct, frozen=True, kw_only=True):
    """The parts of a line: the columns of its dashes, its key, and where key and value begin.

    `body` is the column after white space and dashes. `key` is None on a line without a key; else
    `colon` is the column after its colon, and `value` that of the text behind it. Without a key,
    `colon` and `value` equal `body`.
    """

    text: str
    indent: int
    dashes: tuple[int, ...]
    body: int
    key: NamedKey | None
    colon: int
    value: int

    @property
    def blank(self) -> bool:
        """Whether the line has nothing but white space or a comment."""
        return not self.dashes and self.key is None and self.text[self.body :][:1] in ("", "#")

    @property
    def structural(self) -> bool:
        """Whether the line begins an item of a block list or a pair of a mapping."""
        return bool(self.dashes) or self.key is not None

    @property
    def valued(self) -> bool:
        """Whether a value stands on the line: more than an anchor, a tag or a comment."""
        return self.content != ""

    @property
    def content_at(self) -> int:
        """The column of the value on the line, behind an anchor or tag."""
        return _past(_PROPERTIES, self.text, self.value)

    @property
    def content(self) -> str:
        """The line from its value on, a comment behind the value included; "" without a value.

        An anchor or tag before the value is left out.
        """
        rest = self.text[self.content_at :].strip()
        return "" if rest.startswith("#") else rest

    @property
    def scalar(self) -> bool:
        """Whether a single value, or the mark of block text, stands on the line.

        Brackets and an alias are none.
        """
        return self.content[:1] not in ("", "[", "{", "*")

    @property
    def block_text(self) -> bool:
        """Whether the value is block text (`|`, `>`) on the lines below."""
        return _TEXT_HEADER.match(self.content) is not None


def line_parts(text: str) -> LineParts:
    """Split a line, given without its line end."""
    indent = at = _past(_BLANKS, text, 0)
    dashes: list[int] = []
    while (dash := _DASH.match(text, at)) is not None:
        dashes.append(at)
        at = dash.end()
    key, colon = _key(text, at)
    return LineParts(
        text=text,
        indent=indent,
        dashes=tuple(dashes),
        body=at,
        key=key,
        colon=colon,
        value=at if key is None else _past(_BLANKS, text, colon),
    )


def word_at(text: str, start: int, cursor: int, stop: int, enders: str = "") -> CursorWord | None:
    """Return the word from the column `start` on, for a cursor at `start` or behind it.

    A word without quotes ends at `stop` or before a comment; a cursor in white space behind it
    makes that white space a part of the word. `enders` are the characters that end a quoted value
    between brackets. Return None if the cursor is in a comment or behind a closed quote, if a
    comment or a closing bracket is at `start`, or if the cursor is at `start` before a quote or an
    opening bracket.
    """
    quote = text[start : start + 1]
    if quote in _NO_WORD or (cursor == start and quote in _OPENING):
        return None
    if cursor > start and quote in ("'", '"'):
        return quoted_word(text, start, cursor, enders)
    comment = _COMMENT.search(text, start, stop)
    if comment is not None and cursor > comment.start():
        return None
    end = stop if comment is None else comment.start()
    end = max(cursor, start + len(text[start:end].rstrip()))
    return CursorWord(start=start, typed=text[start:cursor], rest=text[cursor:end])


def past_properties(text: str, start: int, cursor: int) -> int | None:
    """Return the column behind the anchor and the tag at `start`, or `start` if there are none.

    Return None if the cursor is before that column, or if an anchor or a tag with `!!` is being
    typed there. A `!` that begins a glob is no tag.
    """
    at = _past(_TAG_OR_ANCHOR, text, start)
    half = text[at : at + 1] == "&" or text[at : at + 2] == "!!"
    return None if cursor < at or (half and cursor >= at) else at


def _key(text: str, at: int) -> tuple[NamedKey | None, int]:
    """Return the key that begins at a column and the column after its colon, or None and `at`."""
    if text[at : at + 1] in ("'", '"'):
        quoted = _QUOTED_KEY.match(text, at)
        if quoted is None:
            return None, at
        double, single = quoted["double"], quoted["single"]
        named = NamedKey(double, '"') if single is None else NamedKey(single, "'")
        return named, quoted.end()
    end = _PLAIN_KEY_END.search(text, at + 1)
    if end is None or end.group() != ":" or text[at] in _NO_PLAIN_KEY:
        return None, at
    return NamedKey(text[at : end.start()].rstrip(), ""), end.end()


def _past(blanks: re.Pattern[str], text: str, at: int) -> int:
    found = blanks.match(text, at)
    return found.end() if found else at
