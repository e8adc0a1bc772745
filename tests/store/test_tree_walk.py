"""The files below a directory without git."""

import os
from pathlib import Path

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.tree_walk import files_below, place_of_name
from tests.support.repository import create

ENOUGH = 100


def write(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("x")


def test_every_file_is_listed_in_the_order_of_the_paths(tmp_path: Path) -> None:
    paths = ("b/c/d", "b/a", "a", "b.txt", ".hidden/x", "é", "odd\udcff\n", "c/z", "c/y/x")
    write(tmp_path, *paths)
    (tmp_path / "empty").mkdir()
    assert files_below(tmp_path, at_most=ENOUGH) == tuple(sorted(paths))


def test_what_git_and_the_server_keep_to_themselves_is_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        *(".git/config", "sub/.git/rubbish", "sub/a", "linked/.git"),
        *(".orchestration/.local/state.sqlite3", ".orchestration/active_intents.yaml"),
        *("other/.local/x", "gitignore"),
    )
    create(tmp_path / "deep/inner").write("theirs", "x")
    (tmp_path / "linked/theirs").write_text("x")
    assert files_below(tmp_path, at_most=ENOUGH) == (
        ".orchestration/active_intents.yaml",
        "gitignore",
        "other/.local/x",
        "sub/a",
    )


def test_the_root_is_looked_into_even_where_a_repository_begins(tmp_path: Path) -> None:
    create(tmp_path).write("a", "x")
    assert files_below(tmp_path, at_most=ENOUGH) == ("a",)


def test_links_and_pipes_are_no_files(tmp_path: Path) -> None:
    write(tmp_path, "root/a", "root/dir/b", "outside/c")
    root = tmp_path / "root"
    for name, target in (
        ("file", "a"),
        ("room", "dir"),
        ("out", "../outside"),
        ("loop", "loop"),
        ("up", "."),
        ("gone", "nothing"),
    ):
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    assert files_below(root, at_most=ENOUGH) == ("a", "dir/b")


@pytest.mark.parametrize(("at_most", "listed"), [(4, False), (5, True), (0, False)])
def test_more_files_than_allowed_are_not_listed(
    tmp_path: Path, at_most: int, *, listed: bool
) -> None:
    write(tmp_path, "a", "b", "c/d", "c/e/f", "c/e/g")
    assert (files_below(tmp_path, at_most=at_most) is not None) is listed


def test_a_directory_that_cannot_be_listed_is_left_out_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, "a")
    # Nobody, whatever their rights, can list a path that is longer than the system allows.
    long = "d" * 200
    room = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir(long, dir_fd=room)
        inner = os.open(long, os.O_RDONLY, dir_fd=room)
        os.close(room)
        room = inner
    os.close(os.open("deep", os.O_CREAT | os.O_WRONLY, dir_fd=room))
    os.close(room)
    assert files_below(tmp_path, at_most=ENOUGH) == ("a",)
    assert "cannot be listed" in caplog.text
    assert files_below(tmp_path / "nowhere", at_most=ENOUGH) == ()


@pytest.mark.parametrize(
    ("name", "real"),
    [("a", "a"), ("room", "room"), ("room/b", "dir/b"), ("up/a", "a"), ("dir/up/room", "room")],
)
def test_the_links_of_a_name_are_resolved_but_for_its_own(
    name: str, real: str, tmp_path: Path
) -> None:
    write(tmp_path, "a", "dir/b")
    for link, target in (("room", "dir"), ("up", "."), ("dir/up", "..")):
        (tmp_path / link).symlink_to(target)
    assert place_of_name(tmp_path, WorkspacePath(name)).real == real


def test_a_name_behind_a_link_out_of_the_root_has_no_place_in_it(tmp_path: Path) -> None:
    write(tmp_path, "root/a", "outside/b")
    (tmp_path / "root/away").symlink_to("../outside")
    assert place_of_name(tmp_path / "root", WorkspacePath("away/b")).real is None
