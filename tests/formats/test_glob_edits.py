"""One glob of a list taken away, or replaced by others: the list reads as it should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import split_lines
from intent_lsp.core.findings import Position, Span
from intent_lsp.core.intents import IntentId
from intent_lsp.formats.intents.edit import apply_changes
from intent_lsp.formats.intents.glob_edits import glob_change
from intent_lsp.formats.intents.intents_file import read_intents
from tests.formats.test_yaml_edit_laws import one_entry
from tests.formats.test_yaml_laws import GLOBS


def edited(text: str, index: int, *globs: str) -> str | None:
    """Return the text with other globs in the place of a glob of its first intent."""
    read = read_intents(text)
    place = read.places[next(iter(read.intents)).id].globs[index]
    change = glob_change(split_lines(text), place, globs)
    return None if change is None else apply_changes(text, [change])


HEAD = "active_intents:\n- id: A\n  owned_scope:"


@pytest.mark.parametrize(
    ("before", "index", "globs", "after"),
    [
        (" [a, b]", 0, (), " [b]"),
        (" [a, b]", 1, (), " [a]"),
        (" ['a','b' ,\"c\"] # d", 1, (), " ['a',\"c\"] # d"),
        (" [a, b]", 0, ("x/**", "w"), " [x/**, w, b]"),
        (' ["a"]', 0, ("x/**", "y"), ' ["x/**", "y"]'),
        (" ['a']", 0, ("it's",), " ['it''s']"),
        ("\n  - a # c\n  - b\n", 0, (), "\n  - b\n"),
        ("\n  - a\n  - b", 1, (), "\n  - a\n"),
        ("\n  - a\n  -   'b' # c\n", 1, ("x", "y"), "\n  - a\n  -   'x'\n  -   'y' # c\n"),
        ("\n  - a\n  - b\n", 0, ("*.py",), '\n  - "*.py"\n  - b\n'),
        (" [\n    a, # c\n    b,\n  ]", 0, (), " [\n    b,\n  ]"),
        (" [\n    a,\n    b\n  ]", 1, (), None),
        ("\n  - &x a\n  - *x\n", 0, (), None),
        ("\n  - &x a\n  - *x\n", 0, ("x", "w"), None),
        ("\n  -\n    a\n", 0, ("x", "w"), None),
        (" [\n    a,\n    b\n  ]", 0, ("x", "w"), " [\n    x, w,\n    b\n  ]"),
    ],
)
def test_a_glob_is_changed_in_its_line(
    before: str, index: int, globs: tuple[str, ...], after: str | None
) -> None:
    assert edited(HEAD + before, index, *globs) == (None if after is None else HEAD + after)


@given(
    text=one_entry("owned_scope", GLOBS),
    data=st.data(),
    globs=st.lists(GLOBS, max_size=3, unique=True),
)
def test_the_list_has_the_other_globs_and_nothing_else_is_changed(
    text: str, data: st.DataObject, globs: list[str]
) -> None:
    before = read_intents(text)
    (intent,) = before.intents
    if len(intent.owned_scope) < 2:
        return
    index = data.draw(st.integers(0, len(intent.owned_scope) - 1))
    fixed = edited(text, index, *globs)
    if fixed is None:
        return
    after = read_intents(fixed)
    (changed,) = after.intents
    old = intent.owned_scope
    assert changed.owned_scope == (*old[:index], *globs, *old[index + 1 :])
    assert changed.updated_at == intent.updated_at
    assert "z: 1 # c" in fixed


def test_a_place_beyond_the_text_is_left_alone() -> None:
    place = Span(Position(9, 0), Position(9, 1))
    assert glob_change(["a\n"], place, ["x"]) is None
    assert glob_change(["a\n", "b\n"], Span(Position(0, 0), Position(1, 1)), []) is None
    assert IntentId("A") not in read_intents("").places
