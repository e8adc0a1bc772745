"""A diff that follows an edited text, by its laws."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.line_diff import Hunk, LineDiff, LineEdit
from intent_lsp.formats.diff import line_hunks

# Few letters, so that lines repeat: where a diff has a choice is where it can go wrong.
TEXTS = st.lists(st.sampled_from("abcd"), max_size=10)
STEPS = st.lists(
    st.tuples(
        st.integers(0, 14), st.integers(0, 4), st.lists(st.sampled_from("abcdx"), max_size=4)
    ),
    max_size=8,
)
Step = tuple[int, int, list[str]]


def _edit(text: list[str], step: Step) -> LineEdit:
    """Edit a text in place, and tell what was done."""
    start, count, fresh = step
    start = min(start, len(text))
    end = min(start + count, len(text))
    text[start:end] = fresh
    return LineEdit(start=start, old_end=end, new_end=start + len(fresh))


def _applied(reference: Sequence[str], hunks: Sequence[Hunk], text: Sequence[str]) -> list[str]:
    """Turn the reference into the text, taking new lines from within the hunks alone."""
    made: list[str] = []
    at = 0
    for hunk in hunks:
        made.extend(reference[at : hunk.old_start])
        assert len(made) == hunk.new_start
        made.extend(text[hunk.new_start : hunk.new_start + hunk.new_count])
        at = hunk.old_start + hunk.old_count
    return made + list(reference[at:])


def _lawful(reference: list[str], text: list[str], hunks: tuple[Hunk, ...] | None) -> None:
    assert hunks is not None
    assert _applied(reference, hunks, text) == text
    assert all(hunk.old_count or hunk.new_count for hunk in hunks)
    for one, other in pairwise(hunks):
        assert one.old_start + one.old_count < other.old_start
        assert one.new_start + one.new_count < other.new_start
    assert (not hunks) == (reference == text)


@given(TEXTS, TEXTS, STEPS)
def test_after_any_edits_the_hunks_turn_the_reference_into_the_text(
    reference: list[str], text: list[str], steps: list[Step]
) -> None:
    diff = LineDiff(reference, list(text), line_hunks)
    _lawful(reference, text, diff.hunks)
    for step in steps:
        diff.edited(_edit(text, step), text)
        _lawful(reference, text, diff.hunks)


@given(TEXTS, STEPS)
def test_what_is_edited_and_put_back_has_no_hunk(reference: list[str], steps: list[Step]) -> None:
    text = list(reference)
    diff = LineDiff(reference, text, line_hunks)
    for step in steps:
        diff.edited(_edit(text, step), text)
    diff.edited(_edit(text, (0, len(text), list(reference))), text)
    assert diff.hunks == ()


@given(TEXTS, TEXTS, STEPS)
def test_comparing_anew_forgets_how_the_text_came_about(
    reference: list[str], text: list[str], steps: list[Step]
) -> None:
    diff = LineDiff(reference, list(text), line_hunks)
    for step in steps:
        diff.edited(_edit(text, step), text)
    diff.compare(text)
    assert diff.hunks == line_hunks(reference, text)


@given(TEXTS, STEPS)
def test_hunks_far_from_an_edit_stay_what_they_are(reference: list[str], steps: list[Step]) -> None:
    kept = ["1", "2", "3"]
    text = ["top", *kept, *reference]
    diff = LineDiff([*kept, *reference], list(text), line_hunks)
    for start, count, fresh in steps:
        diff.edited(_edit(text, (start + 4, count, fresh)), text)
        assert diff.hunks is not None
        assert diff.hunks[0] == Hunk(old_start=0, old_count=0, new_start=0, new_count=1)


class _Recorder:
    """A diff that keeps what it was asked to compare, and gives up on long texts."""

    def __init__(self, longest: int = 100) -> None:
        self.longest = longest
        self.compared: list[int] = []

    def __call__(self, old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...] | None:
        self.compared.append(len(old) + len(new))
        return line_hunks(old, new) if len(new) <= self.longest else None


def test_an_edit_compares_only_what_it_touched() -> None:
    reference = [str(number) for number in range(1000)]
    text = list(reference)
    recorder = _Recorder(longest=2000)
    diff = LineDiff(reference, text, recorder)
    diff.edited(_edit(text, (500, 1, ["x", "y"])), text)
    diff.edited(_edit(text, (502, 1, ["z"])), text)
    assert recorder.compared[1:] == [3, 5]
    assert diff.hunks == (Hunk(old_start=500, old_count=2, new_start=500, new_count=3),)


def test_texts_that_cannot_be_compared_have_no_hunks_until_they_can() -> None:
    reference = ["a", "b"]
    text = ["a", "x", "x", "x"]
    diff = LineDiff(reference, text, _Recorder(longest=3))
    assert diff.hunks is None
    diff.edited(_edit(text, (0, 0, ["y"])), text)
    assert diff.hunks is None
    diff.edited(_edit(text, (0, 3, [])), text)
    assert diff.hunks == line_hunks(reference, ["x", "x"])


def test_a_text_that_becomes_its_reference_is_equal_however_large() -> None:
    reference = ["a", "b", "c", "d"]
    text = ["x", "x", "x", "x"]
    diff = LineDiff(reference, text, _Recorder(longest=3))
    diff.edited(_edit(text, (0, 4, list(reference))), text)
    assert diff.hunks == ()


def test_a_stretch_that_cannot_be_compared_makes_the_whole_incomparable() -> None:
    reference = ["a", "b", "c"]
    text = list(reference)
    diff = LineDiff(reference, text, _Recorder(longest=3))
    diff.edited(_edit(text, (1, 1, ["v", "w", "x", "y"])), text)
    assert diff.hunks is None


@pytest.mark.parametrize("text", [[], ["a"], ["a", "b"]])
def test_an_edit_of_nothing_changes_nothing(text: list[str]) -> None:
    diff = LineDiff(["a"], list(text), line_hunks)
    before = diff.hunks
    diff.edited(LineEdit(start=0, old_end=0, new_end=0), text)
    assert diff.hunks == before
