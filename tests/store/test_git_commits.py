"""Ranges of commits, also in shallow clones, and the files in which trees differ."""

import os
import subprocess
from pathlib import Path

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.git.commits import (
    ShallowRangeError,
    UnknownRevisionError,
    UnreadableCommitsError,
    commit_range,
    head_branch,
    resolve,
)
from intent_lsp.store.git.file_changes import (
    FileDelta,
    commit_deltas,
    index_deltas,
    unmerged_paths,
)
from intent_lsp.store.git.repository import Git
from tests.support.repository import Repository


def opened(root: Path) -> Git:
    git = Git.open(root)
    assert git is not None
    return git


def commits(repository: Repository, count: int) -> list[str]:
    made = []
    for number in range(count):
        repository.write(f"file{number}.txt", f"{number}\n")
        made.append(repository.commit(f"commit {number}"))
    return made


def clone(repository: Repository, to: Path, *options: str) -> Repository:
    command = ["git", "clone", "--quiet", *options, f"file://{repository.root}", os.fspath(to)]
    subprocess.run(command, check=True, capture_output=True)
    return Repository(to)


def shown(deltas: list[FileDelta]) -> list[tuple[str | None, str | None]]:
    sides = ((each.old, each.new) for each in deltas)
    return sorted(
        (
            (None if old is None else old.path, None if new is None else new.path)
            for old, new in sides
        ),
        key=str,
    )


def test_a_range_has_each_commit_after_its_parents(repository: Repository) -> None:
    first, *others = commits(repository, 4)
    found = commit_range(opened(repository.root), first, "HEAD")
    assert [each.id for each in found.commits] == others
    assert (found.base, found.head, found.start) == (first, others[-1], first)
    assert found.commits[0].parents == (first,)
    assert found.commits[0].subject == "commit 1"
    assert found.commits[0].author == "Ada Lovelace <ada@example.org>"
    assert commit_range(opened(repository.root), "HEAD", "HEAD").commits == []


def test_a_range_has_the_commits_of_merged_branches(repository: Repository) -> None:
    (base,) = commits(repository, 1)
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.write("topic.txt", "t\n")
    topic = repository.commit("topic")
    repository.git("checkout", "--quiet", "main")
    repository.write("main.txt", "m\n")
    other = repository.commit("main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    found = commit_range(opened(repository.root), base, "main")
    assert {each.id for each in found.commits[:2]} == {topic, other}
    assert found.commits[-1].merge
    assert commit_range(opened(repository.root), other, "main").start == other


def test_histories_that_never_met_have_no_start(repository: Repository) -> None:
    (base,) = commits(repository, 1)
    repository.git("checkout", "--quiet", "--orphan", "other")
    other = repository.commit("other")
    found = commit_range(opened(repository.root), base, "other")
    assert (found.start, [each.id for each in found.commits]) == (None, [other])


def test_a_message_that_is_not_utf_8_is_read(repository: Repository) -> None:
    (base,) = commits(repository, 1)
    subprocess.run(
        ["git", "-c", "i18n.commitEncoding=latin1", "commit", "--allow-empty", "-q", "-F", "-"],
        cwd=repository.root,
        input=b"gr\xf6\xdfe\n\nIntent: INT-001\n",
        check=True,
    )
    (commit,) = commit_range(opened(repository.root), base, "HEAD").commits
    assert "Intent: INT-001" in commit.message


def test_an_unknown_revision_says_how_to_get_it(repository: Repository) -> None:
    commits(repository, 1)
    git = opened(repository.root)
    for revision in ("origin/main", "f" * 40, "HEAD~5", "", "a b", ":/nothing"):
        with pytest.raises(UnknownRevisionError) as error:
            resolve(git, revision)
        assert "git fetch origin" in error.value.cure
    with pytest.raises(UnknownRevisionError) as error:
        commit_range(git, "0" * 40, "HEAD")
    assert "a new branch has no earlier commit" in error.value.cure


def test_an_unborn_head_is_no_revision(repository: Repository) -> None:
    git = opened(repository.root)
    assert head_branch(git) == "main"
    with pytest.raises(UnknownRevisionError):
        commit_range(git, "HEAD", "HEAD")


def test_a_detached_head_has_no_branch(repository: Repository) -> None:
    commits(repository, 1)
    repository.git("checkout", "--quiet", "--detach")
    assert head_branch(opened(repository.root)) is None


def test_a_shallow_clone_says_how_to_deepen_it(repository: Repository, tmp_path: Path) -> None:
    _, second, third, fourth, last = commits(repository, 5)
    git = opened(clone(repository, tmp_path / "shallow", "--depth", "3").root)
    with pytest.raises(UnknownRevisionError) as error:
        commit_range(git, second, "HEAD")
    assert "git fetch --unshallow" in error.value.cure
    assert "fetch-depth: 0" in error.value.cure
    assert [each.id for each in commit_range(git, fourth, "HEAD").commits] == [last]
    # The base itself is the last commit that the clone has.
    assert [each.id for each in commit_range(git, third, "HEAD").commits] == [fourth, last]


def test_a_base_that_was_fetched_alone_gives_no_range(
    repository: Repository, tmp_path: Path
) -> None:
    first, *_ = commits(repository, 5)
    repository.git("branch", "old", first)
    shallow = clone(repository, tmp_path / "shallow", "--depth", "2")
    shallow.git("fetch", "--quiet", "--depth", "1", "origin", "old:old")
    with pytest.raises(ShallowRangeError) as error:
        commit_range(opened(shallow.root), "old", "HEAD")
    assert "git fetch --unshallow" in error.value.cure


def test_a_cut_side_branch_gives_no_range(repository: Repository, tmp_path: Path) -> None:
    (base, *_) = commits(repository, 2)
    repository.git("checkout", "--quiet", "-b", "topic", base)
    for number in range(4):
        repository.write("topic.txt", f"{number}\n")
        repository.commit("topic")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "topic")
    shallow = clone(repository, tmp_path / "shallow", "--depth", "2")
    with pytest.raises(ShallowRangeError):
        commit_range(opened(shallow.root), "HEAD~1", "HEAD")


def test_a_deepened_clone_is_whole(repository: Repository, tmp_path: Path) -> None:
    first, *others = commits(repository, 3)
    shallow = clone(repository, tmp_path / "shallow", "--depth", "1")
    shallow.git("fetch", "--quiet", "--unshallow")
    found = commit_range(opened(shallow.root), first, "HEAD")
    assert [each.id for each in found.commits] == others


def test_two_commits_differ_in_files(repository: Repository) -> None:
    repository.write("kept.txt", "k\n" * 50)
    repository.write("gone.txt", "g\n" * 50)
    repository.write(os.fsdecode(b"b\xff \n.txt"), "odd\n")
    first = repository.commit()
    repository.git("mv", "kept.txt", "moved.txt")
    repository.git("rm", "--quiet", "gone.txt")
    repository.write("new.txt", "n\n")
    second = repository.commit()
    git = opened(repository.root)
    assert shown(commit_deltas(git, first, second)) == [
        ("gone.txt", None),
        ("kept.txt", "moved.txt"),
        (None, "new.txt"),
    ]
    assert shown(commit_deltas(git, None, first)) == [
        (None, os.fsdecode(b"b\xff \n.txt")),
        (None, "gone.txt"),
        (None, "kept.txt"),
    ]
    with pytest.raises(UnreadableCommitsError):
        commit_deltas(git, first, "f" * 40)


def test_a_root_below_the_top_sees_its_own_files(repository: Repository) -> None:
    repository.write("part/a.txt", "a\n" * 50)
    repository.write("outside.txt", "o\n" * 50)
    first = repository.commit()
    repository.git("mv", "part/a.txt", "away.txt")
    repository.git("mv", "outside.txt", "part/inside.txt")
    second = repository.commit()
    git = opened(repository.root / "part")
    found = commit_deltas(git, first, second)
    assert shown(found) == [("a.txt", None), (None, "inside.txt")]
    assert {each.path for each in found} == {WorkspacePath("a.txt"), WorkspacePath("inside.txt")}


def test_the_index_differs_from_head(repository: Repository) -> None:
    git = opened(repository.root)
    repository.write("a.txt", "a\n")
    repository.git("add", "a.txt")
    assert shown(index_deltas(git)) == [(None, "a.txt")]
    repository.commit()
    assert index_deltas(git) == []
    repository.write("a.txt", "b\n")
    assert index_deltas(git) == []
    repository.git("add", "a.txt")
    assert shown(index_deltas(git)) == [("a.txt", "a.txt")]


def test_inside_a_hook_the_index_is_the_one_that_git_names(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("a.txt", "a\n")
    repository.commit()
    repository.write("a.txt", "b\n")
    other = repository.root / ".git" / "next-index"
    other.write_bytes((repository.root / ".git" / "index").read_bytes())
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    repository.git("add", "a.txt")
    git = opened(repository.root)
    assert shown(index_deltas(git)) == [("a.txt", "a.txt")]
    monkeypatch.setenv("GIT_INDEX_FILE", "/somewhere/else/index")
    assert index_deltas(git) == []


def test_files_in_conflict_are_named(repository: Repository) -> None:
    repository.write("a.txt", "a\n")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.write("a.txt", "b\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("a.txt", "c\n")
    repository.commit()
    subprocess.run(
        ["git", "merge", "-q", "topic"], cwd=repository.root, check=False, capture_output=True
    )
    assert unmerged_paths(opened(repository.root)) == (WorkspacePath("a.txt"),)


def test_a_submodule_is_a_side_without_a_file(repository: Repository) -> None:
    (first,) = commits(repository, 1)
    entry = f"160000,{first},sub"
    repository.git("update-index", "--add", "--cacheinfo", entry)
    (delta,) = index_deltas(opened(repository.root))
    assert delta.new is not None
    assert delta.new.submodule
