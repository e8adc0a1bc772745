"""Hovers as Markdown and as plain text."""

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from intent_lsp.formats.markdown.editor_text import (
    HoverParagraph,
    escaped_line,
    markdown_of,
    plain_of,
)
from tests.support.hostile_text import texts

PARAGRAPHS = (
    HoverParagraph("", ("src/**", "a`b")),
    HoverParagraph("Read *as* it stands.", ()),
    HoverParagraph("A `glob` of ours.", ours=True),
)


def test_a_hover_is_a_title_and_paragraphs() -> None:
    assert markdown_of("a/*.py", PARAGRAPHS) == (
        "**a/\\*.py**\n\n- `src/**`\n- ``a`b``\n\nRead \\*as\\* it stands.\n\nA `glob` of ours."
    )
    assert markdown_of("matches 1 file", (), "a/*.py") == "**`a/*.py` matches 1 file**"
    assert markdown_of("", (), "`a`") == "**`` `a` ``**"
    assert plain_of("matches 1 file", (), "a/*.py") == "a/*.py matches 1 file"
    assert plain_of("a/*.py", PARAGRAPHS) == (
        "a/*.py\n  src/**\n  a`b\nRead *as* it stands.\nA `glob` of ours."
    )


def test_what_cannot_be_encoded_is_replaced() -> None:
    paragraph = HoverParagraph("t\udce9", ("src/caf\udce9.py",))
    for written in (markdown_of, plain_of):
        found = written("caf\udce9", (paragraph,))
        assert found.encode().count("\ufffd".encode()) == 3


def test_a_paragraph_that_begins_with_blanks_is_no_code() -> None:
    for ours in (True, False):
        assert markdown_of("a", (HoverParagraph("\t    text ", ours=ours),)) == "**a**\n\ntext"
    assert markdown_of("a", (HoverParagraph(" \n"),)) == "**a**"


@pytest.mark.parametrize(
    "name", ["7. a.md", "12) a", "2024. Plan.md", "123456789. a", "1234567890. a"]
)
def test_a_number_at_the_start_begins_no_list(name: str) -> None:
    assert _shown(escaped_line(f"{name} is out of scope")) == [f"{name} is out of scope"]


@given(texts(), texts(), texts(), texts())
def test_no_value_is_markup_or_adds_a_line(title: str, text: str, item: str, glob: str) -> None:
    paragraph = HoverParagraph(f"x{text}", (f"y{item}",))
    assert plain_of(f"t{title}", (paragraph,), glob).count("\n") == 2
    tokens = MarkdownIt("commonmark").parse(markdown_of(f"t{title}", (paragraph,), glob))
    assert [token.type for token in tokens if token.type != "inline"] == [
        *("paragraph_open", "paragraph_close", "paragraph_open", "paragraph_close"),
        *("bullet_list_open", "list_item_open", "paragraph_open", "paragraph_close"),
        *("list_item_close", "bullet_list_close"),
    ]
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}


@given(texts(), texts())
def test_every_value_is_shown_as_it_is(text: str, item: str) -> None:
    shown = _shown(markdown_of("t", (HoverParagraph(text, (f"y{item}",)),)))
    plain = plain_of("t", (HoverParagraph(text, (f"y{item}",)),)).split("\n")
    assert shown == [line for line in (part.strip() for part in plain) if line]


def _shown(markdown: str) -> list[str]:
    """Return the text of each paragraph and item that Markdown shows."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    inline = [token for token in tokens if token.type == "inline"]
    return ["".join(child.content for child in token.children or ()).strip() for token in inline]
