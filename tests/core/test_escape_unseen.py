"""What cannot be seen is spelled out wherever people read it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.text import escape_unseen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe 漢字", "größe 漢字"),
        ("a\nb\0", "a\\x0ab\\x00"),
        ("\u202eabc", "\\u202eabc"),
        ("\udcff", "\\udcff"),
        ("\ufffe\U0001ffff\ufdd0", "\\ufffe\\U0001ffff\\ufdd0"),
        ("\x85\u2028", "\\x85\\u2028"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert escape_unseen(text) == shown


@given(st.text(st.characters()))
def test_what_is_spelled_out_can_be_seen_and_written(text: str) -> None:
    shown = escape_unseen(text)
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown.encode()
