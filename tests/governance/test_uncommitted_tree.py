"""A work tree without a commit: what was found first counts, and git's own moves are none's."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.content import ABSENT, content_of, hash_content
from intent_lsp.core.paths import INTENTS_FILE, LEDGER_FILE, WorkspacePath
from intent_lsp.governance.contents.initial_contents import BYTES_AT_MOST, FILES_AT_MOST
from intent_lsp.governance.disk.disk_changes import DiskNews
from intent_lsp.governance.disk.tree_snapshots import KEPT_UNCOMMITTED as KEPT_AT_ONCE
from intent_lsp.governance.judging.file_snapshot import Overtaken
from tests.governance.editor import INTENTS, Editor
from tests.governance.watcher import Touched, Watcher
from tests.support.repository import Repository, create

LOGIN = WorkspacePath("src/auth/login.py")
DB = WorkspacePath("src/db.py")
NEW = WorkspacePath("src/new.py")
BEFORE = {LOGIN: "one\ntwo\nthree\n", DB: "alpha\nbeta\ngamma\n"}
EVOLVED: Touched = [(DB, "INTENT_EVOLUTION", "FAIL")]
Open = Callable[..., Editor]


@pytest.fixture(params=["untracked", "added"])
def young(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    """Give a governed root in a repository without a commit, git's index empty or full."""
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    if request.param == "added":
        repository.git("add", "--all")
    return repository


def plain(root: Path) -> Repository:
    """Govern a directory that git does not know."""
    repository = Repository(root)
    for path, text in {**BEFORE, INTENTS_FILE: INTENTS, ".gitignore": ".local/\n"}.items():
        repository.write(path, text)
    return repository


def watch(open_editor: Open, repository: Repository) -> Watcher:
    editor = open_editor(repository.root)
    return Watcher(editor.governance, editor.session)


def test_what_changes_after_the_first_look_is_recorded_once(
    young: Repository, open_editor: Open
) -> None:
    watcher = watch(open_editor, young)
    second = Watcher(watcher.governance, watcher.session)
    assert watcher.recorded() == []
    young.write(DB, "alpha\nBETA\ngamma\n")
    young.write(NEW, "new\n")
    (young.root / LOGIN).unlink()
    second.changes.look()
    records = {file.path: (record, file) for record in watcher.recorded() for file in record.files}
    assert {path: record.mutation_class.value for path, (record, _) in records.items()} == {
        DB: "INTENT_EVOLUTION",
        LOGIN: "FILE_DELETION",
        NEW: "FILE_CREATION",
    }
    file = records[DB][1]
    assert [run.replaced for run in file.conversations[0].ranges] == [(2, 1, 1)]
    assert file.pre_hash == hash_content(BEFORE[DB].encode())
    assert (watcher.touched(), second.touched()) == ([], [])
    # The next one begins where this one ended.
    young.write(DB, "alpha\nBETA\nGAMMA\n")
    (record,) = watcher.recorded()
    assert [run.replaced for run in record.files[0].conversations[0].ranges] == [(3, 1, 1)]


def test_what_changed_while_no_server_ran_is_nobodys(young: Repository, open_editor: Open) -> None:
    first = open_editor(young.root)
    first.select("INT-001")
    young.write(DB, "while it ran\n")
    first.close()
    young.write(NEW, "while none ran\n")
    (young.root / LOGIN).unlink()
    for session_id in (None, first.session.id):
        editor = open_editor(young.root, session_id)
        watcher = Watcher(editor.governance, editor.session)
        assert watcher.touched() == []
        assert editor.look(NEW).head == content_of(b"while none ran\n")
        assert editor.look(DB).head == content_of(b"while it ran\n")


def test_the_first_commit_is_gits_and_what_waits_is_not_lost(
    young: Repository, open_editor: Open
) -> None:
    young.git("rm", "--quiet", "--cached", "-r", "--ignore-unmatch", ".")
    watcher = watch(open_editor, young)
    young.write(NEW, "new\n")
    young.write(DB, "changed\n")
    (young.root / LOGIN).unlink()
    watcher.changes.look()
    # Not a word of these yet; the commit holds others.
    young.git("add", INTENTS_FILE, ".gitignore")
    young.git("commit", "--quiet", "--message", "first")
    assert [(path, kind) for path, kind, _ in watcher.touched()] == [
        (LOGIN, "FILE_DELETION"),
        (DB, "INTENT_EVOLUTION"),
        (NEW, "FILE_CREATION"),
    ]
    young.commit()
    assert watcher.touched() == []
    young.write(DB, "once more\n")
    (record,) = watcher.recorded()
    assert record.files[0].pre_hash == hash_content(b"changed\n")
    assert record.vcs.revision_id != "UNKNOWN"


def test_the_first_commit_of_all_has_no_record(young: Repository, open_editor: Open) -> None:
    editor = open_editor(young.root)
    watcher = Watcher(editor.governance, editor.session)
    young.commit()
    assert watcher.touched() == []
    assert editor.look(DB).head.committed
    (young.root / DB).unlink()
    assert watcher.touched() == [(DB, "FILE_DELETION", "FAIL")]


@pytest.mark.parametrize(
    "script",
    [
        [["checkout", "--quiet", "--orphan", "o"], ["checkout", "--quiet", "main"]],
        [["checkout", "--quiet", "--orphan", "o"], ["rm", "-rq", "--cached", "."]],
        [["switch", "--quiet", "--orphan", "o"], ["switch", "--quiet", "main"]],
        [["update-ref", "-d", "HEAD"], ["commit", "--quiet", "-m", "again"]],
        [["symbolic-ref", "HEAD", "refs/heads/o"], ["read-tree", "--empty"]],
        [["reset", "--quiet", "HEAD~1"], ["reset", "--quiet", "--hard"]],
    ],
)
@pytest.mark.parametrize("looks", ["a look at each step", "one look"])
def test_no_way_to_an_unborn_head_and_back_has_a_record(
    governed: Repository, open_editor: Open, script: list[list[str]], looks: str
) -> None:
    governed.write("src/auth/more.py", "more\n")
    governed.commit()
    watcher = watch(open_editor, governed)
    for arguments in script:
        governed.git(*arguments)
        assert looks == "one look" or watcher.touched() == []
    assert watcher.touched() == []


@pytest.mark.parametrize("command", [["rm", "-rfq", "."], ["reset", "--quiet", "--hard"]])
def test_what_is_taken_away_while_head_is_unborn_is_recorded(
    governed: Repository, open_editor: Open, command: list[str]
) -> None:
    watcher = watch(open_editor, governed)
    governed.git("checkout", "--quiet", "--orphan", "o")
    assert watcher.touched() == []
    governed.git(*command)
    gone = [path for path, kind, _ in watcher.touched() if kind == "FILE_DELETION"]
    assert {LOGIN, DB} < set(gone)


def test_what_waits_is_recorded_though_head_is_unborn_by_then(
    governed: Repository, open_editor: Open
) -> None:
    watcher = watch(open_editor, governed)
    governed.write(DB, "changed\n")
    watcher.changes.look()
    governed.git("checkout", "--quiet", "--orphan", "other")
    (record,) = watcher.recorded()
    assert record.files[0].pre_hash == hash_content(BEFORE[DB].encode())
    governed.write(LOGIN, "changed, too\n")
    assert [path for path, _, _ in watcher.touched()] == [LOGIN]


def test_a_repository_that_is_made_anew_tells_nothing_of_what_was(
    governed: Repository, open_editor: Open
) -> None:
    watcher = watch(open_editor, governed)
    shutil.rmtree(governed.root / ".git")
    governed.git("init", "--quiet")
    assert watcher.touched() == []
    governed.write(DB, "changed\n")
    (record,) = watcher.recorded()
    assert record.files[0].pre_hash == hash_content(BEFORE[DB].encode())


def test_a_repository_that_is_made_while_the_server_runs_is_followed_by_the_next(
    tmp_path: Path, open_editor: Open
) -> None:
    repository = plain(tmp_path / "plain")
    watcher = watch(open_editor, repository)
    for step in (lambda: repository.git("init", "--quiet"), repository.commit):
        step()
        assert watcher.changes.look() is None
        repository.write(DB, "changed\n")
        assert watcher.changes.record(watcher.session) == DiskNews()
    watcher = watch(open_editor, repository)
    repository.write(DB, "changed again\n")
    assert watcher.touched() == EVOLVED


def test_what_somebody_has_git_remove_is_recorded(young: Repository, open_editor: Open) -> None:
    young.git("add", "--all")
    watcher = watch(open_editor, young)
    young.git("rm", "--quiet", "-f", DB)
    assert watcher.touched() == [(DB, "FILE_DELETION", "FAIL")]
    young.write(DB, BEFORE[DB])
    # It is what it was.
    assert watcher.touched() == [(DB, "FILE_CREATION", "EXEMPT")]


NO_FILES_OF_OURS: dict[str, Callable[[Repository], object]] = {
    "dangling": lambda r: (r.root / "dangling").symlink_to("nowhere"),
    "a link out": lambda r: (r.root / "out").symlink_to("/etc/passwd"),
    "a link to a directory": lambda r: (r.root / "room").symlink_to("src"),
    "a pipe": lambda r: os.mkfifo(r.root / "pipe"),
    "a directory": lambda r: (r.root / "empty").mkdir(),
    "another repository without a file": lambda r: create(r.root / "inner"),
    "the ledger": lambda r: r.write(LEDGER_FILE, ""),
    "the map": lambda r: r.write(".orchestration/intent_map.md", "x\n"),
    "a root below": lambda r: r.write("below/.orchestration/active_intents.yaml", "x: []\n"),
}


@pytest.mark.parametrize("what", NO_FILES_OF_OURS)
@pytest.mark.parametrize("kind", ["without a commit", "with one"])
def test_what_is_no_file_of_ours_is_no_change(
    tmp_path: Path, open_editor: Open, what: str, kind: str
) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    if kind == "with one":
        repository.commit()
    watcher = watch(open_editor, repository)
    NO_FILES_OF_OURS[what](repository)
    assert watcher.touched() == []
    assert watcher.touched() == []


def test_a_link_to_a_file_is_what_the_file_is(young: Repository, open_editor: Open) -> None:
    watcher = watch(open_editor, young)
    (young.root / NEW).symlink_to("db.py")
    assert watcher.touched() == [(NEW, "FILE_CREATION", "FAIL")]
    (young.root / NEW).unlink()
    (young.root / NEW).symlink_to("nowhere")
    assert watcher.touched() == [(NEW, "FILE_DELETION", "EXEMPT")]


def test_a_directory_in_the_place_of_a_file_is_its_end(
    young: Repository, open_editor: Open
) -> None:
    watcher = watch(open_editor, young)
    (young.root / DB).unlink()
    young.write(f"{DB}/inner.py", "inner\n")
    assert [(path, kind) for path, kind, _ in watcher.touched()] == [
        (DB, "FILE_DELETION"),
        (f"{DB}/inner.py", "FILE_CREATION"),
    ]
    assert watcher.touched() == []


@pytest.mark.parametrize("reason", ["ignored", "another repository's"])
def test_what_git_tells_of_no_more_may_come_back_as_it_was(
    tmp_path: Path, open_editor: Open, reason: str
) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    watcher = watch(open_editor, repository)
    if reason == "ignored":
        repository.write(".gitignore", ".local/\nsrc/auth/\n")
        assert [path for path, _, _ in watcher.touched()] == [".gitignore"]
        repository.write(".gitignore", ".local/\n")
        assert [path for path, _, _ in watcher.touched()] == [".gitignore"]
    else:
        create(repository.root / "src/auth")
        assert watcher.touched() == []
        shutil.rmtree(repository.root / "src/auth/.git")
    assert watcher.touched() == []
    repository.write(LOGIN, "changed\n")
    assert [path for path, _, _ in watcher.touched()] == [LOGIN]


def test_what_comes_and_goes_between_two_looks_was_nobodys_work(
    young: Repository, open_editor: Open
) -> None:
    watcher = watch(open_editor, young)
    passing = young.write("src/db.py~", "half\n")
    watcher.changes.look()
    passing.rename(young.root / DB)
    assert watcher.touched() == EVOLVED
    assert watcher.touched() == []


def test_a_content_that_is_kept_no_more_is_known_by_its_hash(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    watcher = Watcher(editor.governance, editor.session)
    shutil.rmtree(young.root / ".orchestration/.local/snapshots")
    young.write(DB, "changed\n")
    (record,) = watcher.recorded()
    (file,) = record.files
    assert file.pre_hash == hash_content(BEFORE[DB].encode())
    assert file.conversations[0].ranges[0].fallback
    # Opened now, it is still held to what was there, of which the hash alone is left.
    look = editor.look(DB)
    assert (look.head.hash, look.head.text) == (file.pre_hash, None)


@pytest.mark.parametrize("kind", ["large", "many"])
def test_a_tree_that_is_too_large_is_not_followed_until_it_is_smaller(
    tmp_path: Path, open_editor: Open, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    room = repository.root / "build"
    room.mkdir()
    if kind == "large":
        with (room / "large").open("wb") as large:
            large.truncate(BYTES_AT_MOST)
    else:
        for number in range(FILES_AT_MOST):
            (room / str(number)).touch()
    editor = open_editor(repository.root)
    changes = editor.governance.disk_changes
    assert changes.look() is None
    assert changes.record(editor.session) == DiskNews()
    assert caplog.text.count("too large or too many") == 1
    # What is opened is held to what it was, as without a repository.
    editor.show(DB)
    repository.write(DB, "changed\n")
    assert editor.look(DB).head == content_of(BEFORE[DB].encode())
    editor.select("INT-001")
    assert editor.look(DB).baseline == content_of(b"changed\n")
    repository.write(".gitignore", ".local/\nbuild/\n")
    assert changes.look() is not None
    repository.write(DB, "changed again\n")
    changes.look()
    (change,) = changes.record(editor.session).recorded
    assert change.paths == (DB,)
    assert editor.look(DB).head == content_of(BEFORE[DB].encode())


def test_whoever_selects_where_the_tree_has_become_too_large_is_held_to_what_is_there_then(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    editor.show(DB)
    young.write(DB, "before\n")
    with young.write("large", "").open("r+b") as large:
        large.truncate(BYTES_AT_MOST)
    editor.select("INT-001")
    assert editor.look(DB).baseline == content_of(b"before\n")
    # With another server, what that one finds is its own.
    (young.root / "large").unlink()
    young.commit()
    young.write(DB, "between\n")
    editor.close()
    editor = open_editor(young.root, editor.session.id)
    young.write(DB, "after\n")
    assert editor.look(DB).baseline == content_of(b"between\n")


def test_the_ledger_does_not_make_a_tree_large(tmp_path: Path, open_editor: Open) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    watcher = watch(open_editor, repository)
    with repository.write(".orchestration/archive/old.jsonl", "").open("r+b") as ledger:
        ledger.truncate(BYTES_AT_MOST + 1)
    repository.write(DB, "changed\n")
    assert watcher.touched() == EVOLVED


def test_what_the_first_look_has_no_room_to_keep_the_next_keeps(
    tmp_path: Path, open_editor: Open
) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    large = [repository.write(f"a{n}.bin", bytes([n]) * (4 << 20)) for n in range(5)]
    assert sum(each.stat().st_size for each in large) > KEPT_AT_ONCE
    editor = open_editor(repository.root)
    held = hash_content(BEFORE[DB].encode())
    assert editor.governance.stores.snapshots.get(held) is None
    editor.governance.disk_changes.look()
    assert editor.governance.stores.snapshots.get(held) == BEFORE[DB].encode()


def test_what_is_too_large_to_be_kept_takes_no_room(tmp_path: Path, open_editor: Open) -> None:
    repository = plain(tmp_path / "young")
    repository.git("init", "--quiet")
    repository.write("a.bin", b"a" * KEPT_AT_ONCE)
    editor = open_editor(repository.root)
    held = BEFORE[DB].encode()
    assert editor.governance.stores.snapshots.get(hash_content(held)) == held


def test_a_file_that_cannot_be_read_is_left_out_of_a_baseline(
    young: Repository, open_editor: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, lstat = open_editor(young.root), Path.lstat

    def refuse(path: Path) -> object:
        if path == young.root / LOGIN:
            raise PermissionError(str(path))
        return lstat(path)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "lstat", refuse)
        editor.select("INT-001")
    young.write(DB, "changed\n")
    assert editor.look(DB).baseline == content_of(BEFORE[DB].encode())


def test_a_file_that_nobody_has_opened_is_held_to_what_was_found_first(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    young.write(DB, "changed\n")
    young.write(NEW, "new\n")
    editor.governance.disk_changes.look()
    for path, before in ((DB, content_of(BEFORE[DB].encode())), (NEW, ABSENT)):
        look = editor.look(path)
        assert (look.head, look.baseline) == (before, before)


def test_whoever_selects_an_intent_is_held_to_what_is_there_then(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    editor.select("INT-001")
    young.write(DB, "changed\n")
    young.write(NEW, "new\n")
    (young.root / LOGIN).unlink()
    # Nobody has looked since.
    editor.select("INT-002")
    for path, then in ((DB, b"changed\n"), (NEW, b"new\n"), (LOGIN, None)):
        assert editor.look(path).baseline == content_of(then)
    # It stays what it was, whatever is committed.
    young.commit()
    assert editor.look(DB).baseline == content_of(b"changed\n")


def test_a_first_save_that_was_quicker_than_the_first_look_is_taken_out_of_it(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    editor.show(DB)
    first = Overtaken(saved=content_of(BEFORE[DB].encode()), before=content_of(b"older\n"))
    editor.governance.contents.correct(editor.session.id, DB, first.saved, first.before)
    look = editor.look(DB)
    assert (look.head, look.baseline) == (content_of(b"older\n"), content_of(b"older\n"))


def test_an_ignored_file_that_is_opened_is_held_to_what_it_was(
    young: Repository, open_editor: Open
) -> None:
    young.write(".gitignore", ".local/\n*.log\n")
    young.write("a.log", "first\n")
    editor = open_editor(young.root)
    editor.show("a.log")
    young.write("a.log", "second\n")
    assert editor.governance.contents.head(WorkspacePath("a.log")) == content_of(b"first\n")
    editor.select("INT-001")
    baseline = editor.governance.contents.baseline(editor.session.id, WorkspacePath("a.log"))
    assert baseline == content_of(b"second\n")


def test_what_was_found_before_a_commit_counts_no_more_after_it(
    young: Repository, open_editor: Open
) -> None:
    editor = open_editor(young.root)
    changes, contents = editor.governance.disk_changes, editor.governance.contents
    for text in ("first\n", "second\n"):
        young.write(DB, text)
        young.commit()
        changes.look()
    young.git("checkout", "--quiet", "--orphan", "other")
    changes.look()
    assert contents.head(DB) == content_of(b"second\n")


def test_a_file_that_nobody_has_opened_takes_what_it_was_to_its_new_name(
    young: Repository, open_editor: Open
) -> None:
    young.write(LEDGER_FILE, "")
    editor = open_editor(young.root)
    contents, before = editor.governance.contents, content_of(BEFORE[DB].encode())
    editor.select("INT-001")
    contents.follow(editor.session.id, DB, NEW)
    assert (contents.head(NEW), contents.baseline(editor.session.id, NEW)) == (before, before)


def test_what_nobody_has_seen_cannot_be_corrected(young: Repository, open_editor: Open) -> None:
    editor = open_editor(young.root)
    first = Overtaken(saved=content_of(b"saved\n"), before=content_of(b"before\n"))
    editor.governance.contents.correct(editor.session.id, NEW, first.saved, first.before)
    assert editor.governance.contents.head(NEW) == ABSENT
