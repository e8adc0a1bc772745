"""Archiving: a beginning is moved whole, nothing is lost, and the chain runs on."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.records import Record
from intent_lsp.store.fs.write import replace_lines
from intent_lsp.store.ledger import archive as archive_module
from intent_lsp.store.ledger.archive import (
    Archived,
    ArchiveLine,
    CutPoint,
    all_but_newest,
    archive,
    older_than,
)
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, LedgerFiles
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines

COUNT = 8
NAME = f"{ARCHIVE_ROOM}/agent_trace-20261121T202733123Z-20261121T202737123Z.jsonl"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    ledger = ledger_at(tmp_path)
    yield ledger
    ledger.close()


@pytest.fixture
def records(ledger: Ledger) -> list[Record]:
    """Eight records, a second apart."""
    return [ledger.append(edit(f"{number}")) for number in range(COUNT)]


def archived_lines(root: Path) -> list[bytes]:
    archives = sorted((root / ARCHIVE_ROOM).glob("agent_trace-*.jsonl"))
    return [line for path in archives for line in path.read_bytes().splitlines(keepends=True)]


def holds_all(ledger: Ledger, records: list[Record]) -> None:
    found = ledger.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, len(records), 1)
    assert ledger.index.count() == len(records)
    assert list(ledger.index.query(Query(), limit=99).records) == records[::-1]
    assert len(ledger.index.heads()) == 1


@pytest.mark.parametrize(
    ("cut", "moved"),
    [
        (all_but_newest(3), 5),
        (all_but_newest(0), COUNT),
        (all_but_newest(COUNT), 0),
        (all_but_newest(10**9), 0),
        (older_than("2026-11-21T20:27:38.123Z"), 5),
        (older_than("2026-11-21T20:27:00.000Z"), 0),
        (older_than("2027-01-01T00:00:00.000Z"), COUNT),
    ],
    ids=["newest 3", "none", "all", "more", "by time", "older than all", "younger than all"],
)
def test_a_beginning_is_moved_and_every_reader_joins_the_files(
    ledger: Ledger, tmp_path: Path, records: list[Record], cut: CutPoint, moved: int
) -> None:
    before = lines_of(tmp_path)
    found = archive(tmp_path, cut)
    assert (found.records, found.left, found.repeated) == (moved, COUNT - moved, 0)
    assert (found.file is None) == (moved == 0)
    assert archived_lines(tmp_path) == before[:moved]
    assert lines_of(tmp_path) == before[moved:]
    holds_all(ledger, records)
    records.append(ledger.append(edit("after")))
    assert records[-1].integrity.prev_record_hash == records[-2].integrity.record_hash
    assert records[-1].integrity.merges == ()
    holds_all(ledger, records)
    holds_all(ledger_at(tmp_path), records)


def test_an_archive_is_named_after_its_first_and_its_last_moment(
    tmp_path: Path, records: list[Record]
) -> None:
    assert records
    assert archive(tmp_path, all_but_newest(3)).file == NAME
    assert LedgerFiles(tmp_path).names() == (NAME, LEDGER_FILE)


def test_the_next_archive_begins_where_the_last_one_ends(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    for kept in (6, 6, 2, 1):
        archive(tmp_path, all_but_newest(kept))
        holds_all(ledger, records)
    assert len(LedgerFiles(tmp_path).names()) == 4
    assert ledger.verify().segments == 4


def test_an_archive_of_a_name_that_is_taken_gets_another(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    (tmp_path / ARCHIVE_ROOM).mkdir()
    (tmp_path / NAME).write_bytes(b"")
    found = archive(tmp_path, all_but_newest(3))
    assert found.file == NAME.replace(".jsonl", "-2.jsonl")
    assert (tmp_path / NAME).read_bytes() == b""
    holds_all(ledger, records)


def test_lines_that_are_no_records_go_with_the_record_above(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    # An empty line is an error where it stands, and so nothing may be moved.
    lines = lines_of(tmp_path)
    put_lines(tmp_path, [*lines[:2], b"\n", *lines[2:]])
    with pytest.raises(LedgerUnavailableError, match="BAD_JSON"):
        archive(tmp_path, all_but_newest(3))
    assert lines_of(tmp_path) == [*lines[:2], b"\n", *lines[2:]]
    assert archived_lines(tmp_path) == []
    assert ledger.index.count() == len(records)


def test_a_torn_tail_stays_in_the_main_file(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    with (tmp_path / LEDGER_FILE).open("ab") as file:
        file.write(b'{"torn')
    assert archive(tmp_path, all_but_newest(0)).left == 0
    assert (tmp_path / LEDGER_FILE).read_bytes() == b'{"torn'
    records.append(ledger.append(edit("after")))
    holds_all(ledger, records)


def test_a_root_without_a_ledger_has_nothing_to_move(tmp_path: Path) -> None:
    assert archive(tmp_path, all_but_newest(0)) == Archived(file=None, records=0, left=0)


def test_open_ends_of_branches_are_tied_though_they_were_archived(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    lines = lines_of(tmp_path)
    put_lines(tmp_path, lines[:2])
    side = ledger.append(edit("side"))
    put_lines(tmp_path, [*lines_of(tmp_path), *lines[2:]])
    archive(tmp_path, all_but_newest(2))
    found = ledger.verify()
    assert (found.ok, len(found.heads)) == (True, 2)
    tie = ledger.append(edit("tie"))
    assert tie.integrity.prev_record_hash == records[-1].integrity.record_hash
    assert tie.integrity.merges == (side.integrity.record_hash,)
    assert len(ledger.verify().heads) == 1


def meanwhile(cut: CutPoint, happens: Callable[[], object]) -> CutPoint:
    """Let something happen between the reading of the main file and all that is done with it."""

    def cutting(lines: Iterable[ArchiveLine]) -> int:
        end = cut(lines)
        happens()
        return end

    return cutting


def test_a_ledger_that_another_took_the_place_of_is_left_alone(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    lines = lines_of(tmp_path)
    switched = meanwhile(all_but_newest(1), lambda: put_lines(tmp_path, lines[:4]))
    with pytest.raises(LedgerUnavailableError, match="replaced, removed or cut the file"):
        archive(tmp_path, switched)
    assert lines_of(tmp_path) == lines[:4]
    assert archived_lines(tmp_path) == []
    holds_all(ledger, records[:4])


def test_a_ledger_that_is_removed_meanwhile_is_told_as_such(
    tmp_path: Path, records: list[Record]
) -> None:
    cut = meanwhile(all_but_newest(1), (tmp_path / LEDGER_FILE).unlink)
    with pytest.raises(LedgerUnavailableError, match="removed or cut the file meanwhile"):
        archive(tmp_path, cut)
    assert archived_lines(tmp_path) == []
    assert len(records) == COUNT


def test_what_is_appended_meanwhile_stays(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    append = partial(ledger.append, edit("meanwhile"))
    cut = meanwhile(all_but_newest(2), lambda: records.append(append()))
    assert archive(tmp_path, cut).records == 6
    holds_all(ledger, records)
    records.append(ledger.append(edit("after")))
    holds_all(ledger, records)


def test_bytes_that_the_disk_gives_back_otherwise_move_nothing(
    ledger: Ledger, tmp_path: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaging(path: Path, chunks: Iterator[bytes], *, mode: int = 0o644) -> None:
        path.write_bytes(b"".join(chunks).replace(b"s1", b"s2", 1))
        path.chmod(mode)

    lines = lines_of(tmp_path)
    monkeypatch.setattr(archive_module, "replace_lines", damaging)
    with pytest.raises(LedgerUnavailableError, match="other bytes"):
        archive(tmp_path, all_but_newest(2))
    assert lines_of(tmp_path) == lines
    assert archived_lines(tmp_path) == []
    holds_all(ledger, records)


KILLED = """
import os, signal, sys
from pathlib import Path
from intent_lsp.store.ledger import archive

wanted, done = int(sys.argv[2]), 0
replace_lines = archive.replace_lines

def killed(*args, **options):
    global done
    if done == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
    done += 1
    replace_lines(*args, **options)

archive.replace_lines = killed
archive.archive(Path(sys.argv[1]), archive.all_but_newest(3))
"""


@pytest.mark.parametrize("wanted", [0, 1])
def test_a_process_that_dies_between_the_steps_loses_nothing_and_the_next_ends_its_work(
    ledger: Ledger, tmp_path: Path, records: list[Record], wanted: int
) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(wanted)]
    done = subprocess.run(command, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert len(lines_of(tmp_path)) == COUNT
    assert len(archived_lines(tmp_path)) == 5 * wanted
    holds_all(ledger, records)
    holds_all(ledger_at(tmp_path), records)
    records.append(ledger.append(edit("after")))
    holds_all(ledger, records)
    found = archive(tmp_path, all_but_newest(4))
    assert found.records == 5 * (1 - wanted)
    assert (found.repeated > 0) == bool(wanted)
    assert len(lines_of(tmp_path)) == 4
    holds_all(ledger, records)


def test_an_archive_that_vanishes_after_a_stopped_archiving_hides_no_record(
    ledger: Ledger, tmp_path: Path, records: list[Record]
) -> None:
    lines = lines_of(tmp_path)
    archive(tmp_path, all_but_newest(3))
    put_lines(tmp_path, lines)
    holds_all(ledger, records)
    (tmp_path / NAME).unlink()
    holds_all(ledger, records)


def place_link(path: Path) -> None:
    path.symlink_to("/tmp")  # noqa: S108


@pytest.mark.parametrize("place", [Path.touch, place_link])
def test_what_stands_in_the_place_of_the_archive_moves_nothing(
    tmp_path: Path, records: list[Record], place: Callable[[Path], None]
) -> None:
    place(tmp_path / ARCHIVE_ROOM)
    with pytest.raises(Exception, match="archive"):
        archive(tmp_path, all_but_newest(0))
    assert len(lines_of(tmp_path)) == len(records)


def test_an_archive_has_the_rights_of_the_main_file(tmp_path: Path, records: list[Record]) -> None:
    assert records
    (tmp_path / LEDGER_FILE).chmod(0o600)
    archive(tmp_path, all_but_newest(3))
    for name in (NAME, LEDGER_FILE):
        assert os.stat(tmp_path / name).st_mode & 0o777 == 0o600  # noqa: PTH116


def test_an_interrupt_after_the_main_file_is_shortened_loses_nothing(
    ledger: Ledger, tmp_path: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path, lines: Iterable[bytes], *, mode: int = 0o666) -> None:
        replace_lines(path, lines, mode=mode)
        if path == tmp_path / LEDGER_FILE:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(archive_module, "replace_lines", interrupted)
        with pytest.raises(KeyboardInterrupt):
            archive(tmp_path, all_but_newest(1))
    holds_all(ledger, records)
