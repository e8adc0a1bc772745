"""Changes on disk that nobody announced: whose they are, and which git made."""

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from intent_lsp.core.agents.tickets import CLAIMED_FOR, COMMAND_AWAITED_FOR
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.content import content_of, hash_content, hash_if_there
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.formats.syntax.outline import file_fingerprint
from intent_lsp.governance.disk.disk_changes import DiskNews
from intent_lsp.governance.disk.tree_snapshots import FILES_AT_MOST
from intent_lsp.governance.saves.saves import Written
from intent_lsp.store.fs.tree_reader import HELD_AT_MOST
from intent_lsp.store.fs.write import TEMPORARY_PREFIX
from intent_lsp.store.locks.root_lock import RootLock
from intent_lsp.store.state.notes import AgentInfo
from tests.governance.editor import Editor
from tests.governance.watcher import Touched, Watcher
from tests.support.repository import Repository, create

LOGIN = WorkspacePath("src/auth/login.py")
DB = WorkspacePath("src/db.py")
NEW = WorkspacePath("src/new.py")
BEFORE = {LOGIN: b"one\ntwo\nthree\n", DB: b"alpha\nbeta\ngamma\n"}


@pytest.fixture
def watcher(editor: Editor) -> Watcher:
    return Watcher(editor.governance, editor.session)


def other(watcher: Watcher, editor: Editor) -> Watcher:
    """Give another server that has seen what this one has."""
    return Watcher(editor.governance, watcher.session)


def test_a_change_is_recorded_once_with_what_it_replaced(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(DB, "alpha\nBETA\ngamma\n")
    (record,) = watcher.recorded()
    (file,) = record.files
    assert (file.pre_hash, file.post_hash) == (
        hash_content(BEFORE[DB]),
        hash_content(b"alpha\nBETA\ngamma\n"),
    )
    (conversation,) = file.conversations
    assert [run.replaced for run in conversation.ranges] == [(2, 1, 1)]
    assert (record.tool_name, record.session_id) == ("disk/change", watcher.session.id)
    assert watcher.recorded() == []
    # The next one begins where this one ended.
    governed.write(DB, "alpha\nBETA\nGAMMA\n")
    (record,) = watcher.recorded()
    assert [run.replaced for run in record.files[0].conversations[0].ranges] == [(3, 1, 1)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda r: r.write(NEW, "new\n"), [(NEW, "FILE_CREATION", "FAIL")]),
        (lambda r: (r.root / DB).unlink(), [(DB, "FILE_DELETION", "FAIL")]),
        (lambda r: r.write(DB, b"\0\xff"), [(DB, "INTENT_EVOLUTION", "FAIL")]),
        (
            lambda r: r.write(INTENTS_FILE, "active_intents: []\n"),
            [(INTENTS_FILE, "CONFIGURATION", "EXEMPT")],
        ),
        (lambda r: r.write(".orchestration/intent_map.md", "ours\n"), []),
        (lambda r: r.write("below/.orchestration/active_intents.yaml", "active_intents: []\n"), []),
    ],
)
def test_each_kind_of_change_is_told_as_what_it_is(
    watcher: Watcher,
    governed: Repository,
    change: Callable[[Repository], object],
    expected: Touched,
) -> None:
    change(governed)
    assert watcher.touched() == expected
    assert watcher.touched() == []


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("def load():\n    return 1\n", "# Fast.\ndef load():\n    return 1\n", "DOCUMENTATION"),
        ("def load():\n    return 1\n", "def read():\n    return 1\n", "AST_REFACTOR"),
        ("def load():\n    return 1\n", "def load():\n    return 2\n", "INTENT_EVOLUTION"),
    ],
)
def test_what_kind_of_change_it_was_is_told_by_both_contents(
    watcher: Watcher, governed: Repository, before: str, after: str, kind: str
) -> None:
    governed.write(DB, before)
    watcher.recorded()
    governed.write(DB, after)
    (record,) = watcher.recorded()
    assert (record.mutation_class, record.inferred) == (kind, True)
    assert record.files[0].ast_fingerprint == file_fingerprint(DB, content_of(after.encode()))
    assert record.files[0].ast_fingerprint is not None


def test_where_nobody_knows_what_a_file_held_its_definitions_are_told_all_the_same(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(DB, "def load():\n    return 1\n")
    watcher.recorded()
    shutil.rmtree(governed.root / ".orchestration/.local/snapshots")
    governed.write(DB, "# Fast.\ndef load():\n    return 1\n")
    (record,) = watcher.recorded()
    assert record.mutation_class == "INTENT_EVOLUTION"
    assert record.files[0].ast_fingerprint is not None


def test_a_new_file_that_goes_again_is_recorded_twice(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(NEW, "new\n")
    assert watcher.touched() == [(NEW, "FILE_CREATION", "FAIL")]
    (governed.root / NEW).unlink()
    assert watcher.touched() == [(NEW, "FILE_DELETION", "EXEMPT")]
    assert watcher.touched() == []
    governed.commit()
    assert watcher.touched() == []


@pytest.mark.parametrize(
    "script",
    [
        [["stash", "--quiet"]],
        [["stash", "--quiet"], ["stash", "pop", "--quiet"]],
        [["stash", "--quiet", "--include-untracked"], ["stash", "pop", "--quiet"]],
        [["add", "."], ["reset", "--quiet", "--hard"]],
        [["add", "."], ["commit", "--quiet", "-m", "all"], ["checkout", "--quiet", "HEAD~1"]],
        [["add", "."], ["commit", "--quiet", "-m", "all"], ["reset", "--quiet", "HEAD~1"]],
    ],
)
def test_what_git_does_to_changed_files_has_no_record(
    watcher: Watcher, governed: Repository, script: list[list[str]]
) -> None:
    governed.write(DB, "by a script\n")
    governed.write(NEW, "new\n")
    assert len(watcher.recorded()) == 2
    for arguments in script:
        governed.git(*arguments)
        assert watcher.touched() == []


def test_what_git_puts_back_ends_its_violation(watcher: Watcher, governed: Repository) -> None:
    governed.write(DB, "by a script\n")
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "FAIL")]
    governed.git("checkout", "--quiet", "--", DB)
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "EXEMPT")]
    assert watcher.touched() == []


def test_what_git_put_back_is_nobodys_change(editor: Editor, governed: Repository) -> None:
    governed.write(DB, "before the session\n")
    watcher = other(Watcher(editor.governance, editor.session), editor)
    governed.git("checkout", "--quiet", "--", DB)
    assert watcher.touched() == []
    governed.write(DB, "after it\n")
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "FAIL")]


def test_what_was_committed_and_is_written_again_is_a_change(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(DB, "first\n")
    assert len(watcher.recorded()) == 1
    governed.commit()
    assert watcher.touched() == []
    governed.write(DB, "second\n")
    assert len(watcher.recorded()) == 1
    governed.commit()
    watcher.recorded()
    governed.write(DB, "third\n")
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "FAIL")]
    # As it was before it was changed out of bounds.
    governed.write(DB, "second\n")
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "EXEMPT")]


def test_a_stash_of_an_earlier_day_is_gits_when_it_is_popped(
    editor: Editor, governed: Repository
) -> None:
    governed.write(DB, "long ago\n")
    governed.git("stash", "--quiet")
    watcher = Watcher(editor.governance, editor.session)
    governed.git("stash", "pop", "--quiet")
    assert watcher.touched() == []


def test_a_conflict_is_gits(watcher: Watcher, governed: Repository) -> None:
    governed.git("checkout", "--quiet", "-b", "other")
    governed.write(DB, "theirs\n")
    governed.commit()
    governed.git("checkout", "--quiet", "main")
    governed.write(DB, "ours\n")
    governed.commit()
    with pytest.raises(AssertionError):
        governed.git("cherry-pick", "other")
    assert watcher.touched() == []


@pytest.mark.parametrize("standing", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_while_git_is_at_work_nothing_is_recorded(
    watcher: Watcher, governed: Repository, standing: str
) -> None:
    governed.write(LOGIN, "before\n")
    watcher.changes.look()
    (governed.root / ".git" / standing).mkdir()
    governed.write(DB, "meanwhile\n")
    assert watcher.news() == DiskNews(waiting=True, git=True)
    (governed.root / ".git" / standing).rmdir()
    # What came meanwhile would be git's if it had made it.
    assert [path for path, _, _ in watcher.touched()] == [LOGIN, DB]


def test_a_save_and_a_write_of_the_servers_own_are_known(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    governed.write(DB, "by the editor\n")
    editor.governance.saves.after(
        editor.session,
        editor.place(DB),
        Written(
            disk=content_of(b"by the editor\n"),
            known=content_of(BEFORE[DB]),
            read=hash_content(BEFORE[DB]),
        ),
    )
    governed.write(NEW, "ours\n")
    assert editor.governance.stores.state is not None
    editor.governance.stores.state.note_own_write(NEW, hash_content(b"ours\n"))
    assert watcher.touched() == []


def test_a_change_right_after_a_save_begins_where_the_save_ended(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    watcher.at -= timedelta(seconds=5)
    watcher.recorded()
    saved = BEFORE[LOGIN] + b"saved\n"
    editor.governance.saves.after(
        editor.session,
        editor.place(LOGIN),
        Written(
            disk=content_of(saved),
            known=content_of(BEFORE[LOGIN]),
            read=hash_content(BEFORE[LOGIN]),
        ),
    )
    governed.write(LOGIN, saved + b"formatted\n")
    (record,) = watcher.recorded()
    assert record.files[0].pre_hash == hash_content(saved)


def test_two_servers_record_a_change_once(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    second = other(watcher, editor)
    governed.write(DB, "by a script\n")
    second.changes.look()
    assert len(watcher.recorded()) == 1
    assert second.touched() == []


class AnnouncedLock(RootLock):
    """A lock that says when it is asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, wait_seconds=30)
        self.asked = threading.Event()

    @contextmanager
    def held(self) -> Iterator[bool]:
        self.asked.set()
        with super().held() as waited:
            yield waited


def test_what_another_server_records_while_the_lock_is_waited_for_is_known(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    path = governed.root / ".orchestration/.local/gate.lock"
    lock = AnnouncedLock(path)
    second = Watcher(editor.governance, watcher.session, lock=lock)
    governed.write(DB, "by a script\n")
    with ThreadPoolExecutor(1) as pool:
        with RootLock(path).held():
            waiting = pool.submit(second.touched)
            assert lock.asked.wait(30)
            assert len(watcher.recorded()) == 1
        assert waiting.result() == []
    assert second.touched() == []


def admit(editor: Editor, call: ToolCall) -> str:
    """Have an agent's call judged; give its ticket."""
    agent = editor.governance.sessions.open_agent("builder")
    chosen = editor.governance.checkout.select(agent, "INT-001", unsaved_file=False, voice=VOICE)
    assert hasattr(chosen, "intent"), chosen
    admission = editor.governance.calls.admit("builder", "", call)
    assert admission.ticket is not None, admission
    return admission.ticket.id


VOICE = AgentInfo(model="maker/model-1")
EDIT = ToolCall(tool_name="Write", paths=(LOGIN,))
COMMAND = ToolCall(tool_name="Bash", command="python3 make.py")
# A minute more than it takes: the ticket is issued after the clock of the watcher was set.
LAPSES = [
    (EDIT, CLAIMED_FOR + timedelta(minutes=1)),
    (COMMAND, COMMAND_AWAITED_FOR + timedelta(minutes=1)),
]


@pytest.mark.parametrize(("call", "lapses"), LAPSES)
def test_a_change_under_an_open_call_waits_for_its_agent(
    watcher: Watcher, editor: Editor, governed: Repository, call: ToolCall, lapses: timedelta
) -> None:
    ticket = admit(editor, call)
    governed.write(LOGIN, "by an agent\n")
    assert watcher.news() == DiskNews(waiting=True)
    editor.governance.calls.record(ticket)
    watcher.at += lapses
    assert watcher.news() == DiskNews()


@pytest.mark.parametrize(("call", "lapses"), LAPSES)
def test_a_call_that_is_never_told_of_leaves_its_change_to_its_session(
    watcher: Watcher, editor: Editor, governed: Repository, call: ToolCall, lapses: timedelta
) -> None:
    admit(editor, call)
    governed.write(LOGIN, "by an agent\n")
    assert watcher.news() == DiskNews(waiting=True)
    watcher.at += lapses
    (record,) = watcher.recorded()
    assert (record.tool_name, record.session_id, record.intent_id) == (
        "disk/change",
        "builder",
        "INT-001",
    )
    assert record.scope_validation.value == "PASS"
    contributor = record.files[0].conversations[0].contributor
    assert (contributor.entity_type.value, contributor.model_identifier) == ("AI", "maker/model-1")


def test_what_is_changed_after_the_call_is_nobodys(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    admit(editor, EDIT)
    governed.write(LOGIN, "by an agent\n")
    assert watcher.news() == DiskNews(waiting=True)
    watcher.at += CLAIMED_FOR + timedelta(minutes=1)
    governed.write(LOGIN, "by nobody\n")
    (record,) = watcher.recorded()
    assert record.session_id == watcher.session.id
    assert record.files[0].conversations[0].contributor.entity_type.value == "UNKNOWN"


def test_a_record_that_cannot_be_written_waits(watcher: Watcher, governed: Repository) -> None:
    ledger = governed.root / ".orchestration/agent_trace.jsonl"
    ledger.unlink(missing_ok=True)
    ledger.mkdir()
    governed.write(DB, "by a script\n")
    (change,) = watcher.news().recorded
    assert change.record is None
    assert change.queued
    # What comes then may be what waits already.
    governed.write(LOGIN, "by a script, too\n")
    assert watcher.news() == DiskNews(waiting=True)
    ledger.rmdir()
    assert watcher.touched() == [(LOGIN, "INTENT_EVOLUTION", "FAIL")]
    assert watcher.governance.stores.past.count() == 2


def test_what_moves_on_meanwhile_is_left_to_the_next_look(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(DB, "first\n")
    watcher.changes.look()
    governed.write(DB, "second\n")
    assert watcher.changes.record(watcher.session) == DiskNews()
    (record,) = watcher.recorded()
    assert record.files[0].post_hash == hash_content(b"second\n")


def test_a_file_that_is_too_large_to_hold_is_told_by_its_hash(
    watcher: Watcher, governed: Repository
) -> None:
    path = governed.write("large.bin", "")
    with path.open("r+b") as large:
        large.truncate(HELD_AT_MOST + 1)
    (record,) = watcher.recorded()
    (file,) = record.files
    assert file.post_hash is not None
    assert record.mutation_class == "FILE_CREATION"
    assert [(run.start_line, run.end_line) for run in file.conversations[0].ranges] == [(0, 0)]


def test_too_many_changes_are_not_looked_at(
    watcher: Watcher, governed: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    room = governed.root / "many"
    room.mkdir()
    for number in range(FILES_AT_MOST + 1):
        (room / str(number)).touch()
    assert watcher.changes.look() is None
    assert "too many to be compared" in caplog.text


def test_a_file_that_cannot_be_read_is_left_out(
    watcher: Watcher, governed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    governed.write(DB, "by a script\n")
    locked = governed.write(NEW, "locked\n")
    broken_read(monkeypatch, locked)
    assert watcher.touched() == [(DB, "INTENT_EVOLUTION", "FAIL")]


def broken_read(monkeypatch: pytest.MonkeyPatch, locked: Path) -> None:
    """Have the disk refuse to read a file."""
    read = Path.lstat

    def refuse(path: Path) -> object:
        if path == locked:
            raise PermissionError(str(path))
        return read(path)

    monkeypatch.setattr(Path, "lstat", refuse)


def test_an_old_file_is_not_hashed_again(
    watcher: Watcher, governed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = governed.write(DB, "by a script\n")
    watcher.at += timedelta(seconds=10)
    looked = watcher.changes.look()
    assert looked is not None
    assert looked.changed == {DB}
    broken_read(monkeypatch, path)
    looked = watcher.changes.look()
    assert looked is not None
    assert (tuple(looked.seen.files), looked.changed) == ((DB,), frozenset())
    assert hash_if_there(path.read_bytes())


def test_a_file_that_came_and_went_between_two_looks_was_nobodys_work(
    watcher: Watcher, governed: Repository
) -> None:
    passing = governed.write("src/new.py.tmp", "half\n")
    watcher.changes.look()
    passing.rename(governed.root / NEW)
    assert [path for path, _, _ in watcher.touched()] == [NEW]
    watcher.changes.look()
    assert watcher.recorded() == []


def test_what_the_server_is_about_to_give_a_name_is_nobodys_work(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(f"src/{TEMPORARY_PREFIX}0123456789ab", "half\n")
    assert watcher.recorded() == []


def test_a_file_that_an_editor_saves_is_left_to_its_save(
    watcher: Watcher, governed: Repository
) -> None:
    governed.write(DB, "saved\n")
    watcher.changes.look()
    news = watcher.changes.record(watcher.session, {DB})
    assert (news.recorded, news.waiting) == ((), True)
    assert [path for path, _, _ in watcher.touched()] == [DB]


def test_a_file_that_is_claimed_while_the_lock_is_waited_for_is_left_to_its_agent(
    watcher: Watcher, governed: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    governed.write(DB, "written\n")
    watcher.changes.look()
    claimed = iter([None, object()])
    state = watcher.governance.stores.state
    assert state is not None
    monkeypatch.setattr(state.tickets, "over", lambda *_: next(claimed))
    assert watcher.changes.record(watcher.session).recorded == ()


POEM = "".join(f"the line {number} of a poem\n" for number in range(20))


@pytest.mark.parametrize(
    ("move", "left"),
    [
        pytest.param(["mv src/auth/poem.py src/auth/song.py"], POEM, id="mv"),
        pytest.param(["git mv src/auth/poem.py src/auth/song.py"], POEM, id="git-mv"),
        pytest.param(
            ["git mv src/auth/poem.py src/auth/song.py", "git commit -qm moved"],
            POEM,
            id="committed",
        ),
        pytest.param(
            ["mv src/auth/poem.py src/auth/song.py", "echo more >> src/auth/song.py"],
            f"{POEM}more\n",
            id="and-edited",
        ),
    ],
)
def test_a_file_that_was_moved_keeps_its_past(
    editor: Editor, governed: Repository, move: list[str], left: str
) -> None:
    governed.write("src/auth/poem.py", POEM)
    governed.commit()
    watcher = Watcher(editor.governance, editor.session)
    for command in move:
        subprocess.run(["sh", "-ec", command], cwd=governed.root, check=True)
    (record,) = watcher.recorded()
    (file,) = record.files
    assert (file.previous_path, file.relative_path) == ("src/auth/poem.py", "src/auth/song.py")
    assert (file.pre_hash, file.post_hash) == (
        hash_content(POEM.encode()),
        hash_content(left.encode()),
    )
    (conversation,) = file.conversations
    assert [run.replaced for run in conversation.ranges] == ([] if left == POEM else [(21, 0, 1)])
    assert watcher.recorded() == []


def test_a_name_that_was_given_up_is_told_of_once(editor: Editor, governed: Repository) -> None:
    governed.write("src/auth/poem.py", POEM)
    governed.commit()
    one, other = (Watcher(editor.governance, editor.session) for _ in "12")
    (governed.root / "src/auth/poem.py").rename(governed.root / "src/auth/song.py")
    assert len(one.recorded()) == 1
    assert other.recorded() == []
    assert editor.governance.stores.past.left_last(WorkspacePath("src/auth/poem.py"), None)


def test_a_file_that_left_its_owners_scope_is_out_of_bounds(
    editor: Editor, governed: Repository
) -> None:
    governed.write("src/auth/poem.py", POEM)
    governed.commit()
    editor.select("INT-001")
    watcher = Watcher(editor.governance, editor.session)
    (governed.root / "src/auth/poem.py").rename(governed.root / "src/auth/song.py")
    assert [verdict for _, _, verdict in watcher.touched()] == ["PASS"]
    (governed.root / "src/auth/song.py").rename(governed.root / "docs/song.py")
    assert [verdict for _, _, verdict in watcher.touched()] == ["FAIL"]
    (governed.root / "docs/song.py").rename(governed.root / "src/auth/song.py")
    assert [verdict for _, _, verdict in watcher.touched()] == ["FAIL"]


@pytest.mark.parametrize(
    ("away", "back"),
    [
        (
            "git commit -qam ours; GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i other",
            "git rebase --continue",
        ),
        ("git stash -q", "git stash pop -q"),
        ("git commit -qam ours; git checkout -q other", "git checkout -q main"),
    ],
)
def test_an_edit_that_git_takes_away_and_brings_back_before_it_is_recorded_is_an_edit(
    watcher: Watcher, governed: Repository, away: str, back: str
) -> None:
    governed.git("checkout", "-q", "-b", "other")
    governed.write("OTHER", "theirs\n")
    governed.commit("theirs")
    watcher.recorded()
    governed.git("checkout", "-q", "main")
    watcher.recorded()
    governed.write(DB, "mine\n")
    watcher.changes.look()
    for script in (away, back):
        subprocess.run(["sh", "-ec", script], cwd=governed.root, check=True, capture_output=True)
        watcher.changes.look()
    (record,) = watcher.recorded()
    (file,) = record.files
    assert (file.path, file.pre_hash) == (DB, hash_content(BEFORE[DB]))
    assert file.post_hash == hash_content(b"mine\n")
    assert watcher.recorded() == []


@pytest.mark.parametrize("back", ["git rebase -q other", "git checkout -q other; git merge -q -"])
def test_an_edit_that_was_never_seen_before_git_took_it_away_is_an_edit(
    watcher: Watcher, governed: Repository, back: str
) -> None:
    governed.git("checkout", "-q", "-b", "other")
    governed.write("OTHER", "theirs\n")
    governed.commit("theirs")
    watcher.recorded()
    governed.git("checkout", "-q", "main")
    watcher.recorded()
    governed.write(DB, "mine\n")
    away = "git commit -qam ours; git checkout -q other"
    for script in (away, f"git checkout -q main; {back}"):
        subprocess.run(["sh", "-ec", script], cwd=governed.root, check=True, capture_output=True)
        watcher.changes.look()
    (record,) = watcher.recorded()
    assert [(file.path, file.post_hash) for file in record.files] == [(DB, hash_content(b"mine\n"))]
    assert watcher.recorded() == []


def test_what_a_save_has_recorded_is_no_edit_when_git_brings_it_back(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    editor.select("INT-001")
    assert editor.save(LOGIN, "first\n").record is not None
    governed.git("commit", "-qam", "ours")
    assert editor.save(LOGIN, "second\n").record is not None
    watcher.recorded()
    governed.git("checkout", "-q", "--", LOGIN)
    assert watcher.recorded() == []


def test_an_edit_that_was_recorded_after_git_took_it_away_is_not_recorded_again(
    watcher: Watcher, editor: Editor, governed: Repository
) -> None:
    known = editor.show(DB)
    governed.write(DB, "mine\n")
    watcher.changes.look()
    governed.git("stash", "-q")
    watcher.changes.look()
    # The editor tells of its save as late as that.
    governed.write(DB, "mine\n")
    assert editor.did_save(DB, known.encode()).record is not None
    governed.git("checkout", "-q", "--", DB)
    watcher.recorded()
    governed.git("stash", "pop", "-q")
    assert watcher.recorded() == []


def test_while_there_is_no_control_room_nothing_is_recorded_and_none_is_made(
    watcher: Watcher, governed: Repository
) -> None:
    room = governed.root / ".orchestration"
    shutil.rmtree(room)
    governed.write(DB, "mine\n")
    assert watcher.recorded() == []
    assert not room.exists()


@pytest.mark.parametrize("room", ["", "inner/"])
def test_gits_merge_of_a_recorded_save_is_no_edit_also_below_the_root(
    watcher: Watcher, editor: Editor, governed: Repository, room: str
) -> None:
    repository = create(governed.root / "inner") if room else governed
    path = WorkspacePath(f"{room}numbers")
    lines = [f"{number}\n" for number in range(1, 30)]

    def text(ours: str, theirs: str) -> str:
        return "".join([ours, *lines[1:-1], theirs])

    repository.write("numbers", text("1\n", "29\n"))
    repository.commit()
    repository.git("checkout", "-q", "-b", "other")
    repository.write("numbers", text("1\n", "theirs\n"))
    repository.commit()
    repository.git("checkout", "-q", "main")
    watcher.recorded()
    assert editor.save(path, text("ours\n", "29\n")).record is not None
    repository.commit()
    repository.git("rebase", "-q", "other")
    assert (repository.root / "numbers").read_text() == text("ours\n", "theirs\n")
    assert watcher.recorded() == []
