"""The index over many files: one order, one count, and no trace of a file that is gone."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.approvals import Grant
from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.records import MutationClass, Record, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.index_keys import (
    key64,
    moment_of,
)
from intent_lsp.store.ledger.index.queries import Query, RecordPage
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.file import opened
from intent_lsp.store.ledger.raw.files import ARCHIVE_ROOM, SEGMENT_ROOM
from tests.support.ledgers import START, edit, ledger_at, lines_of, new_id, put_lines


class Writer:
    """One clone's ledger in segments, whose clock is set by hand."""

    def __init__(self, root: Path) -> None:
        self.root, self.seconds = root, 0
        self.ledger = Ledger(root, self.now, new_id, form=lambda: LedgerForm.SEGMENTS)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def append(self, second: int, **told: object) -> Record:
        self.seconds = second
        return self.ledger.append(edit(f"src/{second % 2}.py", **told))

    def segment(self) -> Path:
        (path,) = (self.root / SEGMENT_ROOM).glob("*.jsonl")
        return path


@pytest.fixture
def writers(tmp_path: Path) -> tuple[Writer, Writer]:
    return Writer(tmp_path / "ours"), Writer(tmp_path / "theirs")


@pytest.fixture
def root(tmp_path: Path, writers: tuple[Writer, Writer]) -> Path:
    for writer in writers:
        writer.root.mkdir()
    return tmp_path / "joined"


@pytest.fixture
def records(root: Path, writers: tuple[Writer, Writer]) -> list[Record]:
    """Records of two writers in turn, joined below `root` as git would."""
    found = [writers[second % 3 % 2].append(second) for second in range(10)]
    join(root, writers)
    return found


@pytest.fixture
def ledger(root: Path) -> Iterator[Ledger]:
    ledger = ledger_at(root)
    yield ledger
    ledger.close()


def join(root: Path, writers: tuple[Writer, ...]) -> None:
    room = root / SEGMENT_ROOM
    room.mkdir(parents=True, exist_ok=True)
    for writer in writers:
        path = writer.segment()
        (room / path.name).write_bytes(path.read_bytes())


def asked(ledger: Ledger, query: Query, limit: int = 99) -> list[Record]:
    return list(ledger.index.query(query, limit=limit).records)


def test_records_of_two_writers_come_newest_first(ledger: Ledger, records: list[Record]) -> None:
    assert asked(ledger, Query()) == records[::-1]
    assert asked(ledger, Query(), 3) == records[:-4:-1]
    path = WorkspacePath("src/1.py")
    assert asked(ledger, Query(path=path)) == records[::-2]
    since = records[4].timestamp
    assert asked(ledger, Query(since=since)) == records[:3:-1]
    assert asked(ledger, Query(since=since, path=path)) == [records[9], records[7], records[5]]
    assert asked(ledger, Query(intent_ids=["INT-001"], session_ids=["s1"])) == records[::-1]
    assert ledger.index.starting_with("", limit=2) == tuple(records[:2])
    assert all(ledger.index.find(record.id) == record for record in records)


@pytest.mark.parametrize("limit", [1, 3, 9])
def test_pages_go_on_from_file_to_file(ledger: Ledger, records: list[Record], limit: int) -> None:
    found: list[Record] = []
    page = RecordPage((), None)
    while page.cursor is not None or not found:
        page = ledger.index.query(Query(), limit=limit, cursor=page.cursor)
        found += page.records
    assert found == records[::-1]


def test_records_of_one_moment_are_each_shown_once(root: Path, tmp_path: Path) -> None:
    writers = tuple(Writer(tmp_path / name) for name in ("one", "other"))
    for writer in writers:
        writer.root.mkdir(exist_ok=True)
    made = [writer.append(0) for _ in range(3) for writer in writers]
    join(root, writers)
    ledger = ledger_at(root)
    found: list[Record] = []
    page = RecordPage((), None)
    while page.cursor is not None or not found:
        page = ledger.index.query(Query(), limit=1, cursor=page.cursor)
        found += page.records
    assert sorted(record.id for record in found) == sorted(record.id for record in made)
    for records in (made[::2], made[1::2]):
        assert [record for record in found if record in records] == records[::-1]


def test_a_clock_that_went_back_in_one_file_leaves_the_order_of_its_lines(
    ledger: Ledger, root: Path, writers: tuple[Writer, Writer]
) -> None:
    ours, theirs = writers
    late, early = ours.append(50), ours.append(10)
    between = theirs.append(30)
    join(root, writers)
    assert asked(ledger, Query()) == [early, late, between]
    assert asked(ledger, Query(since=between.timestamp)) == [late, between]


def unlink(path: Path) -> None:
    path.unlink()


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def exchange(path: Path) -> None:
    """Have the same lines in another order, in a file of the same size."""
    first, second, *others = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    path.write_bytes(b"".join([second, first, *others]))


@pytest.mark.parametrize("change", [unlink, shorten, empty, exchange])
@pytest.mark.parametrize("number", [0, 1])
def test_a_file_that_is_gone_or_another_is_forgotten_alone(
    ledger: Ledger, root: Path, records: list[Record], change: Callable[[Path], None], number: int
) -> None:
    assert ledger.index.count() == len(records)
    path = sorted((root / SEGMENT_ROOM).iterdir())[number]
    before = path.read_bytes()
    change(path)
    held = b"".join(each.read_bytes() for each in (root / SEGMENT_ROOM).iterdir())
    left = [record for record in records if record.id.encode() in held]
    assert {each.id for each in asked(ledger, Query())} == {each.id for each in left}
    path_query = Query(path=WorkspacePath("src/1.py"))
    assert len(asked(ledger, path_query)) == sum("src/1" in r.files[0].relative_path for r in left)
    assert ledger.index.count() == len(left)
    assert {head.hash for head in ledger.index.heads()} == {
        head.hash for head in ledger.verify().heads
    }
    path.write_bytes(before)
    assert asked(ledger, Query()) == records[::-1]


def test_the_end_of_a_file_is_open_again_when_the_one_that_followed_it_is_gone(
    ledger: Ledger, root: Path, writers: tuple[Writer, Writer]
) -> None:
    ours, _ = writers
    first = ours.append(1)
    path = ours.segment()
    join(root, (ours,))
    (ours.root / LOCAL_ROOM / "segment").unlink()
    second = ours.append(2)
    (other,) = set((ours.root / SEGMENT_ROOM).iterdir()) - {path}
    target = root / SEGMENT_ROOM / other.name
    target.write_bytes(other.read_bytes())
    assert [head.hash for head in ledger.index.heads()] == [second.integrity.record_hash]
    target.unlink()
    assert [head.hash for head in ledger.index.heads()] == [first.integrity.record_hash]


def test_a_record_that_stands_in_two_files_outlives_either(
    ledger: Ledger, root: Path, records: list[Record]
) -> None:
    path = min((root / SEGMENT_ROOM).iterdir())
    twin = root / ARCHIVE_ROOM / "agent_trace-1-2.jsonl"
    twin.parent.mkdir()
    for one, other in ((path, twin), (twin, path)):
        other.write_bytes(one.read_bytes())
        assert asked(ledger, Query()) == records[::-1]
        one.unlink()
        assert asked(ledger, Query()) == records[::-1]
        assert ledger.index.count() == len(records)


def test_building_is_told_over_all_files(
    ledger: Ledger, root: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert records
    monkeypatch.setattr("intent_lsp.store.ledger.index.build._BATCH", 600)
    told: list[tuple[int, int]] = []
    ledger.index.refresh(lambda done, everything: told.append((done, everything)))
    size = sum(path.stat().st_size for path in (root / SEGMENT_ROOM).iterdir())
    assert told[-1] == (size, size)
    assert sorted(told) == told
    assert len(told) == len(records)


def test_nothing_is_read_again_while_no_file_changes(
    ledger: Ledger, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ledger.index.count() == len(records)
    monkeypatch.setattr("intent_lsp.store.ledger.index.build.opened", None)
    assert ledger.index.count() == len(records)


def grant() -> dict[str, object]:
    return {
        "tool_name": "intent/grant",
        "mutation_class": MutationClass.CONFIGURATION,
        "scope_validation": ScopeValidation.EXEMPT,
        "files": (),
        "grant": Grant(patterns=("x",), reason=None, granted_by="s1", expires_at=None),
    }


class TestGrants:
    """A grant counts where its link joins, in whatever file that is."""

    query = Query(grants=True)

    def test_at_the_end_of_a_writers_segment_count_beside_another_writers(
        self, ledger: Ledger, root: Path, writers: tuple[Writer, Writer]
    ) -> None:
        ours, theirs = writers
        theirs.append(1)
        granted = ours.append(2, **grant())
        join(root, writers)
        assert asked(ledger, self.query) == [granted]

    def test_that_follow_a_missing_file_count_once_it_is_there(
        self, ledger: Ledger, root: Path, writers: tuple[Writer, Writer]
    ) -> None:
        ours, _ = writers
        ours.append(1)
        first = ours.segment()
        (ours.root / LOCAL_ROOM / "segment").unlink()
        granted = ours.append(2, **grant())
        (second,) = set((ours.root / SEGMENT_ROOM).iterdir()) - {first}
        room = root / SEGMENT_ROOM
        room.mkdir(parents=True)
        (room / "a.jsonl").write_bytes(second.read_bytes())
        assert asked(ledger, self.query) == []
        (room / "b.jsonl").write_bytes(first.read_bytes())
        assert asked(ledger, self.query) == [granted]
        (room / "b.jsonl").unlink()
        assert asked(ledger, self.query) == []

    def test_that_name_a_later_line_of_their_own_file_do_not_count(self, tmp_path: Path) -> None:
        ledger = ledger_at(tmp_path)
        ledger.append(edit())
        ledger.append(edit("src/a.py", **grant()))
        first, second = lines_of(tmp_path)
        put_lines(tmp_path, [second, first])
        assert asked(ledger, self.query) == []


def refuse(monkeypatch: pytest.MonkeyPatch, hidden: Path) -> None:
    """Let nobody open the ledger file `hidden`."""

    def refusing(path: Path) -> AbstractContextManager[int | None]:
        if path == hidden:
            raise LedgerUnavailableError(path=str(path), problem="Permission denied")
        return opened(path)

    for name in ("index.build", "verify.verify"):
        monkeypatch.setattr(f"intent_lsp.store.ledger.{name}.opened", refusing)


def test_an_unreadable_segment_stops_no_answer(
    ledger: Ledger, root: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = min((root / SEGMENT_ROOM).iterdir())
    held = hidden.read_bytes()
    refuse(monkeypatch, hidden)
    found = asked(ledger, Query())
    assert found == [record for record in records[::-1] if record.id.encode() not in held]
    unreadable = LedgerCode.UNREADABLE_FILE
    named = [each.file for each in ledger.verify().problems if each.code is unreadable]
    assert named == [f"{SEGMENT_ROOM}/{hidden.name}"]


def test_an_unreadable_segment_makes_no_other_file_be_read_again(
    ledger: Ledger, root: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden, copied = sorted((root / SEGMENT_ROOM).iterdir())
    (copied.parent / "z.jsonl").write_bytes(copied.read_bytes())
    refuse(monkeypatch, hidden)
    count = ledger.index.count()
    assert 0 < count < len(records)
    told: list[int] = []
    ledger.index.refresh(lambda done, _everything: told.append(done))
    assert not told
    assert ledger.index.count() == count


def test_a_file_that_git_takes_away_while_it_is_asked_costs_no_more_than_its_records(
    ledger: Ledger, root: Path, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = min((root / SEGMENT_ROOM).iterdir())
    held = hidden.read_bytes()
    database = root / LOCAL_ROOM / "index.sqlite3"
    assert ledger.index.count() == len(records)

    def late(path: Path) -> AbstractContextManager[int | None]:
        hidden.unlink(missing_ok=True)
        return opened(path)

    before = database.stat().st_ino
    monkeypatch.setattr("intent_lsp.store.ledger.index.index.opened", late)
    found = asked(ledger, Query())
    assert found == [record for record in records[::-1] if record.id.encode() not in held]
    assert database.stat().st_ino == before


@given(st.datetimes(), st.datetimes())
def test_moments_grow_with_time(one: datetime, other: datetime) -> None:
    spelled = [timestamp(each.replace(tzinfo=UTC)) for each in sorted([one, other])]
    assert moment_of(spelled[0]) <= moment_of(spelled[1])
    assert (moment_of(spelled[0]) < moment_of(spelled[1])) == (spelled[0] < spelled[1])


@given(st.text() | st.from_regex(r"[0-9TZ:.\-]+", fullmatch=True))
def test_a_number_fits_into_the_index_whatever_the_text(text: str) -> None:
    for number in (key64(text), moment_of(text) + 10**9):
        assert -(2**63) <= number < 2**63


def test_an_index_that_names_other_lines_is_built_anew(
    ledger: Ledger, root: Path, records: list[Record]
) -> None:
    assert ledger.index.count() == len(records)
    with sqlite3.connect(root / LOCAL_ROOM / "index.sqlite3") as connection:
        connection.execute("UPDATE record SET offset = offset + 1 WHERE source = 1")
    connection.close()
    assert asked(ledger, Query()) == records[::-1]


def test_a_path_is_not_listed_after_its_only_records_are_gone(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    for name in ("src/kept.py", "src/gone.py"):
        ledger.append(edit(name))
    kept, gone = lines_of(tmp_path)
    archived = tmp_path / ARCHIVE_ROOM / "agent_trace-1.jsonl"
    archived.parent.mkdir()
    archived.write_bytes(kept)
    put_lines(tmp_path, [gone])
    assert ledger.index.paths(limit=9) == ("src/gone.py", "src/kept.py")
    put_lines(tmp_path, [])
    assert ledger.index.paths(limit=9) == ("src/kept.py",)
    assert ledger.index.paths(limit=0) == ()
    ledger.close()
