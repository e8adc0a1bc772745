"""A watched work tree: new directories are followed, ignored ones never."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from intent_lsp.doors.lsp.connection import watchers
from intent_lsp.doors.lsp.connection.watchers import TreeWatcher
from tests.support.governed_repository import govern
from tests.support.repository import Repository

SECONDS = 30


class WatchedTree:
    """What a watch has watched, and the following that a connection does on it."""

    def __init__(self) -> None:
        self.watching = TreeWatcher(lambda root, paths: self._changes.put((root, paths)))
        self._changes: queue.SimpleQueue[tuple[Path, frozenset[Path]]] = queue.SimpleQueue()

    def follow_until(self, path: Path) -> None:
        seen: set[Path] = set()
        while path not in seen:
            root, paths = self._changes.get(timeout=SECONDS)
            seen |= paths
            self.watching.follow(root, paths)


@pytest.fixture
def watched() -> Iterator[WatchedTree]:
    made = WatchedTree()
    yield made
    made.watching.end()


def test_new_directories_are_followed(watched: WatchedTree, repository: Repository) -> None:
    root = govern(repository).root
    watched.watching.watch(root)
    watched.watching.watch(root)
    watched.follow_until(repository.write("src/auth/login.py", "one\n"))
    (root / "lib/deep").mkdir(parents=True)
    watched.follow_until(root / "lib")
    watched.follow_until(repository.write("lib/deep/x.py", "one\n"))


def test_what_is_ignored_no_more_is_watched(watched: WatchedTree, repository: Repository) -> None:
    root = govern(repository).root
    repository.write("build/out.txt", "")
    watched.watching.watch(root)
    watched.follow_until(repository.write(".gitignore", ""))
    watched.follow_until(repository.write("build/out.txt", "one\n"))


def test_of_a_tree_with_too_many_directories_the_top_is_watched(
    watched: WatchedTree,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    root = govern(repository).root
    monkeypatch.setattr(watchers, "ROOMS_AT_MOST", 2)
    watched.watching.watch(root)
    assert "too many directories" in caplog.text
    watched.follow_until(repository.write("README.md", "one\n"))


def test_after_the_end_nothing_is_watched(watched: WatchedTree, repository: Repository) -> None:
    root = govern(repository).root
    watched.watching.watch(root)
    watched.watching.end()
    watched.watching.watch(root)
    watched.watching.follow(root, frozenset({root / "src/auth"}))
    watched.watching.follow(root, frozenset({root / ".gitignore"}))
