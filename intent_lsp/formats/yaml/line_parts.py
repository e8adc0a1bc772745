"""Reads one line of a YAML text: its parts in block form or its tokens, and the word at a column.

Invariant: every line can be read, also one that is half typed.
Invariant: a token never goes on on the next line. A quote that is not closed on its line ends with
the line, so that one forgotten quote does not hide the rest of the text.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import line_body
from intent_lsp.formats.yaml.cursor_place import CursorWord, NamedKey

_DASH = re.compile(r"-(?=[ \t]|\Z)[ \t]*")
_NO_PLAIN_KEY = frozenset("\"'[]{}#&*!|>%@`,")
_PLAIN_KEY_END = re.compile(r":(?=[ \t]|\Z)|[ \t]#")
_OPENING = ("'", '"', "[", "{")
_NO_WORD = ("#", "]", "}")
_BLANKS = re.compile(r"[ \t]*")
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]+|\Z))*")
_TAG_OR_ANCHOR = re.compile(r"(?:(?:&\S+|!![\w:.-]*|!<\S*>|![\w-]*)[ \t]+)+")
_COMMENT = re.compile(r"[ \t]#")
_TEXT_HEADER = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:\Z|#)")
_QUOTED = re.compile(r"""'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+\"""")
_QUOTED_KEY = re.compile(rf"({_QUOTED.pattern})[ \t]*:(?=[ \t]|\Z)")
_ESCAPED = re.compile(r"\\.")

_TOKEN = re.compile(
    r"""(?P<blank>[ \t]+(?:\#.*)?)"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+')"""
    r"""|(?P<torn>["'].*)"""
    r"""|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)"""
    r"""|(?P<colon>:(?=[\s,\[\]{}"']|\Z))"""
    # A bracket inside a word belongs to it, as in the glob `src/{a,b}/*`.
    r"""|(?P<word>(?:[^\s,\[\]{}:]|:(?![\s,\[\]{}]|\Z))"""
    r"""(?:[^\s,\[\]{}:]|:(?![\s,\[\]{}]|\Z)|\{[^\s\[\]{}]*\}|\[[^\s\[\]{}]*\]"""
    r"""|[ \t]+(?=[^\s,\[\]{}\#:]))*)"""
)


class LineParts(Struct, frozen=True, kw_only=True):
    """The parts of a line: the columns of its dashes, its key, and where key and value begin.

    `body` is the column after white space and dashes. `colon` is the column after the key's colon,
    and `value` is the column of the text behind the colon. On a line without a key, `key` is None,
    and `colon` and `value` equal `body`.
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


class TokenKind(Enum):
    """What a token is: an opening or closing bracket, a comma, a colon, a word, or a string.

    The values are names of groups in `_TOKEN`.
    """

    OPEN = "open"
    CLOSE = "close"
    COMMA = "comma"
    COLON = "colon"
    WORD = "word"
    STRING = "string"


class FlowToken(Struct, frozen=True, kw_only=True):
    """A token on one line, from the column `start` to `end`.

    `closed` is False for a string without its closing quote.
    """

    kind: TokenKind
    line: int
    start: int
    end: int
    text: str
    closed: bool = True


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

    A word without quotes ends before the column `stop` and before a comment. If the cursor is in
    white space behind the word, the word goes on to the cursor. `enders` are the characters that
    end a quoted value between brackets. Return None if the cursor is in a comment or behind a
    closed quote, or if a comment or a closing bracket is at `start`. Return None also if the cursor
    is at `start`, directly before a quote or an opening bracket.
    """
    quote = text[start : start + 1]
    if quote in _NO_WORD or (cursor == start and quote in _OPENING):
        return None
    if cursor > start and quote in ("'", '"'):
        return _quoted_word(text, start, cursor, enders)
    comment = _COMMENT.search(text, start, stop)
    if comment is not None and cursor > comment.start():
        return None
    end = stop if comment is None else comment.start()
    end = max(cursor, start + len(text[start:end].rstrip()))
    return CursorWord(start=start, typed=text[start:cursor], rest=text[cursor:end])


def past_properties(text: str, start: int, cursor: int) -> int | None:
    """Return the column behind the anchor and the tag at `start`, or `start` if there are none.

    Return None if the cursor is before that column, or if `&` or `!!` is there: an anchor or a tag
    is then being typed. A `!` that begins a glob is no tag.
    """
    at = _past(_TAG_OR_ANCHOR, text, start)
    half = text[at : at + 1] == "&" or text[at : at + 2] == "!!"
    return None if cursor < at or half else at


def flow_tokens(
    lines: Sequence[str], first: int, column: int, outside: int | None
) -> Iterator[FlowToken]:
    """Yield the tokens from an opening bracket, on the line `first`, to the end of the text.

    Tokens behind the closing bracket are yielded too. `column` is the opening bracket's. `outside`
    is the indent of its line, or None if the bracket is the root of the text. A line that `leaves`
    that indent ends the tokens, since the bracket was then never closed.
    """
    for line in range(first, len(lines)):
        text = line_body(lines[line])
        if line > first and outside is not None and leaves(text, outside):
            return
        yield from _on_line(line, text, column if line == first else 0)


def leaves(text: str, outside: int) -> bool:
    """Return whether a line cannot belong to a flow collection on a line indented by `outside`.

    It is not indented deeper, and begins with a dash or a key without quotes.
    """
    if len(text) - len(text.lstrip(" ")) > outside:
        return False
    parts = line_parts(text)
    return bool(parts.dashes) or (parts.key is not None and not parts.key.quote)


def _quoted_word(text: str, start: int, cursor: int, enders: str) -> CursorWord | None:
    """Return the word behind the quote in column `start`, or None if it is closed before `cursor`.

    `text` is the line. A word without a closing quote ends at the cursor, and the rest of its value
    is `behind` the word (see CursorWord). The value ends at a comment or at one of the characters
    `enders`, which are "" in block form.
    """
    comment = _COMMENT.search(text, cursor)
    line = text if comment is None else text[: comment.start()]
    found = _QUOTED.match(text, start)
    if found is not None and cursor >= found.end():
        return None
    word = CursorWord(start=start + 1, typed=text[start + 1 : cursor], quote=text[start])
    behind = "" if found is None else line[found.end() :]
    glued = behind[:1] not in ("", " ", "\t", ":", *enders)
    # No value goes on behind a closing quote: it is an apostrophe of a value to be quoted. But a
    # quote that the editor has closed at once stands before the value that is to be quoted.
    apostrophe = found is not None and glued and cursor != found.end() - 1
    if found is None or apostrophe or _is_odd(line[start:], text[start]):
        return replace(word, behind=_value(line[cursor:], enders))
    rest = text[cursor : found.end() - 1]
    return replace(word, rest=rest, closed=True, behind=_value(behind, enders) if glued else "")


def _is_odd(text: str, quote: str) -> bool:
    """Return whether a text has an odd number of a quote, escaped ones aside."""
    bare = _ESCAPED.sub("", text) if quote == '"' else text
    return bare.count(quote) % 2 == 1


def _value(text: str, enders: str) -> str:
    """Return the value with which a text begins, without white space at its end.

    It ends before the first of `enders` that is in no brackets. If there is none, and a bracket is
    not closed, it ends before the first of `enders`.
    """
    depth = 0
    for at, each in enumerate(text):
        if depth == 0 and each in enders:
            return text[:at].rstrip(" \t")
        depth = max(0, depth + (each in "{[(") - (each in ")]}"))
    ends = (at for at, each in enumerate(text) if depth and each in enders)
    return text[: next(ends, len(text))].rstrip(" \t")


def _key(text: str, at: int) -> tuple[NamedKey | None, int]:
    """Return the key that begins at a column and the column after its colon, or None and `at`."""
    quoted = _QUOTED_KEY.match(text, at)
    if quoted is not None:
        return NamedKey(quoted[1][1:-1], text[at]), quoted.end()
    end = _PLAIN_KEY_END.search(text, at + 1)
    if end is None or end.group() != ":" or text[at] in _NO_PLAIN_KEY:
        return None, at
    return NamedKey(text[at : end.start()].rstrip(), ""), end.end()


def _past(blanks: re.Pattern[str], text: str, at: int) -> int:
    found = blanks.match(text, at)
    return found.end() if found else at


def _on_line(line: int, text: str, column: int) -> Iterator[FlowToken]:
    for found in _TOKEN.finditer(text, column):
        if found.lastgroup != "blank":
            closed = found.lastgroup != "torn"
            yield FlowToken(
                kind=TokenKind(found.lastgroup) if closed else TokenKind.STRING,
                line=line,
                start=found.start(),
                end=found.end(),
                text=found.group(),
                closed=closed,
            )
