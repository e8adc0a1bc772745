"""An index that is made in batches is what row after row would have made it, or is empty."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.support.ledger_maker import lines
from intent_lsp.core.approvals import Grant
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import MutationClass, RecordFile, ScopeValidation
from intent_lsp.store.fs.sqlite_file import transaction
from intent_lsp.store.ledger.index.build import add, catch_up
from intent_lsp.store.ledger.index.database import IndexDatabase
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Ledger
from intent_lsp.store.ledger.raw.files import SEGMENT_ROOM, LedgerFiles
from tests.support.ledgers import HASH, START, edit, ledger_at, lines_of, new_id, put_lines

INDEX = Path(LOCAL_ROOM, "index.sqlite3")
RECORDS = 40
BATCH = 6_000
PATIENCE = 30
"""Seconds after which what does not come is waited for no longer."""
SPELLING = RecordFile(
    relative_path="new/\udcff", previous_path="öld", pre_hash=HASH, post_hash=HASH
)
GRANT = Grant(patterns=("x",), reason=None, granted_by="s1", expires_at=None)
TABLES = ("record", "touched", "latest", "named", "granted", "source")

BUILDING = """
import sys
from pathlib import Path
from intent_lsp.store.ledger.index import build
from intent_lsp.store.ledger.index.index import Index
root, at = Path(sys.argv[1]), int(sys.argv[2])
build._BATCH = 6_000
told = []
def progress(done, everything):
    told.append(done)
    if len(told) == at:
        print("held", flush=True)
        sys.stdin.readline()
if not at:
    print("asking", flush=True)
index = Index(root / sys.argv[3], root)
index.refresh(progress)
print(index.count(), len(told))
"""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a small ledger for a large one."""
    monkeypatch.setattr("intent_lsp.store.ledger.index.build._BATCH", BATCH)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put_lines(tmp_path, [*lines(RECORDS)])
    return tmp_path


@contextmanager
def building(root: Path, at: int) -> Iterator[subprocess.Popen[str]]:
    """Build the index in a process, held where progress is told for the `at`th time."""
    words = [sys.executable, "-c", BUILDING, str(root), str(at), str(INDEX)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() in ("held\n", "asking\n")
        try:
            yield child
        finally:
            child.kill()


def rows(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}  # noqa: S608 -- constants
    # In whatever order names were first met: what counts is whose number a row has.
    names = dict(connection.execute("SELECT number, text FROM name"))
    found["names"] = sorted((name,) for name in names.values())
    found["record"] = [
        (*row[:6], names.get(row[6]), names[row[7]], *row[8:]) for row in found["record"]
    ]
    found["latest"] = sorted((names[intent], *row) for intent, *row in found["latest"])
    found["schema"] = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    found["wrong"] = connection.execute("PRAGMA integrity_check").fetchall()
    return found


def kept(root: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(root / INDEX)) as connection:
        return rows(connection)


def made(root: Path, batch: int, at_once: int) -> dict[str, list[tuple[object, ...]]]:
    """Make an index in memory, of batches so large."""
    stamps, database = LedgerFiles(root).stamp(), IndexDatabase(None)

    def work(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
        catch_up(connection, root, stamps)
        return rows(connection)

    with pytest.MonkeyPatch.context() as patch, closing(database):
        patch.setattr("intent_lsp.store.ledger.index.build._BATCH", batch)
        patch.setattr("intent_lsp.store.ledger.index.build._AT_ONCE", at_once)
        return database.run(work)


def pool() -> list[bytes]:
    """Lines of every sort: straight ones, of one moment, a grant, odd names, torn and changed."""
    with tempfile.TemporaryDirectory() as directory:
        ledger = ledger_at(Path(directory))
        for number in range(12):
            ledger.append(edit(f"src/{number % 3}.py", session_id=f"s{number % 2}"))
        ledger.append(
            edit(
                tool_name="intent/grant",
                mutation_class=MutationClass.CONFIGURATION,
                scope_validation=ScopeValidation.EXEMPT,
                files=(),
                grant=GRANT,
            )
        )
        ledger.append(edit(files=(SPELLING,), intent_id=None, intent_hash=None))
        for number in range(4):
            ledger.append(edit(f"src/{number % 3}.py"))
        found = lines_of(Path(directory))
        ledger.close()
    changed = found[3].replace(b"editor/save", b"editor/sane")
    return [*found, *lines(12), changed, b"nonsense\n", b"\n"]


POOL = pool()
runs = st.lists(
    st.tuples(st.integers(0, len(POOL) - 1), st.integers(1, 9)).map(
        lambda run: POOL[run[0] : sum(run)]
    ),
    max_size=5,
).map(lambda found: b"".join(chain(*found)))


@given(st.lists(runs, min_size=1, max_size=3), st.sampled_from([600, 2_500, 9_000]))
def test_an_index_made_in_batches_is_what_row_after_row_makes(
    files: list[bytes], batch: int
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / SEGMENT_ROOM).mkdir(parents=True)
        names = [LEDGER_FILE, f"{SEGMENT_ROOM}/a.jsonl", f"{SEGMENT_ROOM}/b.jsonl"]
        for name, data in zip(names, files, strict=False):
            (root / name).write_bytes(data)
        # One line at a time is parsed there, and all lines of a file are inserted at once.
        assert made(root, batch, 2_000) == made(root, 10**9, 0)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("left", [2, 20])
def test_a_file_that_shrinks_while_it_is_read_is_indexed_as_it_is(root: Path, left: int) -> None:
    size = sum(map(len, lines_of(root)[:left]))
    with closing(ledger_at(root)) as ledger:
        ledger.index.refresh(lambda _done, _all: os.truncate(root / LEDGER_FILE, size))
        ledger.index.refresh()
        assert ledger.index.count() == left


def test_records_of_one_moment_keep_their_order(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, lambda: START, new_id)
    found = [ledger.append(edit(f"{number}")) for number in range(9)]
    ledger.close()
    (tmp_path / INDEX).unlink()
    assert made(tmp_path, 2_500, 2_000)["record"] == made(tmp_path, 10**9, 0)["record"]
    assert list(ledger.index.query(Query(), limit=9).records) == found[::-1]


@pytest.mark.usefixtures("small")
def test_a_build_that_is_stopped_by_an_error_leaves_nothing(root: Path) -> None:
    ledger = ledger_at(root)

    def refusing(_done: int, _all: int) -> None:
        raise KeyboardInterrupt

    with closing(ledger):
        with pytest.raises(KeyboardInterrupt):
            ledger.index.refresh(refusing)
        assert [len(kept(root)[name]) for name in TABLES] == [0] * len(TABLES)
        assert ledger.index.count() == RECORDS


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("at", [1, 5])
def test_a_process_that_is_killed_while_it_builds_leaves_an_empty_index(
    root: Path, at: int
) -> None:
    whole = made(root, BATCH, 128 * 1024)
    with building(root, at) as child:
        child.kill()
        child.wait()
    found = kept(root)
    assert [len(found[name]) for name in TABLES] == [0] * len(TABLES)
    assert found["schema"] == whole["schema"]
    with closing(ledger_at(root)) as ledger:
        assert ledger.index.count() == RECORDS
        assert len(ledger.index.query(Query(), limit=99).records) == RECORDS
    assert kept(root) == whole


def test_two_processes_that_ask_at_once_build_one_index(root: Path) -> None:
    with building(root, 1) as one, building(root, 0) as other:
        assert one.communicate("go on\n")[0].split()[0] == str(RECORDS)
        # It is told of no progress, because it makes none of its own.
        assert other.communicate()[0].split() == [str(RECORDS), "0"]
    assert len(kept(root)["record"]) == RECORDS


def test_while_another_process_builds_records_are_appended(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.index.index.MAX_LAG", BATCH)
    with building(root, 1) as child, closing(ledger_at(root)) as ledger:
        appended = [ledger.append(edit()) for _ in range(3)]
        child.communicate("go on\n")
        assert ledger.index.query(Query(), limit=3).records == tuple(appended[::-1])
        assert ledger.index.count() == RECORDS + len(appended)
    assert len(kept(root)["record"]) == RECORDS + len(appended)


def test_an_append_does_not_wait_until_another_process_has_read_other_files(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.index.database._WAIT_SECONDS", 2.0 * PATIENCE)
    other = IndexDatabase(root / INDEX)
    with ThreadPoolExecutor(1) as thread, closing(ledger_at(root)) as ledger, closing(other):
        ledger.append(edit())
        ledger.index.refresh()
        holder = other.run(lambda connection: connection)
        holder.execute("BEGIN IMMEDIATE")
        try:
            thread.submit(ledger.append, edit()).result(timeout=PATIENCE)
        finally:
            holder.execute("ROLLBACK")
        assert ledger.index.count() == RECORDS + 2


@pytest.mark.parametrize(("patience", "waited"), [(3, True), (1, False)])
def test_a_database_in_use_is_waited_for_as_long_as_patience_lasts(
    root: Path, monkeypatch: pytest.MonkeyPatch, patience: int, *, waited: bool
) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.index.database._WAIT_SECONDS", 0.01)
    (root / LOCAL_ROOM).mkdir()
    database, other = IndexDatabase(root / INDEX), IndexDatabase(root / INDEX)
    holder = other.run(lambda connection: connection)
    holder.execute("BEGIN IMMEDIATE")
    tried = []

    def work(connection: sqlite3.Connection) -> str:
        tried.append(connection)
        if len(tried) == 4:
            holder.execute("ROLLBACK")
        with transaction(connection):
            file: str = connection.execute("PRAGMA database_list").fetchone()[2]
        return file

    with closing(database), closing(other):
        found = database.run(work, patience)
    assert found == (str(root / INDEX) if waited else "")


def test_what_was_indexed_after_the_stamps_were_taken_stays_in_the_index(root: Path) -> None:
    """As of a process that waits while others add to the ledger, and index that."""
    stamps = LedgerFiles(root).stamp()
    (root / SEGMENT_ROOM).mkdir()
    (root / SEGMENT_ROOM / "a.jsonl").write_bytes(b"".join(lines(9)))
    with closing(ledger_at(root)) as ledger:
        ledger.index.refresh()
    before = kept(root)
    with closing(IndexDatabase(root / INDEX)) as database:
        assert len(database.run(lambda connection: catch_up(connection, root, stamps))) == 2
    assert kept(root) == before


def test_what_another_process_has_built_is_not_built_again(root: Path) -> None:
    with closing(ledger_at(root)) as ledger:
        ledger.index.refresh()
    before = kept(root)
    told: list[int] = []
    with closing(ledger_at(root)) as ledger:
        ledger.index.refresh(lambda done, _all: told.append(done))
    assert not told
    assert kept(root) == before


def test_what_the_index_does_not_follow_yet_is_not_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.store.ledger.index.database._WAIT_SECONDS", 0.01)
    (root / LOCAL_ROOM).mkdir()
    database, other = IndexDatabase(root / INDEX), IndexDatabase(root / INDEX)
    (stamp,) = LedgerFiles(root).stamp()
    with closing(database), closing(other):
        other.run(lambda connection: connection).execute("BEGIN IMMEDIATE")
        connection = database.run(lambda connection: connection)
        # A wait would end in an error.
        add(connection, stamp, stamp.size, b"", [])
        assert connection.execute("SELECT count(*) FROM source").fetchone() == (0,)
