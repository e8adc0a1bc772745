"""Tokens of a YAML text in flow form, line by line: brackets, commas, colons, words and strings.

Invariant: a token never goes on on the next line. A quote that is not closed on its line ends with
the line, so that one forgotten quote does not hide the rest of the text.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct

from intent_lsp.core.content import line_body
from intent_lsp.formats.yaml.line_parts import line_parts


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


def flow_tokens(
    lines: Sequence[str], first: int, column: int, outside: int | None
) -> Iterator[FlowToken]:
    """Yield the tokens from an opening bracket, on the line `first`, to the end of the text.

    `column` is the bracket's. `outside` is the indent of its line, or None if the bracket is the
    root of the text. A line that `leaves` that indent ends the tokens, since the bracket was then
    never closed.
    """
    for line in range(first, len(lines)):
        text = line_body(lines[line])
        if line > first and outside is not None and leaves(text, outside):
            return
        yield from _on_line(line, text, column if line == first else 0)


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


def leaves(text: str, outside: int) -> bool:
    """Return whether a line cannot belong to a flow collection on a line indented by `outside`.

    It is not indented deeper, and begins with a dash or a key without quotes.
    """
    if len(text) - len(text.lstrip(" ")) > outside:
        return False
    parts = line_parts(text)
    return bool(parts.dashes) or (parts.key is not None and not parts.key.quote)
