"""What an open file held on disk, as far as it was seen, and which saves were seen late."""

import pytest

from intent_lsp.core.content import ABSENT, content_of, hash_content
from intent_lsp.governance.saves.disk_state import DiskState
from intent_lsp.governance.saves.open_file import OpenFile
from intent_lsp.governance.saves.saves import Written

A, B, C = map(content_of, (b"a", b"b", b"c"))


def _opened() -> DiskState:
    disk = DiskState()
    disk.saved(A)
    return disk


def test_a_save_takes_the_place_of_what_was_opened() -> None:
    disk = _opened()
    assert disk.read_now == A.hash
    assert disk.before(B) == (A, A.hash)
    disk.saved(B)
    assert disk.before(C) == (B, B.hash)


def test_a_save_seen_before_it_is_told_of_takes_the_place_of_what_was_known() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=True)
    assert disk.before(B) == (A, A.hash)


def test_a_file_loaded_again_was_read_again() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=False)
    assert disk.read_now == A.hash
    disk.saw(B, same_as_buffer=True)
    assert disk.read_now == B.hash
    assert disk.before(C) == (B, B.hash)


def test_a_file_loaded_again_before_it_was_seen_was_read_again() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=True)
    assert disk.read_now == B.hash
    assert disk.before(C) == (B, B.hash)


def test_a_save_over_an_unread_change_takes_its_place_unread() -> None:
    disk = _opened()
    disk.saw(B, same_as_buffer=False)
    assert disk.before(C) == (B, A.hash)


def test_a_save_that_the_watcher_saw_first_takes_the_place_of_what_was_there_before() -> None:
    disk = _opened()
    # The buffer moved on meanwhile, so that it no longer equals what it had saved.
    disk.saw(B, same_as_buffer=False)
    assert disk.before(B) == (A, A.hash)
    disk.saw(C, same_as_buffer=False)
    assert disk.before(C) == (A, A.hash)


def test_a_file_that_appears_takes_the_place_of_nothing() -> None:
    disk = DiskState()
    disk.saw(ABSENT, same_as_buffer=False)
    assert disk.before(A) == (ABSENT, None)
    disk.saved(A)
    disk.saw(ABSENT, same_as_buffer=False)
    assert disk.before(B) == (ABSENT, A.hash)


# Saves that are told of late, when the buffer has moved on or the next save is made.


def _watched(*, opened: bytes | None = None) -> OpenFile:
    file = OpenFile()
    file.disk.saved(content_of(opened))
    return file


def _delta(new: bytes, old: bytes | None) -> Written:
    known = content_of(old)
    return Written(disk=content_of(new), known=known, read=known.hash)


def test_a_save_seen_when_the_buffer_has_moved_on_is_the_editors_own() -> None:
    file = _watched()
    file.writes(["one\n"])
    assert not file.observe(content_of(b"one\n"), ["one\n", "two\n"])
    assert file.disk.read_now == hash_content(b"one\n")
    assert file.replaced(content_of(b"one\n"), ["one\n"]) == _delta(b"one\n", None)


def test_two_saves_told_of_when_both_are_made_are_two() -> None:
    file = _watched()
    file.writes(["one\n"])
    file.observe(content_of(b"one\n"), ["one\n", "two\n"])
    file.writes(["one\n", "two\n"])
    both = b"one\ntwo\n"
    assert file.replaced(content_of(both), ["one\n"]) == _delta(b"one\n", None)
    file.recorded(content_of(b"one\n"))
    file.observe(content_of(both), ["one\n", "two\n"])
    expected = _delta(both, b"one\n")
    assert file.replaced(content_of(both), ["one\n", "two\n"]) == expected
    file.recorded(content_of(both))
    assert file.written == []


def test_two_saves_of_which_one_was_never_seen_are_one() -> None:
    file = _watched(opened=b"old\n")
    file.writes(["one\n"])
    file.writes(["one\n", "two\n"])
    file.observe(content_of(b"one\ntwo\n"), ["one\n", "two\n"])
    assert file.replaced(content_of(b"one\ntwo\n"), ["one\n"]) == _delta(b"one\ntwo\n", b"old\n")


def test_what_another_program_makes_of_a_save_is_recorded_with_it() -> None:
    file = _watched(opened=b"old\n")
    file.writes(["one\n"])
    file.observe(content_of(b"one\n"), ["one\n"])
    assert file.replaced(content_of(b"ONE\n"), ["one\n"]) == _delta(b"ONE\n", b"old\n")


def test_a_text_put_back_by_another_hand_after_its_record_was_read_and_not_written() -> None:
    file = _watched()
    for text in ("one\n", "two\n"):
        file.writes([text])
        file.observe(content_of(text.encode()), [text])
        file.recorded(content_of(text.encode()))
    file.observe(content_of(b"one\n"), ["two\n"])
    assert file.disk.read_now == hash_content(b"two\n")
    file.observe(content_of(b"one\n"), ["one\n"])
    expected = _delta(b"new\n", b"one\n")
    assert file.replaced(content_of(b"new\n"), ["new\n"]) == expected


@pytest.mark.parametrize("seen", [None, b"", b"on"])
def test_a_file_that_is_being_written_is_not_changed_by_another_hand(seen: bytes | None) -> None:
    file = _watched(opened=b"old\n")
    assert not file.is_writing(content_of(seen))
    file.writes(["one\n", "two\n"])
    assert file.is_writing(content_of(seen))
    assert not file.is_writing(content_of(b"one\ntwo\n"))
    assert not file.is_writing(content_of(b"other\n"))


@pytest.mark.parametrize("half", [b"", b"on"])
def test_half_of_a_save_that_nobody_announced_is_the_save(half: bytes) -> None:
    file = _watched(opened=b"old\n")
    file.observe(content_of(half), ["one\n"])
    file.writes(["one\n"])
    assert file.replaced(content_of(b"one\n"), ["one\n"]) == _delta(b"one\n", b"old\n")


def test_of_many_saves_under_way_the_newest_are_kept() -> None:
    file = _watched()
    for number in (1, 2, 2, 3, 4, 5):
        file.writes([f"{number}\n"])
    assert file.written == [["2\n"], ["3\n"], ["4\n"], ["5\n"]]
    file.recorded(content_of(b"3\n"))
    assert file.written == [["4\n"], ["5\n"]]
    file.recorded(content_of(b"something else\n"))
    assert file.written == []
