"""Hunks become ranges: which lines are new, and where each old line went."""

from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import EMPTY_HASH, hash_content
from intent_lsp.core.line_diff import Hunk, count_lines, ranges, whole_file_range
from intent_lsp.core.records import Range


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], list[Hunk]]:
    """Draw old lines, new lines and the hunks between, apart by at least one kept line."""
    old: list[str] = []
    new: list[str] = []
    hunks: list[Hunk] = []
    lines = st.lists(st.sampled_from(["a\n", "b\r\n", "c\r", "\n"]), max_size=3)
    for turn in range(draw(st.integers(0, 4))):
        kept = draw(lines.filter(bool) if turn else lines)
        old += kept
        new += kept
        gone, come = draw(st.tuples(lines, lines).filter(any))
        hunks.append(
            Hunk(
                old_start=len(old),
                old_count=len(gone),
                new_start=len(new),
                new_count=len(come),
            )
        )
        old += gone
        new += come
    kept = draw(lines)
    return old + kept, new + kept, hunks


def apply(found: tuple[Range, ...], old: list[str], new: list[str]) -> list[str]:
    """Build the new lines from the old ones and the ranges alone, taking only claimed lines."""
    built: list[str] = []
    at = 0
    for run in found:
        assert run.replaced is not None
        first, gone, come = run.replaced
        built += old[at : first - 1]
        built += new[run.start_line - 1 : run.start_line - 1 + come] if come else []
        at = first - 1 + gone
    return built + old[at:]


def body(line: str) -> str:
    for end in ("\r\n", "\n", "\r"):
        if line.endswith(end):
            return line.removesuffix(end)
    return line


@given(edits())
def test_old_lines_and_ranges_give_the_new_lines(
    drawn: tuple[list[str], list[str], list[Hunk]],
) -> None:
    old, new, hunks = drawn
    found = ranges(hunks, new)
    if hunks or new:
        assert apply(found, old, new) == new


@given(edits())
def test_ranges_ascend_do_not_overlap_and_hash_their_lines(
    drawn: tuple[list[str], list[str], list[Hunk]],
) -> None:
    _, new, hunks = drawn
    above = -1
    for run in ranges(hunks, new):
        deletion = run.replaced is not None and not run.replaced[2]
        assert above < run.start_line + deletion
        assert run.start_line <= run.end_line <= len(new)
        above = run.end_line
        block = new[run.start_line - 1 : run.end_line] if new else []
        text = "".join([*block[:-1], *map(body, block[-1:])])
        assert run.content_hash == hash_content(text.encode())
        assert not run.fallback


def test_a_block_keeps_its_hash_wherever_it_moves() -> None:
    moved = ranges([Hunk(old_start=0, old_count=0, new_start=1, new_count=2)], ["x\n", "a\n", "b"])
    first = ranges([Hunk(old_start=0, old_count=0, new_start=0, new_count=2)], ["a\n", "b\r\n"])
    assert moved[0].content_hash == first[0].content_hash


def test_a_deletion_is_told_by_the_line_above_it_and_by_the_first_at_the_top() -> None:
    lines = ["a\n", "b\n"]
    below = Hunk(old_start=2, old_count=3, new_start=2, new_count=0)
    top = Hunk(old_start=0, old_count=1, new_start=0, new_count=0)
    assert ranges([below], lines) == (
        Range(start_line=2, end_line=2, content_hash=hash_content(b"b"), replaced=(3, 3, 0)),
    )
    assert ranges([top], lines) == (
        Range(start_line=1, end_line=1, content_hash=hash_content(b"a"), replaced=(1, 1, 0)),
    )


def test_two_deletions_around_the_first_line_are_both_told_by_it() -> None:
    around = [
        Hunk(old_start=0, old_count=1, new_start=0, new_count=0),
        Hunk(old_start=2, old_count=1, new_start=1, new_count=0),
    ]
    found = ranges(around, ["a\n"])
    assert [(run.start_line, run.end_line) for run in found] == [(1, 1), (1, 1)]
    assert [run.replaced for run in found] == [(1, 1, 0), (3, 1, 0)]


def test_an_insertion_at_the_end_stands_before_the_line_after_the_last() -> None:
    at_end = Hunk(old_start=1, old_count=0, new_start=1, new_count=1)
    assert ranges([at_end], ["a\n", "b"])[0].replaced == (2, 0, 1)


def test_empty_content_is_one_range_of_no_lines() -> None:
    emptied = Hunk(old_start=0, old_count=4, new_start=0, new_count=0)
    created = Range(start_line=0, end_line=0, content_hash=EMPTY_HASH)
    assert ranges([], []) == (created,)
    assert ranges([emptied], []) == (
        Range(start_line=0, end_line=0, content_hash=EMPTY_HASH, replaced=(1, 4, 0)),
    )
    assert whole_file_range(b"", 0) == created


def test_the_last_terminator_of_utf_16_is_two_bytes() -> None:
    hunk = Hunk(old_start=0, old_count=0, new_start=0, new_count=1)
    for encoding in ("utf-16-le", "utf-16-be"):
        found = ranges([hunk], ["a\0\r\n"], encoding=encoding)
        assert found[0].content_hash == hash_content("a\0".encode(encoding))


def test_a_file_that_is_not_compared_is_one_range_with_its_full_hash() -> None:
    data = b"\xff\n\0\r\n\r"
    found = whole_file_range(data, count_lines(data))
    assert (found.start_line, found.end_line, found.fallback) == (1, 3, True)
    assert found.content_hash == hash_content(data)
    assert found.replaced is None


def test_raw_lines_are_counted_with_the_last_one_that_has_no_end() -> None:
    assert [count_lines(data) for data in (b"", b"a", b"a\n", b"a\nb", b"\r\n")] == [0, 1, 1, 2, 1]
