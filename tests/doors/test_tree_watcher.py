"""A watched work tree: new directories are followed, ignored ones never."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent_lsp.doors.lsp.connection import disk_monitor
from intent_lsp.doors.lsp.connection.disk_monitor import TreeWatcher
from tests.support.governed_repository import govern
from tests.support.repository import Repository

SECONDS = 30


class Told:
    """What a watch has told, and the following that a connection does on it."""

    def __init__(self) -> None:
        self.watching = TreeWatcher(lambda root, paths: self._told.put((root, paths)))
        self._told: queue.SimpleQueue[tuple[Path, frozenset[Path]]] = queue.SimpleQueue()

    def follow_until(self, path: Path) -> None:
        seen: set[Path] = set()
        while path not in seen:
            root, paths = self._told.get(timeout=SECONDS)
            seen |= paths
            self.watching.follow(root, paths)


@pytest.fixture
def told() -> Iterator[Told]:
    made = Told()
    yield made
    made.watching.end()


def test_new_directories_are_followed(told: Told, repository: Repository) -> None:
    root = govern(repository).root
    told.watching.watch(root)
    told.watching.watch(root)
    told.follow_until(repository.write("src/auth/login.py", "one\n"))
    (root / "lib/deep").mkdir(parents=True)
    told.follow_until(root / "lib")
    told.follow_until(repository.write("lib/deep/x.py", "one\n"))


def test_what_is_ignored_no_more_is_watched(told: Told, repository: Repository) -> None:
    root = govern(repository).root
    repository.write("build/out.txt", "")
    told.watching.watch(root)
    told.follow_until(repository.write(".gitignore", ""))
    told.follow_until(repository.write("build/out.txt", "one\n"))


def test_of_a_tree_with_too_many_directories_the_top_is_watched(
    told: Told,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    root = govern(repository).root
    monkeypatch.setattr(disk_monitor, "ROOMS_AT_MOST", 2)
    told.watching.watch(root)
    assert "too many directories" in caplog.text
    told.follow_until(repository.write("README.md", "one\n"))


def test_after_the_end_nothing_is_watched(told: Told, repository: Repository) -> None:
    root = govern(repository).root
    told.watching.watch(root)
    told.watching.end()
    told.watching.watch(root)
    told.watching.follow(root, frozenset({root / "src/auth"}))
    told.watching.follow(root, frozenset({root / ".gitignore"}))
