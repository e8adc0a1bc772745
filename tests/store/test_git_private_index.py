"""A private copy of git's index: refreshed by use, rebuilt after git's own has changed."""

import os
import shutil
from pathlib import Path

import pytest

from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.git.status import FILE_NAME, PrivateIndex, tree_status
from tests.support.repository import Repository


@pytest.fixture
def copied(repository: Repository, tmp_path: Path) -> Repository:
    """Give a copy of a work tree, of which git believes no entry of its index."""
    for number in range(20):
        repository.write(f"src/{number}.py", f"{number}\n")
    repository.write(".gitignore", ".orchestration/\n")
    repository.commit()
    copy = Repository(tmp_path / "copy")
    shutil.copytree(repository.root, copy.root)
    (copy.root / LOCAL_ROOM).mkdir(parents=True)
    return copy


def test_a_look_writes_down_in_the_copy_what_it_has_found(copied: Repository) -> None:
    real = copied.root / ".git/index"
    before = real.read_bytes()
    private = PrivateIndex(copied.root, copied.root / ".git")
    place = private.place()
    copy = copied.root / LOCAL_ROOM / FILE_NAME
    assert place["GIT_INDEX_FILE"] == os.fspath(copy)
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == (before, real.stat().st_mtime_ns)
    assert tree_status(copied.root, place) == tree_status(copied.root)
    assert real.read_bytes() == before
    refreshed = copy.read_bytes()
    assert refreshed != before
    private.done()
    # The next one finds it so, and goes on with it.
    assert private.place() == place
    tree_status(copied.root, place)
    assert copy.read_bytes() == refreshed


@pytest.mark.parametrize(
    "change",
    [
        "echo x > src/1.py",
        "echo x > src/1.py; git add src/1.py",
        "git rm -q src/1.py",
        "git rm -q --cached src/1.py",
        "rm src/1.py; echo new > new.py; git add -N new.py",
        "git mv src/1.py src/one.py; git commit -qm moved; echo 2 > src/one.py",
        "git update-index --assume-unchanged src/1.py; echo x > src/1.py",
        "git config core.splitIndex true; git update-index --split-index; echo x > src/1.py",
        "git config core.splitIndex true; echo x > src/1.py; git add .; git status",
    ],
)
def test_it_tells_what_gits_own_tells(copied: Repository, change: str) -> None:
    private = PrivateIndex(copied.root, copied.root / ".git")
    tree_status(copied.root, private.place())
    for each in change.split("; "):
        done = os.system(f"cd {copied.root} && {each}")  # noqa: S605 - words of ours
        assert done == 0
        shared = sorted(path.name for path in (copied.root / ".git").glob("sharedindex.*"))
        told = tree_status(copied.root, private.place())
        assert told is not None
        assert told == tree_status(copied.root)
        assert sorted(path.name for path in (copied.root / ".git").glob("sharedindex.*")) == shared


def test_where_there_is_no_room_or_no_index_gits_own_is_used(
    copied: Repository, repository: Repository
) -> None:
    assert PrivateIndex(repository.root, repository.root / ".git").place() == {}
    (copied.root / ".git/index").unlink()
    assert PrivateIndex(copied.root, copied.root / ".git").place() == {}


def test_a_copy_that_somebody_else_has_changed_is_made_anew(copied: Repository) -> None:
    private = PrivateIndex(copied.root, copied.root / ".git")
    place = private.place()
    tree_status(copied.root, place)
    private.done()
    blinded = "git update-index --assume-unchanged src/1.py"
    assert os.system(f"cd {copied.root} && GIT_INDEX_FILE={LOCAL_ROOM}/{FILE_NAME} {blinded}") == 0  # noqa: S605 - words of ours
    copied.write("src/1.py", "hidden\n")
    status = tree_status(copied.root, private.place())
    assert status is not None
    assert "src/1.py" in status.paths


def test_a_lock_that_a_killed_git_has_left_is_taken_away(copied: Repository) -> None:
    lock = copied.root / LOCAL_ROOM / f"{FILE_NAME}.lock"
    lock.touch()
    private = PrivateIndex(copied.root, copied.root / ".git")
    before = (copied.root / ".git/index").read_bytes()
    tree_status(copied.root, private.place())
    assert (copied.root / LOCAL_ROOM / FILE_NAME).read_bytes() != before
    assert not lock.exists()


def test_a_copy_that_is_lost_is_made_anew(copied: Repository) -> None:
    private = PrivateIndex(copied.root, copied.root / ".git")
    place = private.place()
    (copied.root / LOCAL_ROOM / FILE_NAME).unlink()
    assert private.place() == place
    assert (copied.root / LOCAL_ROOM / FILE_NAME).exists()
    (copied.root / LOCAL_ROOM / FILE_NAME).unlink()
    (copied.root / LOCAL_ROOM / FILE_NAME).mkdir()
    assert private.place() == {}
