"""What an open file held on disk, as far as it was seen, and which saves were seen late."""

import os

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ABSENT, content_of, hash_content
from intent_lsp.governance.judging.file_snapshot import OpenedText
from intent_lsp.governance.saves.disk_state import DiskState
from intent_lsp.governance.saves.open_file import GovernedPlace, OpenFile
from intent_lsp.governance.saves.saves import Written
from intent_lsp.store.clock import file_time_ns
from tests.governance.editor import Editor

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


# Files that were written before the server first read them.

LOGIN = "src/auth/login.py"
SHOWN = ["one\n", "two\n", "three\n"]
OTHER = ["one\n", "two\n", "OTHER\n"]
SECOND = 1_000_000_000
MINE = ["MINE\n", "two\n", "three\n"]


def _read_late(editor: Editor, *, written: int) -> OpenFile:
    """Open a file whose content was replaced so many seconds after the editor opened it."""
    editor.select("INT-001")
    opened = OpenedText(SHOWN, file_time_ns() - 2 * SECOND)
    target = editor.root / LOGIN
    target.write_text("".join(OTHER))
    os.utime(target, ns=(opened.time_ns, opened.time_ns + written * SECOND))
    file = OpenFile()
    place = editor.place(LOGIN)
    file.attach(GovernedPlace(editor.governance.saves, editor.session, place), opened)
    return file


def _codes(file: OpenFile, lines: list[str]) -> list[GateCode | None]:
    """Return what is wrong with unsaved lines: as diagnostics, and as a save."""
    look, before = file.snapshot(lines), file.judge(lines, manual=True)
    assert look is not None
    assert before is not None
    denied = (look.judgement.denied, before.judgement.denied)
    return [None if each is None else each.code for each in denied]


def test_what_another_program_wrote_after_the_file_was_opened_is_unread(editor: Editor) -> None:
    file = _read_late(editor, written=1)
    assert _codes(file, MINE) == [GateCode.STALE_FILE] * 2
    (editor.root / LOGIN).write_text("".join(MINE))
    file.writes(MINE)
    after = file.record(MINE, MINE, None, automatic=False)
    assert after is not None
    assert after.record is not None
    assert after.record.concurrent_modification
    assert after.record.files[0].pre_hash == hash_content("".join(OTHER).encode())
    assert _codes(file, [*MINE, "more\n"]) == [None, None]


def test_it_is_read_once_the_editor_has_loaded_it(editor: Editor) -> None:
    file = _read_late(editor, written=1)
    file.snapshot(OTHER)
    assert _codes(file, [*OTHER, "more\n"]) == [None, None]


@pytest.mark.parametrize("written", [1, -1])
def test_what_the_editor_wrote_itself_after_it_opened_the_file_is_read(
    editor: Editor, written: int
) -> None:
    file = _read_late(editor, written=written)
    # The save is judged before the record of the first one is made.
    file.writes(OTHER)
    before = file.judge([*OTHER, "more\n"], manual=True)
    assert before is not None
    assert before.judgement.denied is None
    after = file.record([*OTHER, "more\n"], OTHER, None, automatic=False)
    assert after is not None
    assert after.record is not None
    assert not after.record.concurrent_modification
    assert after.record.files[0].pre_hash == hash_content("".join(SHOWN).encode())


def test_a_text_that_was_opened_otherwise_than_it_is_on_disk_is_not_stale(editor: Editor) -> None:
    # The editor may have opened it with other line endings, or with text that was never saved.
    assert _codes(_read_late(editor, written=-1), MINE) == [None, None]
