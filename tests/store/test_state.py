"""The state file: what it keeps, and what becomes of it when it is lost, damaged or contended."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.paths import CONTROL_ROOM, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.fs.local_dir import GITIGNORE_TEXT, ensure_local_directory
from intent_lsp.store.fs.sqlite_file import keep_safe
from intent_lsp.store.locks.file_lock import open_lock_file, try_lock
from intent_lsp.store.state.database import Database
from intent_lsp.store.state.host_contacts import FILES_AT_MOST
from intent_lsp.store.state.schema import lay_out
from intent_lsp.store.state.session_row import SessionRow
from intent_lsp.store.state.sessions_db import BaselineFile, SessionDb

NOON = datetime(2026, 2, 16, 12, tzinfo=UTC)
AT = timestamp(NOON)
A = hash_content(b"a")
B = hash_content(b"b")
PATH = WorkspacePath("src/a.py")
ODD = WorkspacePath("src/\udcff\n [x]/" + "y" * 4000)

ROW = SessionRow(
    session_id="one",
    kind="editor",
    user="ada",
    active_intent="INT-001",
    turn=1,
    stage="execution_authorized",
    started_at=AT,
    last_used_at=AT,
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SessionDb]:
    opened = SessionDb(tmp_path)
    yield opened
    opened.close()


def _dead(_session_id: str) -> bool:
    return False


def test_a_session_is_given_back_as_it_was_put(state: SessionDb) -> None:
    assert state.session("one") is None
    state.put_session(ROW)
    odd = replace(ROW, session_id="\ud800\udcff\0", user="x\ny", active_intent=None, pid=3)
    state.put_session(odd)
    assert state.session("one") == ROW
    assert state.session(odd.session_id) == odd


def test_a_subagent_has_a_row_of_its_own(state: SessionDb) -> None:
    state.put_session(ROW)
    sub = replace(ROW, agent_id="sub", active_intent="INT-002")
    state.put_session(sub)
    assert state.session("one", "sub") == sub
    assert state.session("one") == ROW
    assert state.session("one", "other") is None


def test_a_second_opening_of_the_file_sees_what_the_first_wrote(
    state: SessionDb, tmp_path: Path
) -> None:
    state.put_session(ROW)
    other = SessionDb(tmp_path)
    assert other.session("one") == ROW
    other.put_session(replace(ROW, turn=2))
    other.close()
    seen = state.session("one")
    assert seen is not None
    assert seen.turn == 2


def test_a_row_tells_how_it_goes_on() -> None:
    ended = replace(ROW, ended_at=AT)
    again = ended.reopened("later")
    assert (again.ended_at, again.last_used_at, again.pid) == (None, "later", os.getpid())
    chosen = ROW.choosing(None, "checkout_required", "later")
    assert (chosen.active_intent, chosen.stage) == (None, "checkout_required")


def test_a_session_that_ended_was_used_until_then(state: SessionDb) -> None:
    state.put_session(ROW)
    state.end_session("one", "2026-02-16T13:00:00.000Z")
    ended = state.session("one")
    assert ended is not None
    assert ended.ended_at == ended.last_used_at == "2026-02-16T13:00:00.000Z"


def test_the_last_ended_editor_session_is_the_newest_of_the_user_that_lives_no_more(
    state: SessionDb,
) -> None:
    def put(name: str, hours: int, **changes: object) -> None:
        moment = timestamp(NOON + timedelta(hours=hours))
        row = replace(ROW, session_id=name, last_used_at=moment)
        state.put_session(replace(row, **changes))  # type: ignore[arg-type] # a test's own names

    put("old", 0)
    put("killed", 5)
    put("alive", 6)
    put("agent", 7, kind="agent")
    put("stranger", 7, user="bob")
    put("idle", 7, active_intent=None)
    put("sub", 7, agent_id="x")
    now = NOON + timedelta(hours=8)

    def found() -> str | None:
        row = state.last_ended_editor_session("ada", now=now, is_alive=lambda name: name == "alive")
        return None if row is None else row.session_id

    assert found() == "killed"
    late = state.last_ended_editor_session("ada", now=now + timedelta(days=15), is_alive=_dead)
    assert late is None
    state.end_session("old", timestamp(now))
    assert found() == "old"


def test_a_baseline_tells_listed_files_from_the_rest(state: SessionDb) -> None:
    assert state.baseline_head("one") is None
    assert state.baseline_head("one") is None
    state.replace_baseline("one", "c0ffee", {PATH: A, ODD: None})
    assert state.baseline_head("one") is not None
    assert state.baseline_head("one") == "c0ffee"
    assert state.baseline_of("one", PATH) == BaselineFile(A)
    assert state.baseline_of("one", ODD) == BaselineFile(None)
    assert state.baseline_of("one", WorkspacePath("other")) is None
    assert state.baseline_of("two", PATH) is None


def test_a_new_baseline_leaves_nothing_of_the_one_before(state: SessionDb) -> None:
    state.replace_baseline("one", "c0ffee", {PATH: A})
    state.replace_baseline("two", None, {PATH: B})
    state.replace_baseline("one", None, {})
    assert state.baseline_head("one") is None
    assert state.baseline_head("one") is None
    assert state.baseline_of("one", PATH) is None
    assert state.baseline_of("two", PATH) == BaselineFile(B)


def test_one_file_of_a_baseline_can_move(state: SessionDb) -> None:
    state.replace_baseline("one", "c0ffee", {PATH: A})
    state.move_baseline("one", PATH, None)
    state.move_baseline("one", ODD, B)
    assert state.baseline_of("one", PATH) == BaselineFile(None)
    assert state.baseline_of("one", ODD) == BaselineFile(B)


def test_our_own_last_write_is_known_by_its_hash(state: SessionDb) -> None:
    assert state.own_write(PATH) is None
    state.note_own_write(PATH, A)
    state.note_own_write(PATH, B)
    state.note_own_write(ODD, A)
    assert state.own_write(PATH) == B
    assert state.own_write(ODD) == A


def test_intents_are_listed_by_their_last_selection(state: SessionDb) -> None:
    for at, name in enumerate(["a", "b", "c", "a"]):
        state.note_selected(name, f"2026-02-16T12:00:0{at}.000Z")
    assert state.recent_intents(10) == ("a", "c", "b")
    assert state.recent_intents(1) == ("a",)
    assert state.recent_intents(0) == ()


@given(st.dictionaries(st.text(), st.none() | st.just(A), max_size=5), st.text())
def test_every_text_is_kept_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, ContentHash | None], name: str
) -> None:
    state = SessionDb(tmp_path_factory.mktemp("state"))
    listed = {WorkspacePath(path): found for path, found in files.items()}
    state.replace_baseline(name, name, listed)
    assert state.baseline_head(name) == name
    assert {path: state.baseline_of(name, path) for path in listed} == {
        path: BaselineFile(found) for path, found in listed.items()
    }
    state.close()


def journal_mode(state: SessionDb) -> str:
    with closing(sqlite3.connect(state.path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def test_the_file_is_for_its_user_alone_and_keeps_a_write_ahead_log(state: SessionDb) -> None:
    state.put_session(ROW)
    assert journal_mode(state) == "wal"
    assert state.path.stat().st_mode & 0o777 == 0o600


def test_what_the_log_holds_is_in_the_file_once_the_last_has_closed_it(state: SessionDb) -> None:
    log = state.path.with_name(state.path.name + "-wal")
    for number in range(700):
        state.note_selected(f"{number}" * 300, str(number))
    # More than a thousand pages, and nobody had to wait for them to be moved.
    assert log.stat().st_size > 4_096 * 1_000
    assert state.path.stat().st_size < 4_096 * 100
    state.close()
    assert not log.exists()
    assert state.path.stat().st_size > 700 * 300
    assert len(state.recent_intents(1_000)) == 700


def test_a_deleted_file_is_begun_anew(state: SessionDb, caplog: pytest.LogCaptureFixture) -> None:
    state.put_session(ROW)
    for part in state.path.parent.iterdir():
        part.unlink()
    assert state.session("one") is None
    assert "deleted or replaced" in caplog.text
    state.put_session(ROW)
    assert state.session("one") == ROW


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[SessionDb]:
    """Give the state of a root that is governed."""
    opened = SessionDb(ensure_local_directory(_with_control_directory(tmp_path)))
    yield opened
    opened.close()


def _with_control_directory(root: Path) -> Path:
    (root / CONTROL_ROOM).mkdir()
    return root


def test_a_room_that_was_deleted_is_made_again(
    governed: SessionDb, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    governed.put_session(ROW)
    shutil.rmtree(tmp_path / CONTROL_ROOM)
    _with_control_directory(tmp_path)
    for _ in range(3):
        assert governed.session("one") is None
    assert caplog.text.count("what it knew is lost") == 1
    governed.put_session(ROW)
    assert journal_mode(governed) == "wal"
    # As private as it was, and as hidden from git.
    assert (tmp_path / LOCAL_ROOM).stat().st_mode & 0o777 == 0o700
    assert (tmp_path / CONTROL_ROOM / ".gitignore").read_bytes() == GITIGNORE_TEXT
    other = SessionDb(tmp_path / LOCAL_ROOM)
    assert other.session("one") == ROW
    other.close()


def test_while_even_the_control_room_is_gone_nothing_is_known_or_made(
    governed: SessionDb, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    governed.put_session(ROW)
    shutil.rmtree(tmp_path / CONTROL_ROOM)
    for _ in range(2):
        assert governed.session("one") is None
    governed.put_session(replace(ROW, turn=9))
    assert governed.session("one") == replace(ROW, turn=9)
    governed.end_session("one", AT)
    assert not list(tmp_path.iterdir())
    assert len(caplog.records) == 1
    _with_control_directory(tmp_path)
    # What was told meanwhile is not what the next process finds.
    assert governed.session("one") is None
    assert governed.path.exists()
    assert len(caplog.records) == 1


def test_a_room_whose_place_is_taken_is_not_made_again(governed: SessionDb, tmp_path: Path) -> None:
    governed.put_session(ROW)
    shutil.rmtree(tmp_path / LOCAL_ROOM)
    (tmp_path / LOCAL_ROOM).write_text("mine")
    with pytest.raises(StateUnavailableError):
        governed.session("one")
    assert (tmp_path / LOCAL_ROOM).read_text() == "mine"


def test_a_file_that_was_replaced_is_read_instead(state: SessionDb, tmp_path: Path) -> None:
    state.put_session(ROW)
    (tmp_path / "other").mkdir()
    other = SessionDb(tmp_path / "other")
    other.put_session(replace(ROW, turn=9))
    other.close()
    for part in ("-wal", "-shm"):
        state.path.with_name(state.path.name + part).unlink()
    other.path.replace(state.path)
    seen = state.session("one")
    assert seen is not None
    assert seen.turn == 9


@pytest.mark.parametrize("content", [b"this is no database, whatever else it may be", b"\0" * 8192])
def test_a_damaged_file_is_moved_aside_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.sqlite3"
    path.write_bytes(content)
    state = SessionDb(tmp_path)
    assert state.session("one") is None
    state.put_session(ROW)
    assert state.session("one") == ROW
    state.close()
    kept = [part for part in tmp_path.iterdir() if ".damaged-" in part.name]
    assert [part.read_bytes() for part in kept] == [content]


def test_damage_under_an_open_connection_is_moved_aside_too(state: SessionDb) -> None:
    state.put_session(ROW)
    state.close()
    with state.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (state.path.stat().st_size - 4096))
    assert state.session("one") is None
    assert any(".damaged-" in part.name for part in state.path.parent.iterdir())


def test_a_file_without_its_tables_is_moved_aside(tmp_path: Path) -> None:
    foreign = sqlite3.connect(tmp_path / "state.sqlite3")
    foreign.execute("PRAGMA user_version = 1")
    foreign.close()
    state = SessionDb(tmp_path)
    assert state.session("one") is None
    state.put_session(ROW)
    state.close()


def test_two_processes_that_find_the_same_damage_mend_it_once(tmp_path: Path) -> None:
    first, second = SessionDb(tmp_path), SessionDb(tmp_path)
    first.put_session(ROW)
    second.put_session(ROW)
    first.close()
    second.close()
    first.path.write_bytes(b"no database at all, and long enough to be one")
    assert first.session("one") is None
    first.put_session(ROW)
    assert second.session("one") == ROW
    assert sum(".damaged-" in part.name for part in tmp_path.iterdir()) == 1
    first.close()
    second.close()


def test_a_damaged_file_that_cannot_be_moved_is_reported(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite3").write_bytes(b"no database at all, and long enough to be one")
    (tmp_path / "state.sqlite3.lock").mkdir()
    state = SessionDb(tmp_path)
    with pytest.raises(StateUnavailableError, match="cannot be moved"):
        state.session("one")


def test_a_file_that_is_being_mended_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("intent_lsp.store.state.database._LOCK_SECONDS", 0.01)
    (tmp_path / "state.sqlite3").write_bytes(b"no database at all, and long enough to be one")
    with open_lock_file(tmp_path / "state.sqlite3.lock") as lock:
        assert try_lock(lock.fileno())
        with pytest.raises(StateUnavailableError, match="another process") as caught:
            SessionDb(tmp_path).session("one")
    assert caught.value.cure == "try again"


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def test_what_another_process_has_mended_is_not_moved_again(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_bytes(b"no database at all, and long enough to be one")

    def late(at: Path) -> sqlite3.Connection:
        connection = _connected(at)
        if at.read_bytes().startswith(b"no database"):
            at.rename(at.with_name("moved"))
            _connected(at).execute("CREATE TABLE good (x)").connection.close()
        return connection

    database = Database(path, late)
    assert database.read(lambda c: c.execute("SELECT count(*) FROM good").fetchone()) == (0,)
    database.close()
    assert sorted(part.name for part in tmp_path.iterdir()) == ["moved", "x.sqlite3"]


def test_a_file_that_will_not_stay_in_place_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"

    def restless(at: Path) -> sqlite3.Connection:
        connection = _connected(at)
        connection.execute("CREATE TABLE IF NOT EXISTS x (y)")
        at.unlink()
        return connection

    with pytest.raises(StateUnavailableError, match="replaced again and again"):
        Database(path, restless).read(lambda connection: connection.execute("SELECT 1"))


def test_a_caller_that_fails_inside_a_transaction_undoes_it(tmp_path: Path) -> None:
    database = Database(tmp_path / "x.sqlite3", _connected)
    database.write(lambda connection: connection.execute("CREATE TABLE x (y)"))

    def failing(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO x VALUES (1)")
        raise KeyError

    with pytest.raises(KeyError):
        database.write(failing)
    assert database.read(lambda c: c.execute("SELECT count(*) FROM x").fetchone()) == (0,)
    database.close()


class Share(sqlite3.Connection):
    """A database on a network share, which has no memory to share."""

    code = sqlite3.SQLITE_IOERR_SHMOPEN

    def execute(self, query: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override] # as narrow as its use
        if query.endswith("WAL"):
            problem = sqlite3.OperationalError("no shared memory")
            problem.sqlite_errorcode = self.code
            raise problem
        return super().execute(query, *values)  # type: ignore[arg-type] # passed on as given


class Locked(Share):
    code = sqlite3.SQLITE_BUSY


def test_where_no_write_ahead_log_can_be_kept_it_goes_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "x.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None, factory=Share)
    keep_safe(connection, path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    assert "no write-ahead log" in caplog.text
    busy = sqlite3.connect(path, isolation_level=None, factory=Locked)
    with pytest.raises(sqlite3.OperationalError):
        keep_safe(busy, path)
    busy.close()


def test_two_processes_lay_out_one_file_once(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    for _ in range(2):
        connection = _connected(path)
        lay_out(connection, path)
        connection.close()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    newer = sqlite3.connect(tmp_path / "state.sqlite3")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    state = SessionDb(tmp_path)
    with pytest.raises(StateUnavailableError, match="newer version"):
        state.session("one")
    assert not any(".damaged-" in part.name for part in tmp_path.iterdir())
    state.close()


def test_a_directory_in_its_place_is_reported_with_a_cure(tmp_path: Path) -> None:
    (tmp_path / "state.sqlite3").mkdir()
    state = SessionDb(tmp_path)
    with pytest.raises(StateUnavailableError) as caught:
        state.put_session(ROW)
    assert caught.value.cure


def test_a_room_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StateUnavailableError):
        SessionDb(tmp_path / "nowhere").session("one")


def test_a_failure_of_the_caller_leaves_nothing_half_done(state: SessionDb) -> None:
    def files() -> Iterator[tuple[WorkspacePath, ContentHash | None]]:
        yield PATH, A
        raise KeyError

    state.replace_baseline("one", "c0ffee", {PATH: B})
    with pytest.raises(KeyError):
        state.replace_baseline("one", "beef", dict(files()))
    assert state.baseline_head("one") == "c0ffee"
    assert state.baseline_of("one", PATH) == BaselineFile(B)


def test_a_file_that_another_process_keeps_locked_is_reported_not_waited_for_ever(
    state: SessionDb,
) -> None:
    state.put_session(ROW)
    program = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, os.fspath(state.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert state.session("one") == ROW
        with pytest.raises(StateUnavailableError, match="locked"):
            state.put_session(ROW)
        holder.communicate(b"")
    state.put_session(ROW)


def test_threads_and_processes_lose_no_write(state: SessionDb, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from intent_lsp.store.state.sessions_db import SessionDb\n"
        "state = SessionDb(Path(sys.argv[1]))\n"
        "for n in range(40): state.note_selected(f'{sys.argv[2]}{n}', str(n))\n"
        "state.close()\n"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", program, os.fspath(tmp_path), name])
        for name in ("p", "q")
    ]

    def work(name: str) -> None:
        for n in range(40):
            state.note_selected(f"{name}{n}", str(n))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("t", "u")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [child.wait() for child in children] == [0, 0]
    assert len(state.recent_intents(1000)) == 160


def test_a_known_file_is_noted_again_though_no_more_are_taken(tmp_path: Path) -> None:
    with closing(SessionDb(tmp_path)) as state:
        paths = [WorkspacePath(f"{number}.py") for number in range(FILES_AT_MOST + 5)]
        state.hosts.note_unasked("codex", "codex", paths, "2026-01-01T00:00:00.000Z", "")
        later = "2026-01-02T00:00:00.000Z"
        state.hosts.note_unasked("codex", "codex", [*paths[-5:], paths[0]], later, "")
        (found,) = state.hosts.unasked("")
        assert (found.files, found.last) == (FILES_AT_MOST, later)
        assert [each.files for each in state.hosts.unasked(later)] == [1]
