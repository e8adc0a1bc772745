"""`.intentignore`: gitignore lines against ids (requirements section 2)."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.intents.ignore_file import read_ignored

LINES = st.one_of(
    st.sampled_from(["INT-001", "INT-*", "!INT-001", "# no", "", "[z-a]", "!", "\\", "/", "**"]),
    st.text(st.one_of(st.sampled_from("INT-01*?[]!#/\\ ^"), st.characters()), max_size=8),
)


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        ("", ()),
        ("INT-001", ("INT-001",)),
        ("INT-001\n", ("INT-001",)),
        ("INT-001\r\n", ("INT-001",)),
        ("INT-001\rINT-0*", ("INT-001", "INT-0*")),
        ("/INT-001", ("/INT-001",)),
        ("INT-001  ", ("INT-001  ",)),
        ("INT-*\nINT-00?\nINT-00[1-3]", ("INT-*", "INT-00?", "INT-00[1-3]")),
        ("*", ("*",)),
        ("int-001\nINT\nNT-001\nINT-0011\nINT-001/", ()),
        ("# INT-001\n\n   \n", ()),
        # The last match wins.
        ("INT-*\n!INT-001", ()),
        ("!INT-001\nINT-*", ("INT-*",)),
        ("INT-*\n!INT-001\nINT-0*", ("INT-0*",)),
        ("INT-*\n!INT-002", ("INT-*",)),
        # A line that is no pattern ignores nothing, and spoils no other.
        ("[z-a]\n!\n\\\nINT-001", ("INT-001",)),
        # Only a line break ends a line.
        ("x\u2028INT-001", ()),
        ("x\fINT-001", ()),
    ],
)
def test_lines_ignore_an_id_as_git_ignores_a_file(text: str, matched: tuple[str, ...]) -> None:
    assert read_ignored(text).matching("INT-001") == matched


def test_an_escaped_mark_is_part_of_the_id() -> None:
    assert read_ignored("\\!a\n\\#b").matching("!a") == ("\\!a",)
    assert read_ignored("\\!a\n\\#b").matching("#b") == ("\\#b",)
    assert read_ignored("*\n!#b").matching("#b") == ()


@given(st.lists(LINES).map("\n".join), st.text(max_size=8))
def test_any_text_is_read_and_any_id_is_asked(text: str, intent_id: str) -> None:
    with warnings.catch_warnings():
        # What pathspec makes of `[[`, which newer Pythons may read otherwise.
        warnings.simplefilter("ignore", FutureWarning)
        matched = read_ignored(text).matching(intent_id)
    assert not any(line.startswith(("#", "!")) for line in matched)


@given(st.text(max_size=8))
def test_an_empty_file_ignores_nothing(intent_id: str) -> None:
    assert read_ignored("").matching(intent_id) == ()
