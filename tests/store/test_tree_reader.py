"""What the files of a root hold: held, hashed, or not there."""

import os
from pathlib import Path

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.tree_reader import NOTHING, ReadFile, TreeFiles

ONE = ReadFile(hash_content(b"one\n"), b"one\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a root with one file, and every kind of link."""
    root = tmp_path / "root"
    (root / "dir/deep").mkdir(parents=True)
    (tmp_path / "outside/deep").mkdir(parents=True)
    for place in (root / "a", root / "dir/a", root / "dir/deep/a"):
        place.write_text("one\n")
    (tmp_path / "outside/deep/a").write_text("secret\n")
    for name, target in (
        ("in", "a"),
        ("out", "../outside/deep/a"),
        ("gone", "nothing"),
        ("loop", "loop"),
        ("to-a-room", "dir"),
        ("room", "dir"),
        ("away", "../outside"),
        ("dir/up", ".."),
    ):
        (root / name).symlink_to(target)
    (tmp_path / "outside/back").symlink_to(root / "dir")
    os.mkfifo(root / "pipe")
    return root


@pytest.mark.parametrize(
    ("path", "held"),
    [
        ("a", ONE),
        ("dir/deep/a", ONE),
        ("in", ONE),
        ("room/deep/a", ONE),
        ("room/up/dir/a", ONE),
        ("dir/up/a", ONE),
        ("out", NOTHING),
        ("gone", NOTHING),
        ("loop", NOTHING),
        ("loop/a", NOTHING),
        ("to-a-room", NOTHING),
        ("dir", NOTHING),
        ("pipe", NOTHING),
        ("away/deep/a", NOTHING),
        ("away/back/a", ONE),
        ("none", NOTHING),
        ("none/none", NOTHING),
        ("a/none", NOTHING),
        ("nul\0", NOTHING),
    ],
)
def test_a_file_is_what_its_path_leads_to_inside_the_root(
    root: Path, path: str, held: ReadFile
) -> None:
    files = TreeFiles(root)
    assert files.held(WorkspacePath(path)) == held
    assert files.held(WorkspacePath(path)) == held


def test_a_file_too_large_to_hold_is_only_hashed(root: Path) -> None:
    (root / "large").write_bytes(b"x" * 9)
    (root / "link").symlink_to("large")
    (root / "empty").touch()
    files = TreeFiles(root, held_at_most=8)
    for name in ("large", "link"):
        assert files.held(WorkspacePath(name)) == ReadFile(hash_content(b"x" * 9), None)
    assert files.held(WorkspacePath("a")) == ONE
    assert files.held(WorkspacePath("empty")) == ReadFile(hash_content(b""), b"")


def test_what_is_there_and_cannot_be_asked_is_an_error(root: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        TreeFiles(root).held(WorkspacePath("x" * 5000))


def test_a_path_of_very_many_rooms_is_asked_like_another(root: Path) -> None:
    assert TreeFiles(root).held(WorkspacePath("x/" * 1900 + "x")) == NOTHING
