"""Texts with marks: `|` for a cursor, and the text that a place in a text stands for."""

from collections.abc import Sequence

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Span


def cursor_in(marked: str) -> tuple[str, int]:
    """Return a text without its one mark `|`, and the offset of the mark."""
    text, mark, rest = marked.partition("|")
    assert mark, "the text has no cursor mark"
    assert "|" not in rest
    return text + rest, len(text)


def text_at(text: str, span: Span) -> str:
    """Return the part of a text that a span takes."""
    lines: Sequence[str] = split_lines(text)

    def offset(line: int, character: int) -> int:
        return sum(map(len, lines[:line])) + character

    start, end = span.start, span.end
    return text[offset(start.line, start.character) : offset(end.line, end.character)]
