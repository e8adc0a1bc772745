"""The journal: what no commit holds yet, a second time; never in the way of an append."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.ledger.journal import Journal
from tests.support.ledgers import edit, ledger_at, lines_of

LINES = [b"%d\n" % number for number in range(9)]


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def test_what_the_ledger_takes_is_in_the_journal_too(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    for name in "abc":
        ledger.append(edit(name))
    journal = Journal(tmp_path / LOCAL_ROOM)
    assert list(journal.lines()) == lines_of(tmp_path)
    assert journal.path.stat().st_mode & 0o777 == 0o600


def test_lines_are_kept_in_their_order_until_a_commit_holds_them(journal: Journal) -> None:
    for line in LINES:
        journal.note(line)
    assert list(journal.lines()) == LINES
    assert journal.forget([]) == 0
    assert journal.forget([b"other\n", LINES[4], LINES[0], LINES[4]]) == 2
    assert list(journal.lines()) == [*LINES[1:4], *LINES[5:]]
    assert journal.forget(LINES) == 7
    assert list(journal.lines()) == []


def test_nothing_noted_is_nothing_written(journal: Journal) -> None:
    journal.note(b"")
    assert list(journal.lines()) == []
    assert journal.forget(iter([b"x\n"])) == 0
    assert not journal.path.exists()


def test_no_more_of_a_commit_is_read_than_has_to_be(journal: Journal) -> None:
    journal.note(b"".join(LINES))
    committed = iter([*LINES, b"never read\n"])
    assert journal.forget(committed) == len(LINES)
    assert next(committed) == b"never read\n"


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(LINES))))
def test_what_is_left_is_what_was_noted_and_not_committed(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, bytes]]
) -> None:
    journal = Journal(tmp_path_factory.mktemp("journal"))
    left: list[bytes] = []
    for noting, line in steps:
        if noting:
            journal.note(line)
            left.append(line)
        else:
            journal.forget([line])
            left = [each for each in left if each != line]
    assert list(journal.lines()) == left


@pytest.mark.parametrize("torn", [b"torn", b"\xff", b"\n\n torn"])
def test_what_a_crash_left_unfinished_is_glued_to_nothing(journal: Journal, torn: bytes) -> None:
    journal.note(LINES[0])
    with journal.path.open("ab") as file:
        file.write(torn)
    assert list(journal.lines()) == LINES[:1]
    journal.note(LINES[1])
    found = list(journal.lines())
    assert (found[0], found[-1]) == (LINES[0], LINES[1])
    assert journal.forget(LINES[:1]) == 1
    assert LINES[1] in list(journal.lines())


def test_a_line_that_is_noted_while_a_commit_is_read_stays(tmp_path: Path) -> None:
    journal, other = Journal(tmp_path), Journal(tmp_path)
    journal.note(b"old\n")

    def committed() -> Iterator[bytes]:
        other.note(b"late\n")
        yield b"old\n"

    assert journal.forget(committed()) == 1
    assert list(journal.lines()) == [b"late\n"]


def test_a_line_that_is_noted_while_others_are_forgotten_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, other = Journal(tmp_path), Journal(tmp_path)
    journal.note(b"old\n" * 2)
    replace = Path.replace

    def late(unfinished: Path, target: Path) -> Path:
        # All that is kept has been read, and the old file still has the name.
        other.note(b"late\n")
        return replace(unfinished, target)

    monkeypatch.setattr(Path, "replace", late)
    assert journal.forget([b"old\n"]) == 1
    assert list(journal.lines()) == [b"late\n"]


def test_a_line_for_a_file_that_was_replaced_goes_to_the_new_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.note(b"old\n")
    write, other = os.write, tmp_path / "other"
    other.write_bytes(b"kept\n")

    def replaced(fd: int, data: bytes) -> int:
        if other.exists():
            other.replace(journal.path)
        return write(fd, data)

    monkeypatch.setattr(os, "write", replaced)
    journal.note(b"new\n")
    assert list(journal.lines()) == [b"kept\n", b"new\n"]


def test_a_journal_that_is_deleted_meanwhile_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, write = Journal(tmp_path), os.write
    journal.note(b"old\n")

    def deleted(fd: int, data: bytes) -> int:
        if b"first" in data and not list(journal.lines())[1:]:
            journal.path.unlink()
            monkeypatch.undo()
        return write(fd, data)

    monkeypatch.setattr(os, "write", deleted)
    journal.note(b"first\n")
    assert list(journal.lines()) == [b"first\n"]

    def committed() -> Iterator[bytes]:
        journal.path.unlink()
        yield b"first\n"

    assert journal.forget(committed()) == 1
    assert list(journal.lines()) == []


def test_what_the_disk_takes_only_in_part_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal, write = Journal(tmp_path), os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:5]))
    journal.note(b"a long line\n")
    monkeypatch.undo()
    journal.note(b"whole\n")
    assert list(journal.lines())[-1] == b"whole\n"
    assert "the disk is full: only a part was written" in caplog.text


def test_making_it_shorter_leaves_no_file_open(journal: Journal) -> None:
    journal.note(b"".join(LINES))
    before = len([*Path("/dev/fd").iterdir()])
    for line in LINES:
        assert Journal(journal.path.parent).forget([line]) == 1
    assert len([*Path("/dev/fd").iterdir()]) == before


def test_only_one_at_a_time_makes_it_shorter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, other = Journal(tmp_path), Journal(tmp_path)
    journal.note(b"".join(LINES))
    replace, forgotten = Path.replace, []

    def meanwhile(unfinished: Path, target: Path) -> Path:
        forgotten.append(other.forget(LINES[1:2]))
        return replace(unfinished, target)

    monkeypatch.setattr(Path, "replace", meanwhile)
    assert journal.forget(LINES[:1]) == 1
    assert forgotten == [0]
    assert list(journal.lines()) == LINES[1:]


def test_a_full_journal_lets_its_older_half_go_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal(tmp_path, max_bytes=1000)
    lines = [b"%03d\n" % number for number in range(1000)]
    for line in lines:
        journal.note(line)
        assert journal.path.stat().st_size <= 1010
    left = list(journal.lines())
    assert left == lines[-len(left) :]
    assert len(left) >= 100
    assert "its older half was removed; commit the ledger" in caplog.text


def test_a_journal_that_cannot_be_made_shorter_grows_to_twice_its_size(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal(tmp_path, max_bytes=1000)
    (tmp_path / "journal.lock").mkdir()
    for _ in range(1000):
        journal.note(b"%050d\n" % 7)
    assert 2000 <= journal.path.stat().st_size <= 2100
    assert caplog.text.count("the journal is full") == 1
    assert len(caplog.records) < 10


def directory(path: Path) -> None:
    path.mkdir()


def link(path: Path) -> None:
    path.symlink_to(path.parent / "elsewhere")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def pipe_that_is_read(path: Path) -> None:
    os.mkfifo(path)
    os.open(path, os.O_RDONLY | os.O_NONBLOCK)


@pytest.mark.parametrize("place", [directory, link, pipe, pipe_that_is_read])
def test_whatever_is_in_its_place_stops_no_append_and_is_told_once(
    tmp_path: Path, place: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    local = tmp_path / LOCAL_ROOM
    local.mkdir(parents=True)
    place(local / "journal.jsonl")
    ledger = ledger_at(tmp_path)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            ledger.append(edit())
    assert ledger.verify().records == 3
    assert [record.getMessage().count("not mirrored") for record in caplog.records] == [1]
    assert not (local / "elsewhere").exists()
    with pytest.raises(LedgerUnavailableError, match=r"journal\.jsonl"):
        list(Journal(local).lines())


def test_it_is_told_again_once_it_had_been_well_in_between(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal(tmp_path)
    for _ in range(2):
        journal.path.mkdir()
        journal.note(b"lost\n")
        journal.path.rmdir()
        journal.note(b"kept\n")
        journal.path.unlink()
    assert caplog.text.count("not mirrored") == 2


def test_threads_note_whole_lines(journal: Journal) -> None:
    def note(name: str) -> None:
        for line in range(50):
            journal.note(f"{name} {line}\n".encode())

    threads = [threading.Thread(target=note, args=(name,)) for name in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [f"{name} {line}\n".encode() for name in "abcdefgh" for line in range(50)]
    assert sorted(journal.lines()) == sorted(expected)


NOTING = """
import sys
from pathlib import Path
from intent_lsp.store.ledger.journal import Journal
journal = Journal(Path(sys.argv[1]))
for number in range(300):
    journal.note(f"{sys.argv[2]} {number}\\n".encode())
"""


def test_no_line_of_another_process_is_lost_however_often_it_is_made_shorter(
    tmp_path: Path,
) -> None:
    children = [
        subprocess.Popen([sys.executable, "-c", NOTING, tmp_path, f"p{number}"])
        for number in range(3)
    ]
    journal, forgotten = Journal(tmp_path), 0
    while any(child.poll() is None for child in children):
        journal.note(b"committed\n")
        forgotten += journal.forget([b"committed\n"])
    assert [child.wait() for child in children] == [0, 0, 0]
    expected = {f"p{n} {i}\n".encode() for n in range(3) for i in range(300)}
    assert set(journal.lines()) - {b"committed\n"} == expected
    assert forgotten
