"""What git says of a root: which HEAD, and what differs from it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.paths import parse_relative
from intent_lsp.store.git.status import TreeStatus, read_status, tree_status
from tests.support.repository import Repository, create

ODD = "sub dir/b\udcffd\nname [1] é.txt"
HEAD = b"# branch.oid 0123abcd\0"
FIELDS = b"N... 100644 100644 100644 0 0"


def asked(root: Path) -> TreeStatus:
    status = tree_status(root)
    assert status is not None
    return status


def test_an_unborn_head_is_none_and_every_file_differs_from_it(repository: Repository) -> None:
    repository.write("staged", "x")
    repository.git("add", "staged")
    repository.write("new", "x")
    status = asked(repository.root)
    assert (status.head, status.paths) == (None, ("staged", "new"))


def test_what_differs_is_told_with_the_commit_that_it_differs_from(repository: Repository) -> None:
    for name in ("same", "edited", "removed", "staged", "moved", ODD):
        repository.write(name, name.encode("utf-8", "surrogateescape"))
    repository.write(".gitignore", "*.log\n")
    commit = repository.commit()
    assert asked(repository.root) == TreeStatus(head=commit, paths=())
    for name in ("edited", "staged", ODD, "new dir/new", "x.log"):
        repository.write(name, "x")
    repository.git("add", "staged")
    (repository.root / "removed").unlink()
    repository.git("mv", "moved", "here")
    create(repository.root / "inner").write("theirs", "x")
    status = asked(repository.root)
    assert status.head == commit
    assert len(status.paths) == len(set(status.paths))
    assert set(status.paths) == {
        *("edited", "removed", "staged", "moved"),
        *("here", "new dir/new", ODD),
    }


def test_a_file_that_the_index_alone_has_lost_is_told_once(repository: Repository) -> None:
    repository.write("a", "x")
    repository.commit()
    repository.git("rm", "--quiet", "--cached", "a")
    assert asked(repository.root).paths == ("a",)


def test_a_conflict_is_told_apart(repository: Repository) -> None:
    repository.write("a", "base\n")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "other")
    repository.write("a", "theirs\n")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    repository.write("a", "ours\n")
    repository.commit()
    subprocess.run(["git", "merge", "--quiet", "other"], cwd=repository.root, check=False)
    repository.write("b", "mine\n")
    status = asked(repository.root)
    assert set(status.paths) == {"a", "b"}
    assert status.unmerged == {"a"}


def test_a_submodule_is_no_file_of_ours(repository: Repository, tmp_path: Path) -> None:
    inner = create(tmp_path / "inner")
    inner.write("x", "x")
    inner.commit()
    repository.git("submodule", "--quiet", "add", str(inner.root), "mod")
    assert asked(repository.root).paths == (".gitmodules",)


def test_a_root_below_the_top_level_sees_its_own_paths(
    repository: Repository, tmp_path: Path
) -> None:
    repository.write("in ner/a", "x")
    repository.write("top", "x")
    commit = repository.commit()
    repository.write("in ner/a", "y")
    repository.write("in ner/b", "y")
    repository.write("top", "y")
    (tmp_path / "link").symlink_to(repository.root / "in ner")
    for root in (repository.root / "in ner", tmp_path / "link"):
        status = asked(root)
        assert (status.head, status.paths) == (commit, ("a", "b"))


def test_a_persons_settings_change_nothing(repository: Repository) -> None:
    repository.write("a", "x")
    repository.commit()
    repository.git("config", "status.showUntrackedFiles", "no")
    repository.git("config", "status.renames", "copies")
    repository.git("config", "status.relativePaths", "false")
    repository.git("mv", "a", "b")
    repository.write("dir/c", "x")
    assert set(asked(repository.root).paths) == {"a", "b", "dir/c"}


def test_no_answer_is_not_the_same_as_no_difference(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit()
    assert tree_status(tmp_path) is None
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        assert tree_status(repository.root) is None
    (repository.root / ".git/index").write_bytes(b"rubbish")
    assert tree_status(repository.root) is None
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    assert tree_status(repository.root) is None
    shutil.rmtree(repository.root / ".git")
    assert tree_status(repository.root) is None


@pytest.mark.parametrize(
    ("entry", "paths"),
    [
        (b"1 .M " + FIELDS + b" a b", ("a b",)),
        (b"u UU N... 1 1 1 1 0 0 0 a b", ("a b",)),
        (b"? a\xff", ("a\udcff",)),
        (b"? in/x", ("in/x",)),
        (b"? dir/", ()),
        (b"1 .M " + FIELDS.replace(b"N...", b"S.M.") + b" mod", ()),
        (b"! ignored", ()),
        (b"1 .M short", ()),
        (b"1 ", ()),
        (b"? ../x", ()),
        (b"? ", ()),
        (b"x", ()),
        (b"", ()),
    ],
)
def test_each_kind_of_entry_is_read(entry: bytes, paths: tuple[str, ...]) -> None:
    status = read_status(HEAD + entry + b"\0", "")
    assert status is not None
    assert status.head == "0123abcd"
    assert status.paths == paths
    below = read_status(HEAD + entry + b"\0", "in/")
    assert below is not None
    assert below.paths == tuple(path[3:] for path in paths if path.startswith("in/"))


@given(st.binary() | st.lists(st.binary(max_size=20)).map(b"\0".join), st.sampled_from(("", "a/")))
def test_whatever_is_printed_is_read_as_paths_or_as_nothing(printed: bytes, prefix: str) -> None:
    status = read_status(printed, prefix)
    told = read_status(HEAD + printed, prefix)
    assert (status is None) == (b"# branch.oid " not in _starts(printed))
    assert told is not None
    assert all(parse_relative(path) == path for path in told.paths)
    assert told.unmerged <= set(told.paths)


def _starts(printed: bytes) -> set[bytes]:
    return {entry[:13] for entry in printed.split(b"\0")}
