"""Files of the work tree changed for an agent: all of them or none, none outside (protocol 2)."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.errors import FileChangedError, IntentLspError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs import files
from intent_lsp.store.fs.transaction import WorkFile, change_files

Tree = dict[str, tuple[str, int, bytes | str]]


def write(path: str, data: bytes | None, before: bytes | None = None) -> WorkFile:
    return WorkFile(path=WorkspacePath(path), data=data, before=before)


def move(source: str, path: str, before: bytes | None, data: bytes | None = None) -> WorkFile:
    return WorkFile(
        path=WorkspacePath(path),
        data=before if data is None else data,
        before=before,
        source=WorkspacePath(source),
    )


def tree(root: Path) -> Tree:
    """Give everything below a directory: kind, mode, content."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name, mode = path.relative_to(root).as_posix(), path.lstat().st_mode & 0o777
        if path.is_symlink():
            found[name] = ("link", 0, os.fspath(path.readlink()))
        elif path.is_dir():
            found[name] = ("directory", mode, b"")
        else:
            found[name] = ("file", mode, path.read_bytes())
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Give a root with two files, a link out of it, and a file outside."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "a").write_bytes(b"a")
    (root / "src/b").write_bytes(b"b")
    (root / "a").chmod(0o755)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/c").write_bytes(b"c")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "in").symlink_to("src")
    return root


# Made last, it cannot be: what came before is undone.
IMPOSSIBLE = write("src", b"a directory is there")


def test_files_are_written_made_moved_and_deleted_together(root: Path) -> None:
    change_files(
        root,
        (
            write("a", b"A", b"a"),
            write("new/deep/er", b"n"),
            move("src/b", "lib/b", b"b", b"B"),
            write("src/x", b""),
            move("src/x", "src/y", b""),
            write("new/deep/er", None, b"n"),
        ),
    )
    found = tree(root)
    assert found["a"] == ("file", 0o755, b"A")
    assert found["lib/b"][2] == b"B"
    assert found["src/y"][2] == b""
    assert set(found) == {"a", "in", "out", "src", "src/y", "lib", "lib/b", "new", "new/deep"}


def test_nothing_to_change_changes_nothing(root: Path) -> None:
    before = tree(root.parent)
    change_files(root, ())
    change_files(root, (write("gone", None), write("none/gone", None)))
    assert tree(root.parent) == before


def test_a_move_keeps_the_very_file(root: Path) -> None:
    inode = (root / "a").stat().st_ino
    change_files(root, (move("a", "bin/tool", b"a"),))
    assert (root / "bin/tool").stat().st_ino == inode
    assert (root / "bin/tool").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("data", [b"A", b"aa"])
def test_a_mode_stays_with_a_new_content_and_a_new_name(root: Path, data: bytes) -> None:
    change_files(root, (write("a", data, b"a"), move("a", "b", data, b"moved")))
    assert tree(root)["b"] == ("file", 0o755, b"moved")


def test_a_link_inside_stays_a_link_and_can_go(root: Path) -> None:
    (root / "link").symlink_to("src/b")
    change_files(root, (write("link", b"B", b"b"), write("in/b2", b"2")))
    assert tree(root)["link"] == ("link", 0, "src/b")
    assert (root / "src/b").read_bytes() == b"B"
    assert (root / "src/b2").read_bytes() == b"2"
    change_files(root, (write("link", None, b"B"),))
    assert (root / "src/b").read_bytes() == b"B"
    assert not os.path.lexists(root / "link")


def test_a_link_to_nowhere_can_go(root: Path) -> None:
    (root / "dangling").symlink_to("nowhere")
    change_files(root, (write("dangling", None),))
    assert not os.path.lexists(root / "dangling")


CHANGES = {
    "write": write("a", b"A", b"a"),
    "write in a directory": write("src/b", b"B", b"b"),
    "create": write("new/file", b"n"),
    "create deep": write("x/y/z", b"n"),
    "delete": write("a", None, b"a"),
    "delete what is not there": write("none", None),
    "move": move("a", "z", b"a"),
    "move deep": move("a", "x/y/a", b"a"),
    "move and write": move("a", "lib/a", b"a", b"A"),
    "through a link": write("in/b", b"B", b"b"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_fails_later_leaves_everything_as_it_was(root: Path, name: str) -> None:
    before = tree(root.parent)
    with pytest.raises(UnsafePathError):
        change_files(root, (CHANGES[name], IMPOSSIBLE))
    assert tree(root.parent) == before


REFUSED: dict[str, tuple[WorkFile, type[Exception]]] = {
    "a directory": (write("src", b"x"), UnsafePathError),
    "a directory that shall go": (write("src", None), UnsafePathError),
    "below a file": (write("a/x", b"x"), OSError),
    "out": (write("out/c", b"x", b"c"), UnsafePathError),
    "out, made": (write("out/new", b"x"), UnsafePathError),
    "out, directories too": (write("out/new/deep", b"x"), UnsafePathError),
    "out, deleted": (write("out/c", None, b"c"), UnsafePathError),
    "out, moved there": (move("a", "out/a", b"a"), UnsafePathError),
    "out, moved from there": (move("out/c", "c", b"c"), UnsafePathError),
    "above, deleted": (write("../outside/c", None, b"c"), UnsafePathError),
    "a link that leaves": (write("leaving", b"x", b"c"), UnsafePathError),
    "changed": (write("a", b"A", b"before"), FileChangedError),
    "there already": (write("a", b"A"), FileChangedError),
    "gone": (write("none", b"A", b"before"), FileChangedError),
    "changed, deleted": (write("a", None, b"before"), FileChangedError),
    "there again, deleted": (write("a", None), FileChangedError),
    "gone, deleted": (write("none", None, b"a"), FileChangedError),
    "changed, moved": (move("a", "z", b"before"), FileChangedError),
    "changed, moved and written": (move("a", "z", b"before", b"A"), FileChangedError),
    "gone, moved": (move("none", "z", b"a"), FileChangedError),
    "moved to a file": (move("a", "src/b", b"a"), UnsafePathError),
    "moved to a directory": (move("a", "src", b"a"), UnsafePathError),
    "moved to a link": (move("a", "in", b"a"), UnsafePathError),
    "moved to a dangling link": (move("a", "dangling", b"a"), UnsafePathError),
    "moved to itself": (move("a", "a", b"a"), UnsafePathError),
    "moved from nothing": (move("none", "z", None, b""), OSError),
    "read-only": (write("fixed", b"x", b"f"), PermissionError),
    "read-only, moved and written": (move("fixed", "z/fixed", b"f", b"x"), PermissionError),
    "too long": (write("x" * 300, b"x"), OSError),
    "too long a path": (write("d/" * 2100 + "x", b"x"), OSError),
    "through a dangling link": (write("dangling/x", b"x"), OSError),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_and_the_rest_undone(root: Path, name: str) -> None:
    refused, kind = REFUSED[name]
    (root / "fixed").write_bytes(b"f")
    (root / "fixed").chmod(0o444)
    (root / "leaving").symlink_to(root.parent / "outside/c")
    (root / "dangling").symlink_to("nowhere")
    before = tree(root.parent)
    for changes in ((refused,), (write("q/r", b"q"), write("src/b", b"B", b"b"), refused)):
        with pytest.raises(kind):
            change_files(root, changes)
        assert tree(root.parent) == before


def test_a_file_named_twice_is_made_once_and_undone(root: Path) -> None:
    before = tree(root)
    with pytest.raises(FileChangedError):
        change_files(root, (write("a", b"1", b"a"), write("a", b"2", b"a")))
    assert tree(root) == before


Meanwhile = Callable[[Path], Any]


@pytest.mark.parametrize(
    ("change", "meanwhile", "theirs"),
    [
        (write("a", b"A", b"a"), lambda r: (r / "a").write_bytes(b"new"), {"a": b"new"}),
        (write("a", b"A", b"a"), lambda r: (r / "a").unlink(), {"a": None}),
        (write("n", b"N"), lambda r: (r / "n").write_bytes(b"new"), {"n": b"new"}),
        (write("n", b"N"), lambda r: (r / "n").unlink(), {"n": None}),
        (write("a", None, b"a"), lambda r: (r / "a").write_bytes(b"new"), {"a": b"new"}),
        (move("a", "z", b"a"), lambda r: (r / "a").write_bytes(b"new"), {"a": b"new"}),
        (write("d/n", b"N"), lambda r: (r / "d/own").write_bytes(b"o"), {"d/own": b"o"}),
    ],
    ids=["write", "write-gone", "create", "create-gone", "delete", "move", "directory"],
)
def test_undoing_takes_nothing_from_others(
    root: Path, change: WorkFile, meanwhile: Meanwhile, theirs: dict[str, bytes | None]
) -> None:
    def changes() -> Iterator[WorkFile]:
        yield change
        meanwhile(root)
        yield IMPOSSIBLE

    with pytest.raises(UnsafePathError):
        change_files(root, changes())
    for name, data in theirs.items():
        assert files.read_bytes(root / name) == data


def test_what_cannot_be_put_back_is_logged_and_the_rest_is_put_back(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def changes() -> Iterator[WorkFile]:
        yield write("src/b", b"B", b"b")
        yield move("a", "z", b"a")
        (root / "a").mkdir()
        yield IMPOSSIBLE

    with pytest.raises(UnsafePathError):
        change_files(root, changes())
    assert (root / "src/b").read_bytes() == b"b"
    assert (root / "z").read_bytes() == b"a"
    assert "a could not be put back" in caplog.text


def test_what_was_to_go_and_cannot_is_logged(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refusing(_path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # Rights do not bind root: the system's own call refuses.
    monkeypatch.setattr(Path, "unlink", refusing)
    change_files(root, (write("a", None, b"a"),))
    assert not (root / "a").exists()
    assert "could not be removed" in caplog.text


NAMES = ("a", "src/b", "new", "src/new", "x/y")
CONTENTS = (None, b"", b"a", b"b", b"long " * 100)
any_change = st.builds(
    WorkFile,
    path=st.sampled_from(NAMES).map(WorkspacePath),
    data=st.sampled_from(CONTENTS),
    before=st.sampled_from(CONTENTS),
    source=st.none() | st.sampled_from(NAMES).map(WorkspacePath),
)


@given(st.lists(any_change, max_size=4))
def test_all_changes_are_made_or_none(
    tmp_path_factory: pytest.TempPathFactory, changes: list[WorkFile]
) -> None:
    root = tmp_path_factory.mktemp("root")
    (root / "src").mkdir()
    (root / "a").write_bytes(b"a")
    (root / "src/b").write_bytes(b"b")
    before, wanted = tree(root), {"a": b"a", "src/b": b"b"}
    try:
        change_files(root, changes)
    except (OSError, IntentLspError):
        assert tree(root) == before
        return
    for change in changes:
        if change.source is not None and change.data is not None:
            wanted.pop(change.source)
        wanted.pop(change.path, None)
        if change.data is not None:
            wanted[change.path] = change.data
    assert {name: data for name, (kind, _, data) in tree(root).items() if kind == "file"} == wanted
