"""A file of a commit is named without being read, and by its name it is read."""

from math import inf
from pathlib import Path

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git import Git
from tests.support.repository import Repository

A = WorkspacePath("a.txt")


def opened(root: Path) -> Git:
    git = Git.open(root)
    assert git is not None
    return git


def test_one_content_has_one_version_in_every_commit(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    first = repository.commit()
    repository.write("b.txt", "b\n")
    repository.commit()
    git = opened(repository.root)
    version = git.head_version(A)
    assert version is not None
    assert git.version_at(first, A) == version
    assert git.version_bytes(version) == b"one\n"


def test_another_content_or_another_way_to_write_it_is_another_version(
    repository: Repository,
) -> None:
    repository.write("a.txt", "one\n")
    first = repository.commit()
    git = opened(repository.root)
    before = git.head_version(A)
    repository.write("a.txt", "two\n")
    repository.commit()
    assert git.head_version(A) != before
    repository.write(".gitattributes", "*.txt eol=crlf\n")
    assert before is not None
    crlf = git.version_at(first, A)
    assert crlf is not None
    assert (crlf.blob_id, crlf == before) == (before.blob_id, False)
    assert git.version_bytes(crlf) == b"one\r\n"


def test_what_no_commit_holds_has_no_version(repository: Repository) -> None:
    git = opened(repository.root)
    assert git.head_version(A) is None
    repository.write("a.txt", "one\n")
    commit = repository.commit()
    assert git.head_version(WorkspacePath("b.txt")) is None
    assert git.version_at("0" * 40, A) is None
    assert git.version_at(commit, A) is not None


def test_a_version_whose_blob_is_lost_is_not_read(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    repository.commit()
    git = opened(repository.root)
    version = git.head_version(A)
    assert version is not None
    name = version.blob_id
    lost = repository.root / ".git/objects" / name[:2] / name[2:]
    lost.chmod(0o600)
    lost.unlink()
    assert opened(repository.root).version_bytes(version) is None


def test_many_files_are_named_at_once_as_each_is_alone(repository: Repository) -> None:
    repository.write(".gitattributes", "*.crlf eol=crlf\n*.id ident\n*.f filter=f\n*.bin binary\n")
    names = ("a.crlf", "a.id", "a.f", "a.bin", "dir/plain", "sub dir/b\udcffd\nname [1] é.txt")
    for name in names:
        repository.write(name, "x $Id$\ny\n")
    (repository.root / "link").symlink_to("dir/plain")
    (repository.root / "out").symlink_to("../out")
    commit = repository.commit()
    paths = tuple(map(WorkspacePath, (*names, "link", "out", "dir", "none", "a.id/none")))
    for setting in ("false", "true"):
        repository.git("config", "core.autocrlf", setting)
        for git, below in ((opened(repository.root), ""), (opened(repository.root / "dir"), "dir")):
            asked = tuple(path for path in paths if not below) or (WorkspacePath("plain"),)
            alone = {path: git.version_at(commit, path) for path in asked}
            expected = {path: version for path, version in alone.items() if version is not None}
            assert len(expected) == (len(names) + 1 if not below else 1)
            assert git.versions_at(commit, asked) == expected
            assert git.versions_at("HEAD", asked) == expected


def test_many_files_of_no_commit_are_not_known(repository: Repository) -> None:
    git = opened(repository.root)
    assert git.versions_at("HEAD", (A,)) is None
    repository.commit()
    assert git.versions_at("HEAD", (A,)) == {}
    assert git.versions_at("0" * 40, (A,)) is None


def test_without_the_git_program_each_file_is_asked_for_alone(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.write("a.txt", "one\n")
    repository.write(".gitattributes", "*.txt eol=crlf\n")
    commit = repository.commit()
    git = opened(repository.root)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.versions_at(commit, (A,)) == {A: git.version_at(commit, A)}


def test_the_stash_is_asked_only_where_it_is_surely_older(repository: Repository) -> None:
    repository.write("a.txt", "one\n")
    repository.commit()
    git = opened(repository.root)
    new = WorkspacePath("new")
    assert git.stashed_versions((A, new), older_than=inf) == ()
    repository.write("a.txt", "two\n")
    repository.write("new", "new\n")
    repository.git("stash", "--quiet", "--include-untracked")
    made = (repository.root / ".git/refs/stash").stat().st_ctime
    assert git.stashed_versions((A, new), older_than=made + 1) == ()
    tracked, untracked = git.stashed_versions((A, new), older_than=made + 3)
    assert git.version_bytes(tracked[A]) == b"two\n"
    assert git.version_bytes(untracked[new]) == b"new\n"
    assert (set(tracked), set(untracked)) == ({A}, {new})


def test_a_linked_work_tree_has_commits_of_its_own(repository: Repository, tmp_path: Path) -> None:
    repository.write("sub/a.txt", "one\n")
    first = repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "x", str(tmp_path / "linked"))
    linked = Repository(tmp_path / "linked")
    linked.write("sub/a.txt", "two\n")
    linked.write("top.txt", "two\n")
    second = linked.commit()
    assert opened(linked.root).committed_between(first, second) == {"sub/a.txt", "top.txt"}
    assert opened(linked.root / "sub").committed_between(first, second) == {A}
    assert opened(repository.root).committed_between(first, second) == frozenset()


def test_only_what_is_still_as_it_was_committed_is_told(repository: Repository) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        repository.write(name, "one\n")
    first = repository.commit()
    repository.write("a.txt", "two\n")
    repository.write("b.txt", "two\n")
    (repository.root / "c.txt").unlink()
    repository.commit("both")
    repository.git("branch", "side", first)
    repository.git("reset", "--quiet", "--hard", "HEAD")
    repository.git("checkout", "--quiet", "HEAD^", "--", "b.txt")
    tree = repository.git("write-tree").strip()
    now = repository.git("commit-tree", "-p", "HEAD", "-m", "x", tree).strip()
    repository.git("reset", "--quiet", "--hard", now)
    git = opened(repository.root)
    assert git.committed_between(first, now) == {"a.txt", "c.txt"}
    assert git.committed_between(None, now) == {"a.txt", "c.txt", "b.txt"}
