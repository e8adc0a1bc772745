"""Recovering: what was taken out of the ledger comes back, once, at its place or at a new one."""

import errno
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.governance.ledger.reader import governed_ledger
from intent_lsp.governance.ledger.recovery import Recovered, Recovery, recovering
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.ledger.journal import Journal
from intent_lsp.store.ledger.ledger import Ledger, Queued
from intent_lsp.store.ledger.raw.file import FileSystem
from tests.support.governed_repository import govern
from tests.support.ledgers import edit, ledger_at, lines_of, put_lines
from tests.support.repository import Repository


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    found = ledger_at(tmp_path)
    yield found
    found.close()


def recover(root: Path) -> Recovered:
    with recovering(root) as governance:
        return governance.recover(governance.lost())


def records_of(root: Path) -> list[Record]:
    found = [read(line) for line in lines_of(root)]
    return [record for record in found if isinstance(record, Record)]


def content(record: Record) -> tuple[object, ...]:
    return record.id, record.timestamp, record.files, record.session_id


def test_what_was_taken_from_the_end_comes_back_as_it_was(ledger: Ledger, tmp_path: Path) -> None:
    for name in "abcd":
        ledger.append(edit(name))
    before = lines_of(tmp_path)
    put_lines(tmp_path, before[:1])
    with recovering(tmp_path) as governance:
        found = governance.lost()
        assert [lost.line for lost in found.lost] == before[1:]
        assert {lost.source for lost in found.lost} == {".orchestration/.local/journal.jsonl"}
        assert lines_of(tmp_path) == before[:1]
        assert governance.recover(found) == Recovered(as_they_were=3, anew=0)
    assert lines_of(tmp_path) == before
    assert recover(tmp_path) == Recovered(0, 0)
    assert lines_of(tmp_path) == before


def test_what_happened_since_stands_before_it_and_the_next_record_ties_both(
    ledger: Ledger, tmp_path: Path
) -> None:
    for name in "ab":
        ledger.append(edit(name))
    before = lines_of(tmp_path)
    put_lines(tmp_path, before[:1])
    ledger.append(edit("since"))
    assert recover(tmp_path) == Recovered(1, 0)
    assert lines_of(tmp_path)[2:] == before[1:]
    assert len(ledger.verify().heads) == 2
    ledger.append(edit("tying"))
    found = ledger.verify()
    assert (found.ok, found.records, len(found.heads)) == (True, 4, 1)


def test_what_is_asked_for_twice_or_kept_twice_comes_once(ledger: Ledger, tmp_path: Path) -> None:
    for name in "ab":
        ledger.append(edit(name))
    before = lines_of(tmp_path)
    Journal(tmp_path / LOCAL_ROOM).note(before[1])
    put_lines(tmp_path, before[:1])
    with recovering(tmp_path) as governance:
        found = governance.lost()
        assert [lost.line for lost in found.lost] == before[1:]
        assert governance.recover(found) == Recovered(1, 0)
        assert governance.recover(found) == Recovered(0, 0)
    assert lines_of(tmp_path) == before


def test_where_what_it_followed_is_gone_it_gets_a_new_place(ledger: Ledger, tmp_path: Path) -> None:
    for name in "abc":
        ledger.append(edit(name))
    before, lines = records_of(tmp_path), lines_of(tmp_path)
    # The second is in a commit that is no longer checked out, so that the journal let it go.
    Journal(tmp_path / LOCAL_ROOM).forget(lines[:2])
    put_lines(tmp_path, lines[:1])
    assert recover(tmp_path) == Recovered(as_they_were=0, anew=1)
    first, again = records_of(tmp_path)
    assert content(again) == content(before[2])
    assert again.integrity.prev_record_hash == first.integrity.record_hash
    assert ledger.verify().ok
    assert recover(tmp_path) == Recovered(0, 0)


def test_a_ledger_that_was_deleted_comes_back_from_the_journal(
    ledger: Ledger, tmp_path: Path
) -> None:
    for name in "abc":
        ledger.append(edit(name))
    before = lines_of(tmp_path)
    (tmp_path / LEDGER_FILE).unlink()
    assert recover(tmp_path) == Recovered(3, 0)
    assert lines_of(tmp_path) == before


def test_a_torn_line_that_lacks_only_its_end_is_a_record(ledger: Ledger, tmp_path: Path) -> None:
    for name in "ab":
        ledger.append(edit(name))
    (tmp_path / LOCAL_ROOM / "journal.jsonl").unlink()
    lines = lines_of(tmp_path)
    put_lines(tmp_path, lines[:1])
    torn = tmp_path / LOCAL_ROOM / "torn"
    torn.mkdir()
    (torn / "1.part").write_bytes(lines[1][:-1])
    ledger.append(edit("c"))
    assert len(lines_of(tmp_path)) == 2
    assert recover(tmp_path) == Recovered(1, 0)
    assert lines_of(tmp_path)[2] == lines[1]
    assert ledger.verify().ok


@pytest.mark.parametrize("room", ["torn", "queue"])
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    ledger: Ledger, tmp_path: Path, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.append(edit())
    path = tmp_path / LOCAL_ROOM / room / "it.json"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    opened = os.open

    def refused(name: os.PathLike[str], *how: int) -> int:
        if name == path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(name, *how)

    monkeypatch.setattr(os, "open", refused)
    with recovering(tmp_path) as governance:
        (unreadable,) = governance.lost().unreadable
    assert unreadable.source == path.relative_to(tmp_path).as_posix()
    assert unreadable.problem == "it cannot be read: Permission denied"


def test_a_last_record_without_its_line_feed_is_not_lost(ledger: Ledger, tmp_path: Path) -> None:
    for name in "ab":
        ledger.append(edit(name))
    before = lines_of(tmp_path)
    put_lines(tmp_path, [before[0], before[1][:-1]])
    assert recover(tmp_path) == Recovered(0, 0)
    ledger.append(edit("c"))
    assert lines_of(tmp_path)[:2] == before
    assert ledger.verify().problems == ()


def test_a_record_that_somebody_spelled_anew_is_not_lost(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append(edit("a"))
    ledger.append(edit("b"))
    put_lines(tmp_path, [line[:-1] + b"\r\n" for line in lines_of(tmp_path)])
    assert recover(tmp_path) == Recovered(0, 0)


def test_what_waits_is_listed_and_appended(tmp_path: Path) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    ledger = ledger_at(tmp_path, disk=FileSystem(write=full))
    assert isinstance(ledger.append_or_queue(edit("waits")), Queued)
    with recovering(tmp_path) as governance:
        (lost,) = governance.lost().lost
        assert (lost.waits, lost.joins) == (True, False)
        assert governance.recover(governance.lost()) == Recovered(0, 1)
        assert governance.lost().lost == ()
    assert ledger_at(tmp_path).verify().records == 1


@pytest.mark.parametrize("room", ["torn", "queue", ""])
def test_what_is_no_record_is_named_and_left(ledger: Ledger, tmp_path: Path, room: str) -> None:
    ledger.append(edit())
    forged = lines_of(tmp_path)[0].replace(b"src/a.py", b"src/b.py")
    path = tmp_path / LOCAL_ROOM / room / ("it.json" if room else "journal.jsonl")
    path.parent.mkdir(exist_ok=True)
    odd = b"nonsense" if room == "queue" else forged
    path.write_bytes(odd)
    put_lines(tmp_path, [])
    with recovering(tmp_path) as governance:
        found = governance.lost()
        assert [each.source for each in found.unreadable] == [path.relative_to(tmp_path).as_posix()]
        expected = "the line is not JSON" if room == "queue" else "the record was changed"
        assert found.unreadable[0].problem.startswith(expected)
        assert governance.recover(found).as_they_were == (1 if room else 0)
    assert ledger.verify().ok
    assert any(odd == each.read_bytes() for each in path.parent.iterdir() if each.is_file())


def test_nothing_is_made_where_nothing_is(tmp_path: Path) -> None:
    assert recover(tmp_path) == Recovered(0, 0)
    assert list(tmp_path.iterdir()) == []


def test_odd_things_in_the_rooms_stop_nothing(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append(edit())
    torn = tmp_path / LOCAL_ROOM / "torn"
    torn.mkdir()
    (torn / "directory").mkdir()
    (torn / "link").symlink_to("/dev/zero")
    (torn / "empty").write_bytes(b"")
    with recovering(tmp_path) as governance:
        assert governance.lost().lost == ()
    (tmp_path / LEDGER_FILE).unlink()
    (tmp_path / LEDGER_FILE).mkdir()
    with recovering(tmp_path) as governance, pytest.raises(LedgerUnavailableError):
        governance.lost()


def test_records_in_any_file_of_the_ledger_are_not_lost(ledger: Ledger, tmp_path: Path) -> None:
    for name in "abc":
        ledger.append(edit(name))
    lines = lines_of(tmp_path)
    for room, line in (("archive/agent_trace-1.jsonl", lines[0]), ("trace/1.jsonl", lines[2])):
        path = tmp_path / ".orchestration" / room
        path.parent.mkdir()
        path.write_bytes(line)
    put_lines(tmp_path, lines[1:2])
    with recovering(tmp_path) as governance:
        assert governance.lost().lost == ()


def test_a_segment_that_was_removed_comes_back(repository: Repository) -> None:
    govern(repository, "ledger: segments")
    root = repository.root
    with closing(governed_ledger(root, RulesCache(root))) as ledger:
        made = [ledger.append(edit(name)) for name in "abc"]
        (segment,) = (root / ".orchestration" / "trace").iterdir()
        before = segment.read_bytes()
        segment.unlink()
        assert recover(root) == Recovered(3, 0)
        found = [path.read_bytes() for path in segment.parent.iterdir()]
        assert found == [before]
        assert not (root / LEDGER_FILE).exists()
        assert [ledger.index.find(record.id) for record in made] == made
        assert ledger.verify().ok


@given(st.lists(st.integers(0, 7), max_size=8), st.integers(0, 3))
def test_whatever_is_taken_every_record_is_there_again_once(
    tmp_path_factory: pytest.TempPathFactory, taken: list[int], since: int
) -> None:
    root = tmp_path_factory.mktemp("root")
    ledger = ledger_at(root)
    for number in range(8):
        ledger.append(edit(f"{number}"))
    records, lines = records_of(root), lines_of(root)
    put_lines(root, [line for number, line in enumerate(lines) if number not in taken])
    records += [ledger.append(edit("since")) for _ in range(since)]
    ledger.close()
    recover(root)
    assert sorted(map(repr, map(content, records_of(root)))) == sorted(
        map(repr, map(content, records))
    )
    if set(taken) == set(range(8 - len(set(taken)), 8)):
        assert set(lines) <= set(lines_of(root))
        assert ledger_at(root).verify().ok


def test_pruning_without_a_repository_is_nothing(ledger: Ledger, tmp_path: Path) -> None:
    ledger.append(edit())
    Recovery(tmp_path, ledger, lambda: None).prune()
    assert list(Journal(tmp_path / LOCAL_ROOM).lines()) == lines_of(tmp_path)
