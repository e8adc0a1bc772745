"""The instructions for agents between their markers in a Markdown file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.formats.registrations.instructions import (
    BEGIN,
    END,
    INSTRUCTIONS,
    instructions_state,
    with_instructions,
    without_instructions,
)
from intent_lsp.formats.registrations.jsonc import UnreadableText
from intent_lsp.formats.registrations.registration import State

LINES = st.lists(st.sampled_from(["", "# Title", "Text.", "  ```", "<!-- other -->"]), max_size=5)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_they_come_and_go(lines: list[str], ends: str, last: bool) -> None:  # noqa: FBT001
    text = ends.join(lines) + (ends if last else "")
    made = with_instructions(text)
    assert isinstance(made, str)
    assert made.startswith(text)
    assert instructions_state(made) is State.REGISTERED
    assert with_instructions(made) == made
    assert without_instructions(made) == text
    assert without_instructions(text) == text


def test_a_new_file_holds_nothing_else() -> None:
    made = with_instructions(None)
    assert made == f"{BEGIN}\n{INSTRUCTIONS}{END}\n"
    assert without_instructions(made) is None
    assert instructions_state(None) is State.MISSING


def test_older_instructions_are_replaced_in_their_place() -> None:
    older = f"# Ours\n\n{BEGIN}\nOld.\n{END}\n\n## More\n"
    assert instructions_state(older) is State.DIFFERS
    made = with_instructions(older)
    assert made == f"# Ours\n\n{BEGIN}\n{INSTRUCTIONS}{END}\n\n## More\n"
    assert without_instructions(older) == "# Ours\n\n## More\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [(f"a\n{BEGIN}\n", 2), (f"{END}\n{BEGIN}\n", 2), (f"{BEGIN}{END}\n{BEGIN}\n{END}", 3)],
)
def test_broken_markers_are_named_with_their_line(text: str, line: int) -> None:
    for made in (with_instructions(text), without_instructions(text), instructions_state(text)):
        assert isinstance(made, UnreadableText) or made is None
    found = with_instructions(text)
    assert isinstance(found, UnreadableText)
    assert found.line in (line, line + 1)


def test_they_are_short_and_say_the_three_things() -> None:
    assert len(INSTRUCTIONS.splitlines()) < 20
    for words in ("select_active_intent", "Read a file before", "request_scope_expansion"):
        assert words in INSTRUCTIONS
