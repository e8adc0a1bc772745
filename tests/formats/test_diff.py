"""Two versions of a text become hunks that turn one into the other, whatever their lines hold."""

import codecs
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.content import EMPTY_HASH, content_of, hash_content, split_lines
from intent_lsp.core.line_diff import Hunk, ranges
from intent_lsp.formats.diff import MAX_DIFFED_LINES, file_ranges, line_hunks

odd_lines = st.sampled_from(
    ["a\n", "b\n", "a\r", "\r\n", "\0\n", "\u2028\n", "x\f\n", "1", "é", ""]
)
texts = st.lists(odd_lines, max_size=12)


def rebuilt(hunks: tuple[Hunk, ...], old: list[str], new: list[str]) -> list[str]:
    found, at = [], 0
    for hunk in hunks:
        found += old[at : hunk.old_start]
        assert len(found) == hunk.new_start
        found += new[hunk.new_start : hunk.new_start + hunk.new_count]
        at = hunk.old_start + hunk.old_count
    return found + old[at:]


@given(texts, texts)
def test_the_hunks_turn_the_old_lines_into_the_new(old: list[str], new: list[str]) -> None:
    hunks = line_hunks(old, tuple(new))
    assert hunks is not None
    assert rebuilt(hunks, old, new) == new


@given(texts, texts)
def test_hunks_are_apart_by_a_kept_line_and_none_is_empty(old: list[str], new: list[str]) -> None:
    hunks = line_hunks(old, new) or ()
    for above, below in itertools.pairwise(hunks):
        assert above.old_start + above.old_count < below.old_start
        assert above.new_start + above.new_count < below.new_start
    assert all(hunk.old_count or hunk.new_count for hunk in hunks)
    assert bool(hunks) == (old != new)


@given(
    st.text(st.sampled_from("ab\r\n"), max_size=30),
    st.text(st.sampled_from("ab\r\n"), max_size=12),
    st.text(st.sampled_from("ab\r\n"), max_size=12),
    st.text(st.sampled_from("ab\r\n"), max_size=30),
)
def test_what_texts_have_in_common_at_their_ends_changes_no_range(
    head: str, old: str, new: str, tail: str
) -> None:
    before, after = f"{head}{old}{tail}", f"{head}{new}{tail}"
    hunks = line_hunks(split_lines(before), split_lines(after))
    assert hunks is not None
    whole = ranges(hunks, split_lines(after))
    assert file_ranges(content_of(before.encode()), content_of(after.encode())) == whole


def test_a_changed_line_between_kept_ones_is_one_hunk() -> None:
    old = [f"{number}\n" for number in range(100)]
    new = [*old[:40], "forty\n", *old[41:70], "more\n", *old[70:]]
    assert line_hunks(old, new) == (
        Hunk(old_start=40, old_count=1, new_start=40, new_count=1),
        Hunk(old_start=70, old_count=0, new_start=70, new_count=1),
    )


def test_too_much_left_on_both_sides_is_not_compared() -> None:
    many = MAX_DIFFED_LINES + 1
    old, new = [f"old {n}" for n in range(many)], [f"new {n}" for n in range(many)]
    assert line_hunks(old, new) is None
    assert line_hunks([*old, "same"], [*old, "other"]) is not None
    assert line_hunks([], new) == (Hunk(old_start=0, old_count=0, new_start=0, new_count=many),)


def test_shuffled_lines_below_the_limit_are_compared() -> None:
    old = [f"{number}\n" for number in range(MAX_DIFFED_LINES // 4)]
    new = random.Random(1).sample(old, len(old))  # noqa: S311 -- a shuffle, no secret
    hunks = line_hunks(old, new)
    assert hunks is not None
    assert rebuilt(hunks, old, new) == new


def test_a_changed_line_of_a_utf_16_file_is_told_by_its_own_bytes() -> None:
    def spelled(text: str) -> bytes:
        return codecs.BOM_UTF16_BE + text.encode("utf-16-be")

    (run,) = file_ranges(content_of(spelled("a\nb\n")), content_of(spelled("a\nc\n")))
    assert (run.start_line, run.end_line, run.replaced) == (2, 2, (2, 1, 1))
    assert run.content_hash == hash_content("c".encode("utf-16-be"))


def test_a_change_of_the_mark_alone_changes_no_line() -> None:
    assert file_ranges(content_of(b"a\n"), content_of(codecs.BOM_UTF8 + b"a\n")) == ()


def test_files_come_and_go() -> None:
    (created,) = file_ranges(content_of(None), content_of(b"a\nb"))
    assert (created.start_line, created.end_line, created.replaced) == (1, 2, (1, 0, 2))
    for after in (None, b""):
        (gone,) = file_ranges(content_of(b"a\nb"), content_of(after))
        assert (gone.start_line, gone.end_line, gone.replaced) == (0, 0, (1, 2, 0))
        assert gone.content_hash == EMPTY_HASH
    (empty,) = file_ranges(content_of(None), content_of(b""))
    assert (empty.start_line, empty.end_line, empty.replaced) == (0, 0, None)


BINARY = b"\xff\n\0"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (b"a\n", BINARY, 2),
        (BINARY, b"a\nb\n", 2),
        (b"a\n", codecs.BOM_UTF16_LE + "a\nb\nc\n".encode("utf-16-le"), 3),
        (b"", b"x" * (5 * 1024 * 1024 + 1), 1),
        (
            b"".join(b"%d\n" % n for n in range(MAX_DIFFED_LINES + 1)),
            b"".join(b"-%d\n" % n for n in range(1, MAX_DIFFED_LINES + 2)),
            MAX_DIFFED_LINES + 1,
        ),
    ],
    ids=["to binary", "from binary", "other encoding", "over 5 MB", "too many lines"],
)
def test_what_cannot_be_compared_is_one_range_over_the_whole_file(
    before: bytes, after: bytes, lines: int
) -> None:
    (run,) = file_ranges(content_of(before), content_of(after))
    assert (run.start_line, run.end_line) == (1, lines)
    assert run.content_hash == hash_content(after)
    assert run.fallback
    assert run.replaced is None


def test_a_binary_that_is_emptied_is_a_range_of_no_lines() -> None:
    (run,) = file_ranges(content_of(BINARY), content_of(b""))
    assert (run.start_line, run.end_line, run.fallback) == (0, 0, False)
