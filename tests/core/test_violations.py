"""Which runs of changed lines are shown (requirements section 8)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.gate.violations import marked_runs
from intent_lsp.core.line_diff import Hunk
from intent_lsp.formats.diff import line_hunks

TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def _hunks(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...]:
    found = line_hunks(old, new)
    assert found is not None
    return found


def _runs(head: str, text: str, *narrowing: str) -> list[tuple[int, int]]:
    """Mark the runs of texts that are spelled a letter a line."""
    runs = marked_runs(_hunks(head, text), [_hunks(each, text) for each in narrowing])
    return [(run.first_line, run.last_line) for run in runs]


@pytest.mark.parametrize(
    ("head", "text", "runs"),
    [
        ("abc", "abc", []),
        ("abc", "aXc", [(1, 1)]),
        ("abc", "aXYc", [(1, 2)]),
        ("abc", "Xabc", [(0, 0)]),
        ("abc", "abcXY", [(3, 4)]),
        ("", "XY", [(0, 1)]),
        ("abcde", "XbcdY", [(0, 0), (4, 4)]),
        # A pure deletion marks the line above it, at the top line 0.
        ("abc", "ab", [(1, 1)]),
        ("abc", "ac", [(0, 0)]),
        ("abc", "bc", [(0, 0)]),
        ("abc", "", [(0, 0)]),
        ("abcdef", "adf", [(0, 0), (1, 1)]),
        # Runs that adjoin are one.
        ("abcd", "aXYd", [(1, 2)]),
    ],
)
def test_every_run_changed_against_head_is_marked(
    head: str, text: str, runs: list[tuple[int, int]]
) -> None:
    assert _runs(head, text) == runs


@pytest.mark.parametrize(
    ("head", "baseline", "text", "runs"),
    [
        # Nothing is shown on opening.
        ("abc", "aXc", "aXc", []),
        ("abc", "ac", "ac", []),
        # A run counts as soon as one of its lines is new.
        ("abcd", "aXcd", "aXYd", [(1, 2)]),
        ("abcd", "aXcd", "aXcY", [(3, 3)]),
        ("abcd", "aXcd", "aZcd", [(1, 1)]),
        # An old change far away stays quiet, beside a new one too.
        ("abcdefg", "aXcdefg", "aXcdefY", [(6, 6)]),
        # What was taken out before stays quiet, what is taken out now does not.
        ("abcdef", "acdef", "acdf", [(2, 2)]),
        ("abcdef", "acdef", "acdef", []),
        # A line of one's own that is put back leaves nothing.
        ("abc", "aXc", "abc", []),
        # A line that was there before is no new one, even when its neighbour is taken out again.
        ("ab", "aXYb", "aXb", []),
    ],
)
def test_what_stood_before_the_session_is_not_shown(
    head: str, baseline: str, text: str, runs: list[tuple[int, int]]
) -> None:
    assert _runs(head, text, baseline) == runs


@pytest.mark.parametrize(
    ("head", "baseline", "passed", "text", "runs"),
    [
        ("abc", "abc", "aXc", "aXc", []),
        ("abc", "abc", "aXc", "aXYc", [(1, 2)]),
        ("abcde", "abcde", "aXcde", "aXcdY", [(4, 4)]),
        # One line is old, the other passed: none is new against both.
        ("abcd", "aXcd", "abYd", "aXYd", []),
        ("abcde", "abcde", "abcd", "abcd", []),
        ("abcde", "abcde", "abcd", "acd", [(0, 0)]),
    ],
)
def test_a_line_is_new_only_against_every_reference(
    head: str, baseline: str, passed: str, text: str, runs: list[tuple[int, int]]
) -> None:
    assert _runs(head, text, baseline, passed) == runs


def test_each_run_carries_the_change_behind_it() -> None:
    (run,) = marked_runs(_hunks("abc", "aXc"), [])
    assert run.hunk == Hunk(old_start=1, old_count=1, new_start=1, new_count=1)


@given(TEXTS, TEXTS)
def test_a_text_equal_to_a_reference_shows_nothing(head: list[str], text: list[str]) -> None:
    assert marked_runs(_hunks(head, text), [_hunks(text, text)]) == ()
    assert marked_runs(_hunks(text, text), [_hunks(head, text)]) == ()


@given(TEXTS, TEXTS)
def test_without_references_every_hunk_is_marked(head: list[str], text: list[str]) -> None:
    hunks = _hunks(head, text)
    assert [run.hunk for run in marked_runs(hunks, [])] == list(hunks)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_references_only_narrow_and_lines_lie_in_the_text(
    head: list[str], text: list[str], references: list[list[str]]
) -> None:
    hunks = _hunks(head, text)
    runs = marked_runs(hunks, [_hunks(each, text) for each in references])
    assert {run.hunk for run in runs} <= set(hunks)
    last = max(len(text) - 1, 0)
    assert all(0 <= run.first_line <= run.last_line <= last for run in runs)
    assert list(runs) == sorted(runs, key=lambda run: run.first_line)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_a_run_is_shown_exactly_when_one_of_its_lines_is_new_against_all(
    head: list[str], text: list[str], references: list[list[str]]
) -> None:
    narrowing = [_hunks(each, text) for each in references]
    new = [
        {line for hunk in hunks for line in range(hunk.new_start, hunk.new_start + hunk.new_count)}
        for hunks in narrowing
    ]
    shown = {run.hunk for run in marked_runs(_hunks(head, text), narrowing)}
    for hunk in _hunks(head, text):
        lines = set(range(hunk.new_start, hunk.new_start + hunk.new_count))
        if lines:
            assert (hunk in shown) == bool(lines.intersection(*new))


@given(TEXTS, TEXTS)
def test_head_as_a_reference_narrows_nothing(head: list[str], text: list[str]) -> None:
    hunks = _hunks(head, text)
    assert marked_runs(hunks, [hunks]) == marked_runs(hunks, [])
