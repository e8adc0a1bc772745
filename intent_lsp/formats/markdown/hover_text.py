"""Text of hovers, as Markdown or plain: paragraphs and lists of foreign values.

Invariant: whatever a value holds, it never acts as markup and never adds a line.
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import on_one_line, whole

LONGEST_TEXT: Final = 1_000
"""The most characters of one paragraph or item."""

# Numbers of up to nine digits begin a list.
_NUMBER: Final = "|".join(rf"(?<=\A[0-9]{{{digits}}})" for digits in range(1, 10))
# Few characters are markup wherever they stand. Editors that show the source of a hover also show
# the escapes, so the others are escaped only where they would be: `_` at the edge of a word, what
# begins a link at its beginning, and what begins a heading, a list or a line at the start.
_MARKUP: Final = re.compile(
    r"[\\`*\[\]<>|~&$@]|(?<!\w)_++|(?<!_)_++(?![^\W_])|:(?=//)|(?i:(?<=www)\.)"
    rf"|\A[#+=-]|(?:{_NUMBER})[.)]"
)
_FENCES: Final = re.compile(r"`+")


class HoverParagraph(Struct, frozen=True):
    """One paragraph of a hover: a text, then the values `items`, each on a line of its own.

    `ours` says that the text is written by this project as Markdown, and so is not escaped.
    """

    text: str
    items: tuple[str, ...] = ()
    ours: bool = False


def markdown_of(title: str, paragraphs: Iterable[HoverParagraph], glob: str = "") -> str:
    """Return a hover as Markdown: a bold title, then paragraphs.

    Items are set as code, and so is a `glob` before the title. Each text is put on one line and cut
    to LONGEST_TEXT characters. A paragraph's text is left out if it is empty.
    """
    head = [code_span(glob)] if glob.strip() else []
    head += [escaped_line(title)] if title else []
    parts = [f"**{' '.join(head)}**"]
    for each in paragraphs:
        line = _line(each.text).strip()
        parts += [line if each.ours else escaped(line)] if line else []
        parts += ["\n".join(f"- {code_span(item)}" for item in each.items)] if each.items else []
    return "\n\n".join(parts)


def plain_of(title: str, paragraphs: Iterable[HoverParagraph], glob: str = "") -> str:
    """Return a hover as plain text: a title, then paragraphs. Each item is on its own line.

    A `glob` stands before the title. Each text is put on one line and cut to LONGEST_TEXT
    characters. A paragraph's text is left out if it is empty.
    """
    lines = [_line(f"{glob} {title}".strip())]
    for each in paragraphs:
        lines += [_line(each.text)] if each.text else []
        lines += [f"  {_line(item)}" for item in each.items]
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Return the line `text`, which begins with no white space, escaped as text in Markdown."""
    return _MARKUP.sub(lambda found: "".join(f"\\{char}" for char in found[0]), text)


def escaped_line(text: str) -> str:
    """Return a text on one line, in which no character acts as markup in Markdown.

    It is cut to LONGEST_TEXT characters before, and has no white space at its ends.
    """
    return escaped(_line(text).strip())


def code_span(text: str) -> str:
    """Return a text on one line as a code span, whose fences are longer than any in the text.

    It is cut to LONGEST_TEXT characters. White space alone stays plain text.
    """
    line = _line(text)
    if not line.strip():
        return escaped(line)  # A text of blanks is no code span.
    fence = "`" * (1 + max(map(len, _FENCES.findall(line)), default=0))
    # Markdown takes away one blank at each end, if there is one at both.
    blank = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{blank}{line}{blank}{fence}"


def _line(text: str) -> str:
    return on_one_line(whole(text), LONGEST_TEXT)
