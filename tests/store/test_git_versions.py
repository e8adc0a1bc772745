"""A file of a commit is named without being read, and by its name it is read."""

from pathlib import Path

import pytest

from intent_lsp.core.agents.tickets import LogMark
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.gitdir import log_mark, moves_since
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.trees import GitTrees, standing_merges
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


def authored(root: Path, since: LogMark | None) -> frozenset[WorkspacePath]:
    git = opened(root)
    moves = None if since is None else moves_since(git.git_dir, since)
    return GitTrees(git).authored(moves or ())


def test_a_linked_work_tree_has_commits_of_its_own(repository: Repository, tmp_path: Path) -> None:
    repository.write("sub/a.txt", "one\n")
    first = repository.commit()
    repository.git("worktree", "add", "--quiet", "-b", "x", str(tmp_path / "linked"))
    linked = Repository(tmp_path / "linked")
    mark = log_mark(opened(linked.root).git_dir)
    linked.write("sub/a.txt", "two\n")
    linked.write("top.txt", "two\n")
    second = linked.commit()
    assert authored(linked.root, mark) == {"sub/a.txt", "top.txt"}
    assert authored(linked.root / "sub", mark) == {A}
    assert authored(repository.root, mark) == frozenset()
    assert GitTrees(opened(repository.root)).changed(first, second) == {"sub/a.txt", "top.txt"}


def test_of_a_merge_only_what_merging_does_not_give_is_authored(repository: Repository) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        repository.write(name, "one\n")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "side")
    repository.write("a.txt", "theirs\n")
    repository.write("b.txt", "theirs\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("b.txt", "ours\n")
    repository.commit()
    mark = log_mark(opened(repository.root).git_dir)
    with pytest.raises(AssertionError):
        repository.git("merge", "--quiet", "side")
    trees = GitTrees(opened(repository.root))
    head = repository.git("rev-parse", "HEAD").strip()
    (standing,) = standing_merges(repository.root / ".git", head)
    theirs = repository.git("rev-parse", "side:a.txt").strip()
    assert trees.merging_gives(A, theirs, [standing])
    assert not trees.merging_gives(WorkspacePath("b.txt"), theirs, [standing])
    repository.write("b.txt", "both\n")
    repository.write("c.txt", "changed, too\n")
    repository.commit()
    assert authored(repository.root, mark) == {"b.txt", "c.txt"}


@pytest.mark.parametrize("name", ["a b.txt", 'quo"ted', '"', "new\nline", "\\back", "é"])
def test_the_blob_of_a_file_is_that_which_git_would_write(
    repository: Repository, name: str
) -> None:
    path = WorkspacePath(f"sub/{name}")
    repository.write(".gitattributes", "* text eol=crlf\n")
    repository.write(path, "one\r\ntwo\r\n")
    (repository.root / "sub/link").symlink_to("nowhere")
    repository.git("add", "--all")
    listed = repository.git("ls-files", "-s", "-z").split("\0")
    blobs = {entry.partition("\t")[2]: entry.split(" ")[1] for entry in listed if entry}
    link, gone = WorkspacePath("sub/link"), WorkspacePath("sub/gone")
    found = GitTrees(opened(repository.root)).object_ids([path, link, gone])
    assert found == {path: blobs[path], link: blobs[link]}
    below = GitTrees(opened(repository.root / "sub"))
    assert below.object_ids([WorkspacePath(name)]) == {name: blobs[path]}


def test_what_cannot_be_asked_is_not_known(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repository.write("a.txt", "one\n")
    commit = repository.commit()
    trees = GitTrees(opened(repository.root))
    lost = "0" * 40
    assert trees.changed(commit, lost) is None
    assert trees.blob(lost, A) is None
    assert not trees.leads_to([commit], lost)
    assert not trees.leads_to([lost], commit)
    assert not trees.merging_gives(A, None, [("", lost, commit)])
    assert trees.merged_blob(lost, lost, b"") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert trees.object_ids([A]) is None
    assert trees.object_ids([]) == {}
