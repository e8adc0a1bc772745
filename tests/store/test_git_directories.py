"""The directories of a work tree in which a change counts."""

import os
from pathlib import Path

import pytest

from intent_lsp.store.git.ignored import tree_rooms
from tests.support.repository import Repository, create

ROOMS = ("src/deep", "docs", "build/out", "src/made", ".orchestration/.local/x")


def directories(root: Path, at_most: int = 100) -> set[str] | None:
    found = tree_rooms(root, at_most=at_most)
    return None if found is None else {path.relative_to(root).as_posix() for path in found}


@pytest.fixture
def tree(repository: Repository) -> Repository:
    for room in ROOMS:
        (repository.root / room).mkdir(parents=True)
    repository.write(".gitignore", "build/\nsrc/made\n")
    repository.write("build/out/x", "")
    repository.write("src/made/x", "")
    return repository


def test_what_git_ignores_and_its_own_is_left_out(tree: Repository) -> None:
    assert directories(tree.root) == {".", "src", "src/deep", "docs", ".orchestration"}
    assert directories(tree.root / "src") == {".", "deep"}


def test_an_ignored_directory_with_a_file_that_git_tracks_counts(tree: Repository) -> None:
    tree.git("add", "--force", "build/out/x")
    found = directories(tree.root)
    assert found is not None
    assert {"build", "build/out"} <= found


def test_repositories_below_and_linked_directories_are_anothers(
    tree: Repository, tmp_path: Path
) -> None:
    (tree.root / "linked").symlink_to(tmp_path)
    tree.commit()
    create(tree.root / "docs/inner").write("own/x", "")
    tree.git("worktree", "add", "--quiet", "work")
    assert directories(tree.root) == {".", "src", "src/deep", "docs", ".orchestration"}


def test_too_many_are_none(tree: Repository) -> None:
    assert directories(tree.root, at_most=5) is not None
    assert directories(tree.root, at_most=4) is None


def test_without_git_nothing_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert directories(tmp_path) == {".", "a", "a/b"}
    assert directories(tmp_path / "none") == {"."}


def test_a_name_that_is_no_text_is_a_name(repository: Repository) -> None:
    Path(os.fsdecode(os.fsencode(repository.root) + b"/a\xff/b")).mkdir(parents=True)
    found = tree_rooms(repository.root, at_most=10)
    assert found is not None
    assert {os.fsencode(path) for path in found} >= {os.fsencode(repository.root) + b"/a\xff/b"}
