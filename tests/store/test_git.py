"""The repository around a root, asked in every shape that repositories have."""

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.program import run_git
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.snapshot import GitSnapshots
from tests.support.repository import Repository, create

ODD = "sub dir/b\udcffd\nname [1] é.txt"


def opened(root: Path) -> Git:
    git = Git.open(root)
    assert git is not None
    return git


def path(text: str) -> WorkspacePath:
    return WorkspacePath(text)


def test_an_unborn_head_holds_nothing(repository: Repository) -> None:
    repository.write("a.txt", "a\n")
    git = opened(repository.root)
    assert git.head_commit() is None
    assert git.head_bytes(path("a.txt")) is None
    assert git.changed_paths() == ("a.txt",)
    assert git.list_files() == ("a.txt",)
    assert not git.tracked(path("a.txt"))


def test_head_is_followed_when_it_moves(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    first = repository.commit()
    git = opened(repository.root)
    assert git.head_commit() == first
    repository.write("a.txt", "two\n")
    second = repository.commit()
    assert git.head_commit() == second
    assert git.head_bytes(path("a.txt")) == b"two\n"
    assert git.blob_bytes(first, path("a.txt")) == b"one\n"
    repository.git("checkout", "--quiet", "--detach", first)
    assert git.head_commit() == first
    assert git.head_bytes(path("a.txt")) == b"one\n"


def test_what_no_commit_holds_is_none(repository: Repository) -> None:
    repository.write("a/b.txt", "b\n")
    repository.commit()
    git = opened(repository.root)
    for name in ("a", "a/b.txt/c", "nope", "x" * 4000, "nul\0", "a/nope"):
        assert git.head_bytes(path(name)) is None
    for commit in ("0" * 40, "no commit", "", "HEAD:a/b.txt"):
        assert git.blob_bytes(commit, path("a/b.txt")) is None


def test_names_of_every_kind_work(repository: Repository) -> None:
    long = "/".join(["d" * 120] * 30) + "/f.txt"
    names = (ODD, ":(top)x", "-x.txt", '"quoted".txt', "tab\t.txt", long)
    for name in names:
        repository.write(name, b"\r\nx\n")
    repository.commit()
    git = opened(repository.root)
    assert set(git.list_files()) == set(names)
    assert git.changed_paths() == ()
    for name in names:
        assert git.head_bytes(path(name)) == b"\r\nx\n"
        assert git.tracked(path(name))
        assert not git.ignored(path(name))
        repository.write(name, b"changed")
    assert set(git.changed_paths()) == set(names)


def test_ignored_is_what_git_ignores_and_does_not_track(repository: Repository) -> None:
    repository.write("kept.log", "x")
    repository.commit()
    repository.write(".gitignore", "*.log\nbuild/\n!good.log\n")
    repository.write("build/out", "x")
    git = opened(repository.root)
    assert not git.ignored(path("kept.log"))
    assert git.ignored(path("other.log"))
    assert git.ignored(path("\udcff.log"))
    assert not git.ignored(path("\udcff.txt"))
    assert git.ignored(path("é.log"))
    assert git.ignored(path("build/out"))
    assert git.ignored(path("build/deep/out"))
    assert not git.ignored(path("good.log"))
    assert not git.ignored(path("a.txt"))
    assert set(git.list_files()) == {".gitignore", "kept.log"}
    assert git.changed_paths() == (".gitignore",)


def test_the_index_is_read_again_when_it_changes(repository: Repository) -> None:
    repository.write("a.txt", "x")
    git = opened(repository.root)
    assert not git.tracked(path("a.txt"))
    repository.git("add", "a.txt")
    assert git.tracked(path("a.txt"))
    repository.git("rm", "--cached", "--quiet", "a.txt")
    assert not git.tracked(path("a.txt"))


def test_an_index_that_only_git_can_read_is_read_by_git(repository: Repository) -> None:
    repository.write("a.txt", "x")
    repository.write(".gitignore", "*.log\n")
    repository.commit()
    repository.git("update-index", "--split-index")
    git = opened(repository.root)
    assert git.tracked(path("a.txt"))
    assert not git.tracked(path("b.txt"))
    assert git.ignored(path("b.log"))


def test_changed_paths_are_those_that_differ_from_head(repository: Repository) -> None:
    for name in ("same", "edited", "removed", "staged", "moved"):
        repository.write(name, name)
    repository.commit()
    repository.write("edited", "x")
    repository.write("staged", "x")
    repository.git("add", "staged")
    (repository.root / "removed").unlink()
    repository.git("mv", "moved", "here")
    repository.write("new/file", "x")
    create(repository.root / "inner").write("theirs", "x")
    assert set(opened(repository.root).changed_paths()) == {
        "edited",
        "removed",
        "staged",
        "moved",
        "here",
        "new/file",
    }


def test_a_conflict_is_a_change_and_an_operation(repository: Repository) -> None:
    repository.write("a.txt", "base\n")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "other")
    repository.write("a.txt", "theirs\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("a.txt", "ours\n")
    repository.commit()
    git = opened(repository.root)
    merged = subprocess.run(["git", "merge", "other"], cwd=repository.root, check=False)
    assert merged.returncode == 1
    assert git.changed_paths() == ("a.txt",)
    assert git.list_files() == ("a.txt",)
    assert git.tracked(path("a.txt"))


def test_a_submodule_is_no_file_of_ours(repository: Repository, tmp_path: Path) -> None:
    inner = create(tmp_path / "inner")
    inner.write("x", "x")
    inner.commit()
    repository.git("submodule", "--quiet", "add", str(inner.root), "mod")
    repository.commit()
    repository.write("mod/x", "changed")
    create(repository.root / "other").write("y", "y")
    git = opened(repository.root)
    assert git.changed_paths() == ()
    assert [git.names_in(path(name)) for name in ("mod", "other")] == [[""], [""]]
    assert git.head_bytes(path("mod")) is None
    assert git.head_bytes(path("mod/x")) is None
    theirs = opened(repository.root / "mod")
    assert theirs.head_bytes(path("x")) == b"x"
    assert theirs.changed_paths() == ("x",)
    assert theirs.git_dir.is_dir()


@pytest.mark.parametrize("on", ["true", "True", "YES", "1"])
def test_a_sparse_checkout_is_known_however_it_is_spelled(repository: Repository, on: str) -> None:
    repository.git("config", "core.sparseCheckout", on)
    assert GitSnapshots(opened(repository.root)).is_sparse()


@pytest.mark.parametrize("flag", ["assume-unchanged", "skip-worktree"])
def test_a_submodule_that_git_is_told_not_to_compare_is_still_a_submodule(
    repository: Repository, tmp_path: Path, flag: str
) -> None:
    inner = create(tmp_path / "inner")
    inner.write("x", "x")
    inner.commit()
    repository.git("submodule", "--quiet", "add", str(inner.root), "mod")
    repository.write("a.txt", "a")
    repository.commit()
    repository.git("update-index", f"--{flag}", "mod", "a.txt")
    found = GitSnapshots(opened(repository.root)).flags()
    assert (set(found.unlooked), found.submodules) == ({"a.txt"}, ("mod",))


def test_a_root_below_the_top_level_sees_its_own_paths(repository: Repository) -> None:
    repository.write("top.txt", "top")
    repository.write("in ner/deep/a.txt", "a\n")
    repository.write(".gitattributes", "in?ner/deep/*.txt eol=crlf\n")
    repository.write(".gitignore", "*.log\n")
    commit = repository.commit()
    root = repository.root / "in ner"
    git = opened(root)
    assert git.list_files() == ("deep/a.txt",)
    assert git.head_bytes(path("deep/a.txt")) == b"a\r\n"
    assert git.blob_bytes(commit, path("deep/a.txt")) == b"a\r\n"
    assert git.head_bytes(path("top.txt")) is None
    assert git.tracked(path("deep/a.txt"))
    assert git.ignored(path("deep/a.log"))
    repository.write("in ner/deep/a.txt", "b\n")
    repository.write("top.txt", "changed")
    assert git.changed_paths() == ("deep/a.txt",)


def test_a_linked_work_tree_has_a_head_of_its_own(repository: Repository, tmp_path: Path) -> None:
    repository.write("a.txt", "one\n")
    repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "feature/x", str(tmp_path / "linked"))
    linked = Repository(tmp_path / "linked")
    linked.write("a.txt", "two\n")
    commit = linked.commit()
    git = opened(linked.root)
    assert git.head_commit() == commit != opened(repository.root).head_commit()
    assert git.head_bytes(path("a.txt")) == b"two\n"
    assert git.common_dir == (repository.root / ".git").resolve()
    assert git.git_dir != git.common_dir
    assert set(git.watch_paths()) == {
        git.git_dir,
        git.common_dir,
        git.common_dir / "refs/heads/feature",
    }


def test_a_detached_head_is_watched_where_it_lies(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--detach", repository.commit())
    git = opened(repository.root)
    assert git.watch_paths() == (git.git_dir,)
    (git.git_dir / "HEAD").unlink()
    assert git.watch_paths() == (git.git_dir,)


def test_links_are_followed_inside_the_repository(repository: Repository) -> None:
    repository.write("real/a.txt", "a\n")
    for name, target in (
        ("link", "real/a.txt"),
        ("real/up", "../real/a.txt"),
        ("out", "../../etc/passwd"),
        ("absolute", "/etc/passwd"),
        ("loop", "loop"),
        ("top", "."),
    ):
        (repository.root / name).symlink_to(target)
    repository.commit()
    git = opened(repository.root)
    assert git.head_bytes(path("link")) == b"a\n"
    assert git.head_bytes(path("real/up")) == b"a\n"
    for name in ("out", "absolute", "loop", "top"):
        assert git.head_bytes(path(name)) is None


def test_head_is_spelled_as_the_work_tree_spells_it(repository: Repository) -> None:
    repository.write(
        ".gitattributes",
        "*.crlf text eol=crlf\n*.id ident\n*.bin -text\n*.auto text=auto\n",
    )
    names = ("a.crlf", "a.id", "a.bin", "a.auto", "plain")
    for name in names:
        repository.write(name, "x $Id$\ny\n")
    repository.commit()
    shutil.copytree(repository.root / ".git", repository.root.parent / "copy/.git")
    copy = Repository(repository.root.parent / "copy")
    copy.git("config", "core.autocrlf", "true")
    copy.git("checkout", "--quiet", "--", ".")
    git = opened(copy.root)
    for name in names:
        assert git.head_bytes(path(name)) == (copy.root / name).read_bytes()
    assert git.head_bytes(path("a.crlf")) != git.head_bytes(path("a.bin"))


@pytest.fixture
def filtered(repository: Repository) -> Repository:
    repository.git("config", "filter.swap.smudge", "tr a b")
    repository.git("config", "filter.swap.clean", "tr b a")
    repository.git("config", "filter.slow.smudge", "cat; date +%N")
    repository.git("config", "filter.slow.clean", "head -n 1")
    repository.write(
        ".gitattributes",
        "*.swap filter=swap\n*.u16 working-tree-encoding=UTF-16LE-BOM text\n"
        "*.slow filter=slow\n*.none filter=unknown\n",
    )
    repository.write("sub/x.swap", "bb\n")
    repository.write("x.u16", "é\n".encode("utf-16"))
    repository.write("x.slow", "same\nanything\n")
    repository.write("x.none", "as it is\n")
    repository.commit()
    return repository


def test_filters_and_encodings_go_through_the_git_program(filtered: Repository) -> None:
    git = opened(filtered.root)
    for name in ("sub/x.swap", "x.u16", "x.none", "x.slow"):
        assert git.head_bytes(path(name)) == (filtered.root / name).read_bytes()
    for name in ("sub/x.swap", "x.u16", "x.none"):
        before = (filtered.root / name).read_bytes()
        filtered.write(name, "something else\n")
        assert git.head_bytes(path(name)) == before
        (filtered.root / name).unlink()
        assert git.head_bytes(path(name)) == before
    below = opened(filtered.root / "sub")
    assert below.head_bytes(path("x.swap")) == b"bb\n"
    filtered.write("sub/x.swap", "bb\n")
    assert below.head_bytes(path("x.swap")) == b"bb\n"


def test_a_filter_that_fails_gives_nothing(filtered: Repository) -> None:
    filtered.git("config", "filter.swap.smudge", "false")
    filtered.git("config", "filter.swap.clean", "false")
    filtered.git("config", "filter.swap.required", "true")
    assert opened(filtered.root).head_bytes(path("sub/x.swap")) is None


def test_an_unreadable_file_on_disk_is_taken_from_the_blob(filtered: Repository) -> None:
    target = filtered.root / "sub/x.swap"
    target.unlink()
    target.mkdir()
    assert opened(filtered.root).head_bytes(path("sub/x.swap")) == b"bb\n"


def test_without_a_repository_there_is_no_git(tmp_path: Path) -> None:
    assert Git.open(tmp_path) is None
    assert Git.open(tmp_path / "nowhere") is None


def test_a_bare_repository_has_no_work_tree(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / "bare"], check=True)
    assert Git.open(tmp_path / "bare") is None


def test_a_setting_does_not_lead_away_from_the_files(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("a.txt", "a\n")
    repository.commit()
    (tmp_path / "elsewhere").mkdir()
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    repository.write("a.txt", "b\n")
    git = opened(repository.root)
    assert git.changed_paths() == ("a.txt",)
    assert git.head_bytes(path("a.txt")) == b"a\n"


def test_a_damaged_repository_is_quiet(
    repository: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    repository.write("a.txt", "a\n")
    repository.commit()
    git = opened(repository.root)
    for object_file in (git.git_dir / "objects").rglob("*"):
        if object_file.is_file():
            object_file.chmod(0o600)
            object_file.write_bytes(b"rubbish")
    (git.git_dir / "index").write_bytes(b"rubbish")
    (git.git_dir / "HEAD").write_bytes(b"rubbish")
    fresh = Git.open(repository.root)
    for asked in (git, fresh):
        if asked is None:
            continue
        assert asked.head_bytes(path("a.txt")) is None
        assert not asked.ignored(path("a.txt"))
        assert asked.changed_paths() == ()
        assert asked.list_files() == ()
    assert caplog.records


def test_a_repository_that_was_replaced_is_opened_again(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    repository.commit()
    git = opened(repository.root)
    assert git.head_bytes(path("a.txt")) == b"one\n"
    shutil.rmtree(repository.root / ".git")
    assert git.head_bytes(path("a.txt")) is None
    assert git.head_commit() is None
    repository.git("init", "--quiet")
    repository.write("a.txt", "two\n")
    commit = repository.commit()
    assert git.head_commit() == commit
    assert git.head_bytes(path("a.txt")) == b"two\n"


def test_a_repository_of_another_user_is_refused_quietly(
    repository: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    for place in (repository.root / ".git", repository.root):
        os.chown(place, 12345, 12345)
    assert Git.open(repository.root) is None
    assert "cannot be opened" in caplog.text


def test_without_the_git_program_the_rest_still_answers(
    filtered: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "git").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:relative")
    git = opened(filtered.root)
    assert git.head_commit() is not None
    assert git.head_bytes(path(".gitattributes")) is not None
    assert git.head_bytes(path("x.u16")) is None
    assert git.changed_paths() == ()


def test_a_git_that_cannot_run_or_never_ends_is_let_go(
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    program = tmp_path / "git"
    program.write_text("no program\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert opened(repository.root).list_files() == ()
    assert opened(repository.root).known_files() is None
    assert "cannot be started" in caplog.text
    program.write_text("#!/bin/sh\ntail -f /dev/null\n")
    assert run_git(repository.root, "status", timeout=0.2) is None
    assert "too long" in caplog.text


def test_a_hooks_variables_do_not_lead_elsewhere(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.txt", "a")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    git = opened(repository.root)
    assert git.list_files() == ("a.txt",)


def test_asking_takes_no_lock_and_writes_nothing(repository: Repository) -> None:
    repository.write("a.txt", "a\n")
    repository.commit()
    os.utime(repository.root / "a.txt", (1, 1))
    before = (repository.root / ".git/index").stat().st_mtime_ns
    git = opened(repository.root)
    assert git.changed_paths() == ()
    assert (repository.root / ".git/index").stat().st_mtime_ns == before


def test_many_threads_may_ask_at_once(repository: Repository) -> None:
    repository.write("a.txt", "a\n")
    repository.commit()
    git = opened(repository.root)
    wrong: list[object] = []

    def ask() -> None:
        for _ in range(50):
            answers = (git.head_bytes(path("a.txt")), git.tracked(path("a.txt")))
            if answers != (b"a\n", True):
                wrong.append(answers)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_asking_runs_no_program_that_a_repository_names_for_it(repository: Repository) -> None:
    repository.write("a", "1\n")
    repository.commit()
    said = repository.root / "said"
    hooks = repository.root / ".git/mine"
    hooks.mkdir()
    for name in ("fsmonitor", "post-index-change"):
        program = hooks / name
        program.write_text(f'#!/bin/sh\necho {name} >> "{said}"\n')
        program.chmod(0o755)
    repository.git("config", "core.fsmonitor", str(hooks / "fsmonitor"))
    repository.git("config", "core.hooksPath", str(hooks))
    repository.git("status")
    assert said.exists(), "git itself runs what is named here, or this shows nothing"
    said.unlink()
    repository.write("a", "2\n")
    git = Git.open(repository.root)
    assert git is not None
    assert git.changed_paths() == ("a",)
    assert git.list_files() == ("a",)
    assert not said.exists()
