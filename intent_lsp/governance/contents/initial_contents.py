"""Initial contents: what files held when first read, and a work tree without a commit yet.

Specified in requirements section 8.

Invariant: a tree without a commit is read as a whole, or not at all if that would take long. All
its files count as added.
Invariant: a file's first content is never replaced by a later one. A file that appears in the tree
later, before an editor opens it, counts as absent at first.
Invariant: if an editor opens a file that still has its first content, that content is kept whole.
Of any other file, only the hash is kept here.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, FileContent
from intent_lsp.core.control_plane import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import stamp
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles

EMPTY_TREE: Final = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""Git's id of the tree without a file; stands for HEAD on an unborn branch."""

FILES_AT_MOST: Final = 3_000
"""Files above which the tree is not read, since an editor's start waits for it."""

BYTES_AT_MOST: Final = 256 * 1024 * 1024
"""Bytes of all its files together above which the tree is not read."""


class InitialContents:
    """The initial contents of one root's files: what each held when first read. Thread-safe.

    `kept` is a function that returns the content with a given hash; for None, it returns ABSENT.
    """

    def __init__(self, kept: Callable[[ContentHash | None], FileContent]) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._opened: dict[WorkspacePath, FileContent] = {}
        self._found: dict[WorkspacePath, ContentHash | None] | None = None

    def opened(self) -> tuple[WorkspacePath, ...]:
        """Return the files whose whole initial contents are kept, since an editor opened them."""
        with self._lock:
            return tuple(self._opened)

    def open(self, path: WorkspacePath, content: FileContent) -> None:
        """Keep the content of a file that an editor opens as its initial content.

        Do nothing if the content differs from the one first found in the tree, or if one is already
        kept.
        """
        with self._lock:
            if (self._found or {}).get(path, content.hash) == content.hash:
                self._opened.setdefault(path, content)

    def find(self, files: Mapping[WorkspacePath, ContentHash | None]) -> None:
        """Store the hashes of all files of a tree as their initial contents, at the first call.

        At a later call, note that the files without a stored hash were absent at first. After
        `forget_found`, the next call counts as the first.
        """
        with self._lock:
            if self._found is None:
                self._found = dict(files)
            for path in files.keys() - self._found.keys():
                self._found[path] = None

    def forget_found(self) -> None:
        """Discard the hashes found in the work tree, since a commit now contains the files."""
        with self._lock:
            self._found = None

    def found(self, path: WorkspacePath) -> ContentHash | None:
        """Return a file's hash from when the tree was first read, or None if it has none."""
        with self._lock:
            return (self._found or {}).get(path)

    def content(self, path: WorkspacePath) -> FileContent | None:
        """Return what a file held when it was first read, or None if that is unknown."""
        with self._lock:
            if path in self._opened:
                return self._opened[path]
            if self._found is None or path not in self._found:
                return None
            held = self._found[path]
        return self._kept(held)

    def correct(self, path: WorkspacePath, before: FileContent) -> None:
        """Replace the initial content of a file by `before`. Do nothing if none is stored."""
        with self._lock:
            if path in self._opened or path in (self._found or ()):
                self._opened[path] = before

    def follow(self, old: WorkspacePath, new: WorkspacePath) -> None:
        """Copy the initial content of the file `old` to `new`, the name the file now has."""
        with self._lock:
            if old in self._opened:
                self._opened[new] = self._opened[old]
            elif self._found is not None and old in self._found:
                self._found[new] = self._found[old]
                self._opened.pop(new, None)


def is_too_large(root: Path, paths: Iterable[WorkspacePath]) -> bool:
    """Return whether a tree has more than FILES_AT_MOST files or BYTES_AT_MOST bytes.

    Files that only the server writes are not counted.
    """
    size = 0
    for count, path in enumerate((path for path in paths if not server_only(path)), start=1):
        found = stamp(f"{root}/{path}")
        size += 0 if found is None else found.size
        if count > FILES_AT_MOST or size > BYTES_AT_MOST:
            return True
    return False


def read_tree(
    root: Path, paths: Iterable[WorkspacePath]
) -> Iterator[tuple[WorkspacePath, ReadFile]]:
    """Yield each file at `paths` with its content, without the server's own and unreadable ones.

    A path at which the root has no regular file is yielded with NOTHING.
    """
    files = TreeFiles(root)
    for path in paths:
        if server_only(path):
            continue
        try:
            held = files.held(path)
        except OSError:
            continue
        yield path, held
