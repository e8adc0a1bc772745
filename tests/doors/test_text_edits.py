"""Edits that turn a text back touch nothing that stays (requirements section 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from intent_lsp.core.content import split_lines
from intent_lsp.doors.lsp.diagnostics.lsp_convert import LspEncoder
from intent_lsp.doors.lsp.protocol.documents import ContentChange, Document
from intent_lsp.doors.lsp.protocol.positions import ClientPosition, ClientRange, PositionEncoding
from intent_lsp.doors.lsp.runtime.client_capabilities import ClientCapabilities

_ENCODER = LspEncoder(ClientCapabilities(), PositionEncoding.UTF_16)
TEXTS = st.text(st.sampled_from("ab\n\r\U0001f600é"), max_size=20)


def _applied(text: str, edits: list[lsp.TextEdit], encoding: PositionEncoding) -> str:
    """Apply edits as an editor does: all against the same text, so from the last to the first."""
    document = Document(uri="file:///a", version=1, language_id="", text=text, encoding=encoding)
    document.apply(
        ContentChange(
            edit.new_text,
            ClientRange(
                ClientPosition(edit.range.start.line, edit.range.start.character),
                ClientPosition(edit.range.end.line, edit.range.end.character),
            ),
        )
        for edit in reversed(edits)
    )
    return document.text


@given(TEXTS, TEXTS, st.sampled_from(PositionEncoding))
def test_the_edits_turn_any_text_into_any_other(
    text: str, wanted: str, encoding: PositionEncoding
) -> None:
    encoder = LspEncoder(ClientCapabilities(), encoding)
    edits = encoder.turning_edits(split_lines(text), split_lines(wanted))
    assert _applied(text, edits, encoding) == wanted
    assert bool(edits) == (text != wanted)


def test_what_does_not_differ_is_not_touched() -> None:
    lines, wanted = ["a\n", "X\n", "c\n", "Y"], ["a\n", "b\n", "c\n", "d\n"]
    edits = _ENCODER.turning_edits(lines, wanted)
    assert edits == [
        lsp.TextEdit(lsp.Range(lsp.Position(1, 0), lsp.Position(2, 0)), "b\n"),
        lsp.TextEdit(lsp.Range(lsp.Position(3, 0), lsp.Position(3, 1)), "d\n"),
    ]


@pytest.mark.parametrize("wanted", [[], ["a\n"] * 5])
def test_texts_too_different_to_compare_are_replaced_whole(wanted: list[str]) -> None:
    lines = [f"{number}\n" for number in range(50_000)]
    edits = _ENCODER.turning_edits(lines, wanted)
    assert edits == [
        lsp.TextEdit(lsp.Range(lsp.Position(0, 0), lsp.Position(50_000, 0)), "".join(wanted))
    ]
