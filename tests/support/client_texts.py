"""Texts in the units of a client of LSP: the offset of a position, a range, and edits applied."""

from collections.abc import Sequence

from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.doors.lsp.diagnostics.lsp_convert import place_of
from intent_lsp.doors.lsp.protocol.positions import PositionEncoding


def text_in(text: str, place: lsp.Range, encoding: PositionEncoding) -> str:
    """Return the part of a text that is in a range."""
    start, end = _offsets(split_lines(text), place, encoding)
    return text[start:end]


def edited(text: str, edits: Sequence[lsp.TextEdit], encoding: PositionEncoding) -> str:
    """Return a text after edits whose positions all refer to it, as an editor applies them."""
    lines = split_lines(text)
    placed = [(*_offsets(lines, edit.range, encoding), edit.new_text) for edit in edits]
    for start, end, new_text in sorted(placed, reverse=True):
        text = text[:start] + new_text + text[end:]
    return text


def _offsets(lines: Sequence[str], place: lsp.Range, encoding: PositionEncoding) -> tuple[int, int]:
    def offset(position: lsp.Position) -> int:
        at = place_of(lines, position, encoding)
        return sum(map(len, lines[: at.line])) + at.character

    return offset(place.start), offset(place.end)
