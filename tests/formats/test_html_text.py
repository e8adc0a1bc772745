"""HTML in which words stay words."""

import unicodedata
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.text import escape_unseen
from intent_lsp.formats.report.html_text import Html, escaped, joined, tag


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (tag("p", "a < b & c"), "<p>a &lt; b &amp; c</p>"),
        (tag("p", Html("<b>x</b>"), "</p>"), "<p><b>x</b>&lt;/p&gt;</p>"),
        (tag("p", class_="a", aria_label='"'), '<p class="a" aria-label="&quot;"></p>'),
        (tag("input", id="x", hidden=""), '<input id="x" hidden>'),
        (tag("td", colspan=2), '<td colspan="2"></td>'),
        (tag("meta", name="x"), '<meta name="x">'),
        (joined(["<", Html("<i></i>")]), "&lt;<i></i>"),
    ],
)
def test_only_markup_is_markup(made: Html, text: str) -> None:
    assert made.text == text


@pytest.mark.parametrize("name", ["", "a b", "p>", "script src", "ü", "1"])
def test_a_name_of_an_element_is_a_name(name: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        tag(name)


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
def test_escaped_text_means_the_text_and_nothing_else(text: str) -> None:
    written = escaped(text)
    assert unescape(written) == escape_unseen(text)
    assert not set("<>\"'") & set(written)
    assert not {unicodedata.category(char) for char in written} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    written.encode()
