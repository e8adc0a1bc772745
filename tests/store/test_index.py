"""The index answers from the ledger's lines, and is built anew whenever it does not fit them."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE, WorkspacePath
from intent_lsp.core.records import Record, RecordFile, ScopeValidation
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import PageCursor, Query, RecordPage
from intent_lsp.store.ledger.index.work_queries import count_of
from intent_lsp.store.ledger.ledger import Ledger
from tests.support.ledgers import HASH, edit, ledger_at, lines_of, put_lines

INDEX = Path(".orchestration/.local/index.sqlite3")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return ledger_at(tmp_path)


@pytest.fixture
def records(ledger: Ledger) -> list[Record]:
    """Twelve records, three intents and two sessions in turn."""
    return [
        ledger.append(
            edit(
                f"src/{number % 4}.py",
                intent_id=f"INT-{number % 3}" if number % 3 else None,
                session_id=f"s{number % 2}",
                scope_validation=ScopeValidation.FAIL if number % 5 == 4 else ScopeValidation.PASS,
            )
        )
        for number in range(12)
    ]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait no second for a database that another holds."""
    monkeypatch.setattr("intent_lsp.store.ledger.index.database._WAIT_SECONDS", 0.01)


def asked(ledger: Ledger, query: Query, limit: int = 100) -> list[Record]:
    return list(ledger.index.query(query, limit=limit).records)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        (Query(), range(12)),
        (Query(intent_ids=["INT-1"]), [1, 4, 7, 10]),
        (Query(intent_ids=["INT-1", "INT-2", "INT-1"]), [1, 2, 4, 5, 7, 8, 10, 11]),
        (Query(intent_ids=[]), []),
        (Query(intent_ids=["INT-9"]), []),
        (Query(path=WorkspacePath("src/3.py")), [3, 7, 11]),
        (Query(path=WorkspacePath("src/3.py"), intent_ids=["INT-1"]), [7]),
        (Query(path=WorkspacePath("src/9.py")), []),
        (Query(session_ids=("s1",)), [1, 3, 5, 7, 9, 11]),
        (Query(session_ids=("s1",), path=WorkspacePath("src/1.py")), [1, 5, 9]),
        (Query(passing=True), [0, 1, 2, 3, 5, 6, 7, 8, 10, 11]),
        (Query(passing=False), [4, 9]),
        (Query(since="2026-11-21T20:27:43.123Z"), [10, 11]),
        (Query(since="2026-11-21T20:27:43.124Z"), [11]),
        (Query(since="2026-11-21T20:27:00.000Z"), range(12)),
        (Query(since="2027-01-01T00:00:00.000Z"), []),
        (Query(since="2026-11-21T20:27:40.000Z", path=WorkspacePath("src/3.py")), [7, 11]),
    ],
    ids=str,
)
def test_every_narrowing_gives_its_records_newest_first(
    ledger: Ledger, records: list[Record], query: Query, numbers: list[int]
) -> None:
    assert asked(ledger, query) == [records[number] for number in reversed(list(numbers))]


@pytest.mark.parametrize("query", [Query(), Query(intent_ids=["INT-1", "INT-2"])], ids=str)
@pytest.mark.parametrize("limit", [1, 3, 4, 100])
def test_pages_joined_are_the_whole_answer(
    ledger: Ledger, records: list[Record], query: Query, limit: int
) -> None:
    assert records
    found: list[Record] = []
    page: RecordPage = ledger.index.query(query, limit=limit)
    while True:
        found += page.records
        if page.cursor is None:
            break
        page = ledger.index.query(query, limit=limit, cursor=page.cursor)
    assert found == asked(ledger, query)


def test_a_page_of_none_and_a_cursor_from_elsewhere_are_no_error(
    ledger: Ledger, records: list[Record]
) -> None:
    assert ledger.index.query(Query(), limit=0) == RecordPage((), None)
    assert ledger.index.query(Query(), limit=5, cursor=PageCursor(-3)) == RecordPage((), None)
    assert ledger.index.query(Query(), limit=5, cursor=PageCursor(99)) == RecordPage((), None)
    far = ledger.index.query(Query(), limit=10**30, cursor=PageCursor(10**30))
    assert far == RecordPage(tuple(records[::-1]), None)
    assert ledger.index.query(Query(), limit=-1).records == ()


def test_a_page_goes_on_where_it_ended_though_more_was_appended(
    ledger: Ledger, records: list[Record]
) -> None:
    page = ledger.index.query(Query(), limit=2)
    ledger.append(edit())
    following = ledger.index.query(Query(), limit=1, cursor=page.cursor)
    assert following.records == (records[9],)


def test_the_newest_record_of_a_path_and_the_newest_that_passed(
    ledger: Ledger, records: list[Record]
) -> None:
    assert records
    path = WorkspacePath("src/9.py")
    passed = ledger.append(edit(path))
    failed = ledger.append(edit(path, scope_validation=ScopeValidation.FAIL))
    unhappened = ledger.append(edit(path, success=False, error="no"))
    assert ledger.index.newest_for_path(path) == unhappened
    assert ledger.index.newest_passing_for_path(path) == passed
    assert ledger.index.newest_for_path(WorkspacePath("src/none.py")) is None
    assert ledger.index.newest_passing_for_path(WorkspacePath("src/none.py")) is None
    assert failed in asked(ledger, Query(path=path))


@pytest.mark.parametrize(
    ("names", "count"),
    [(["INT-1"], 4), (["INT-1", "INT-2", "INT-1"], 8), (["INT-9"], 0), ([], 0), (['"'], 0)],
)
@pytest.mark.usefixtures("records")
def test_the_records_of_some_intents_are_counted(
    ledger: Ledger, names: list[str], count: int
) -> None:
    assert ledger.index.work(lambda it: count_of(it, names)) == count


def test_a_count_does_not_grow_with_the_records_of_others(ledger: Ledger) -> None:
    """The ledger may have 100,000 records, and each code lens shows the count of one intent."""
    steps = []
    for number in range(300):
        ledger.append(edit("a.py", intent_id=f"INT-{number}" if number < 100 else "INT-7"))
        if number in (99, 299):
            steps.append(ledger.index.work(lambda it: _steps(it, ["INT-8"])))
    assert steps[0] == steps[1]
    assert ledger.index.work(lambda it: count_of(it, ["INT-7"])) == 201


def _steps(connection: sqlite3.Connection, names: list[str]) -> int:
    """Return how many steps the database takes to count."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(step, 1)
    try:
        count_of(connection, names)
    finally:
        connection.set_progress_handler(None, 0)
    return steps


def test_a_rename_is_found_by_both_names_even_those_that_are_no_text(ledger: Ledger) -> None:
    file = RecordFile(
        relative_path="new/\udcff", previous_path="old", pre_hash=HASH, post_hash=HASH
    )
    record = ledger.append(edit(files=(file,)))
    assert ledger.index.newest_for_path(WorkspacePath("new/\udcff")) == record
    assert ledger.index.newest_for_path(WorkspacePath("old")) == record


def test_a_record_is_found_by_its_id(ledger: Ledger, records: list[Record]) -> None:
    assert ledger.index.find(records[3].id) == records[3]
    for wrong in ("", "nonsense", records[3].id[:-1] + "x", "0" * 36):
        assert ledger.index.find(wrong) is None


def test_records_are_found_by_the_first_digits_of_their_ids(
    ledger: Ledger, records: list[Record]
) -> None:
    for digits in (records[3].id, records[3].id[:11], records[3].id.upper()):
        assert ledger.index.starting_with(digits, limit=5) == (records[3],)
    assert ledger.index.starting_with("", limit=3) == tuple(records[:3])
    assert ledger.index.starting_with("nonsense", limit=3) == ()


def test_a_clock_that_went_back_hides_no_record_from_since(tmp_path: Path) -> None:
    late, early = ledger_at(tmp_path), ledger_at(tmp_path)
    for _ in range(3):
        late.append(edit("late"))
    early.append(edit("early"))
    last = late.append(edit("late"))
    found = late.index.query(Query(since=last.timestamp), limit=9).records
    assert found == (last,)
    assert len(late.index.query(Query(since="2026-11-21T20:27:35.000Z"), limit=9).records) == 2


def remove(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def garble(path: Path) -> None:
    path.write_bytes(b"no database at all" * 400)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def of_another_version(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def lose_a_table(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE touched")
    connection.close()


def garble_a_row(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE source SET state = x'00'")
    connection.close()


def name_other_lines(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE record SET offset = offset + 1")
    connection.close()


def lock_for_good(path: Path) -> None:
    """Leave a write transaction open, as a stopped process would."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM source")
    connection.execute("BEGIN IMMEDIATE")
    HELD.append(connection)


HELD: list[sqlite3.Connection] = []


@pytest.mark.parametrize(
    "damage",
    [
        remove,
        cut,
        garble,
        empty,
        replace_by_directory,
        of_another_version,
        lose_a_table,
        garble_a_row,
        name_other_lines,
        lock_for_good,
    ],
)
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_an_index_that_is_damaged_in_any_way_is_built_anew(
    ledger: Ledger,
    records: list[Record],
    tmp_path: Path,
    damage: Callable[[Path], None],
    *,
    closed: bool,
) -> None:
    if closed:
        ledger.close()
        for suffix in ("-wal", "-shm"):
            Path(f"{tmp_path / INDEX}{suffix}").unlink(missing_ok=True)
    damage(tmp_path / INDEX)
    try:
        assert asked(ledger, Query()) == records[::-1]
        assert ledger.index.count() == 12
        added = ledger.append(edit())
        assert asked(ledger, Query(), 1) == [added]
    finally:
        while HELD:
            HELD.pop().close()


def test_a_ledger_that_shrank_grew_or_changed_is_read_anew(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    lines = lines_of(tmp_path)
    for kept in (lines[:5], lines[:9], [], lines[2:], lines):
        put_lines(tmp_path, kept)
        assert ledger.index.count() == len(kept)
        expected = [record for record in records if f'"{record.id}"'.encode() in b"".join(kept)]
        assert asked(ledger, Query()) == expected[::-1]


def test_a_line_that_is_being_written_is_no_record_yet(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    whole = (tmp_path / LEDGER_FILE).read_bytes()
    put_lines(tmp_path, [whole[:-40]])
    assert ledger.index.count() == 11
    put_lines(tmp_path, [whole])
    assert asked(ledger, Query(), 1) == records[-1:]


def test_lines_that_are_no_records_are_passed_over_and_keep_their_numbers(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    lines = lines_of(tmp_path)
    put_lines(tmp_path, [lines[0], b"nonsense\n", *lines[1:]])
    assert ledger.index.count() == 12
    assert [head.line for head in ledger.index.heads()] == [13]
    assert asked(ledger, Query(since=records[1].timestamp)) == records[:0:-1]


def test_a_record_that_is_spelled_otherwise_or_changed_is_still_shown(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    lines = lines_of(tmp_path)
    lines[1] = lines[1].replace(b'"id":', b'"id": ')
    lines[2] = lines[2].replace(b"editor/save", b"editor/sane")
    put_lines(tmp_path, lines)
    assert [record.id for record in asked(ledger, Query())] == [
        record.id for record in reversed(records)
    ]


def test_the_same_line_twice_is_one_record(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    lines = lines_of(tmp_path)
    put_lines(tmp_path, [*lines, lines[4], lines[-1]])
    assert ledger.index.count() == 12
    assert len(ledger.index.heads()) == 1
    assert asked(ledger, Query()) == records[::-1]


def test_building_is_told_as_it_goes(
    ledger: Ledger, records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert records
    monkeypatch.setattr("intent_lsp.store.ledger.index.build._BATCH", 600)
    ledger.close()
    (tmp_path / INDEX).unlink()
    told: list[tuple[int, int]] = []
    ledger.index.refresh(lambda done, everything: told.append((done, everything)))
    size = (tmp_path / LEDGER_FILE).stat().st_size
    assert told[-1] == (size, size)
    assert len(told) == 12
    assert ledger.index.count() == 12


def test_two_processes_share_the_work_of_building(tmp_path: Path) -> None:
    one, other = ledger_at(tmp_path), ledger_at(tmp_path)
    for _ in range(4):
        one.append(edit())
        assert other.index.count() == one.index.count()
    other.append(edit())
    assert one.index.count() == 5


def test_an_index_without_a_place_of_its_own_lives_in_memory(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    index = Index(tmp_path / "missing" / "deep" / "index.sqlite3", tmp_path)
    assert index.query(Query(), limit=2).records == tuple(records[:-3:-1])
    ledger.append(edit())
    assert index.count() == 13
    index.close()
    assert not (tmp_path / "missing").exists()


def test_a_question_makes_the_private_directory_where_there_is_a_ledger(
    ledger: Ledger, records: list[Record], tmp_path: Path
) -> None:
    lines = lines_of(tmp_path)
    clone = tmp_path / "clone"
    clone.mkdir()
    put_lines(clone, lines)
    assert ledger_at(clone).index.count() == len(records)
    assert (clone / INDEX).exists()
    assert ledger.index.count() == 12
