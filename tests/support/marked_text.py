"""Texts with marks: `|` for a cursor, and the text that a place in a text stands for."""

from intent_lsp.core.findings import Span
from intent_lsp.formats.text_positions import TextPositions


def cursor_in(marked: str) -> tuple[str, int]:
    """Return a text without its one mark `|`, and the offset of the mark."""
    text, mark, rest = marked.partition("|")
    assert mark, "the text has no cursor mark"
    assert "|" not in rest
    return text + rest, len(text)


def text_at(text: str, span: Span) -> str:
    """Return the part of a text that a span takes."""
    places = TextPositions(text)
    return text[places.offset(span.start) : places.offset(span.end)]
