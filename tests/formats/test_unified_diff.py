"""Two contents as a unified diff."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import line_body, split_lines
from intent_lsp.formats.diff import MAX_DIFFED_BYTES, DiffMark, text_lines, unified

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def diff_lines(old: str | bytes, new: str | bytes) -> list[str] | None:
    found = unified(
        old.encode() if isinstance(old, str) else old, new.encode() if isinstance(new, str) else new
    )
    return None if found is None else [f"{line.mark}{line.text}" for line in found]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("", "", []),
        ("a\n", "a\n", []),
        ("", "a\nb\n", ["@@ -0,0 +1,2 @@", "+a", "+b"]),
        ("a\nb", "", ["@@ -1,2 +0,0 @@", "-a", "-b"]),
        ("a\r\n", "a\n", ["@@ -1,1 +1,1 @@", "-a\r\n", "+a\n"]),
        ("a", "a\n", ["@@ -1,1 +1,1 @@", "-a", "+a\n"]),
        ("a\r\nb\r\n", "a\r\nc\r\n", ["@@ -1,2 +1,2 @@", " a", "-b", "+c"]),
        (
            TEN,
            TEN.replace("line 5\n", "line five\nline V\n"),
            [
                "@@ -2,7 +2,8 @@",
                " line 2",
                " line 3",
                " line 4",
                "-line 5",
                "+line five",
                "+line V",
                " line 6",
                " line 7",
                " line 8",
            ],
        ),
    ],
)
def test_a_change_stands_between_its_neighbours(old: str, new: str, lines: list[str]) -> None:
    assert diff_lines(old, new) == lines


def test_changes_that_are_far_apart_have_places_of_their_own() -> None:
    near = diff_lines(TEN, TEN.replace("line 1\n", "").replace("line 8\n", ""))
    assert near is not None
    assert [line for line in near if line.startswith("@")] == ["@@ -1,10 +1,8 @@"]
    far = diff_lines(TEN, TEN.replace("line 1\n", "").replace("line 9\n", ""))
    assert far is not None
    assert [line for line in far if line.startswith("@")] == ["@@ -1,4 +1,3 @@", "@@ -6,5 +5,4 @@"]


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"\x80", b"x" * (MAX_DIFFED_BYTES + 1)])
def test_what_is_no_text_or_too_large_is_not_compared(data: bytes) -> None:
    assert text_lines(data) is None
    assert diff_lines(data, b"a\n") is None
    assert diff_lines(b"a\n", data) is None


def test_too_many_lines_are_not_compared() -> None:
    def numbers(first: int) -> str:
        return "\n".join(map(str, range(first, first + 30_000)))

    assert diff_lines(numbers(0), numbers(50_000)) is None


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d"]), max_size=30)


@given(LINES, LINES)
def test_a_diff_says_which_lines_each_side_has_at_its_place(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in side) for side in (old, new))
    found = unified(before.encode(), after.encode())
    assert found is not None
    assert bool(found) == (before != after)
    for mark, text in ((DiffMark.REMOVED, before), (DiffMark.ADDED, after)):
        lines = [line_body(line) for line in split_lines(text)]
        at = end = 0
        for line in found:
            if line.mark is DiffMark.PLACE:
                assert at == end
                side = line.text.split()[1 if mark is DiffMark.REMOVED else 2]
                first, count = map(int, side[1:].split(","))
                at = first - 1 if count else first
                end = at + count
            elif line.mark in (DiffMark.KEPT, mark):
                assert lines[at] == line.text
                at += 1
        assert at == end
