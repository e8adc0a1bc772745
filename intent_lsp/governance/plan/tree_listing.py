"""Listing of a root's work tree: the files that git tracks or does not ignore.

Invariant: the work tree is listed at most once in 10 seconds. As long as its files stay the same,
so do the objects that are returned, so that results can be cached by them.
"""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.file_tree import FileTree
from intent_lsp.core.scope.pattern import NameComparison
from intent_lsp.governance.root.stores import Stores

LISTED_FOR: Final = timedelta(seconds=10)
"""How long a listing of the work tree is current enough."""


class TreeListing:
    """The files of one root's work tree, as git lists them.

    They are unknown without git, and where git does not answer.

    `spelling` is how the file system compares names.
    """

    def __init__(self, stores: Stores, spelling: NameComparison) -> None:
        self.spelling = spelling
        self._stores = stores
        self._lock = threading.Lock()
        self._files: tuple[WorkspacePath, ...] | None = None
        self._tree: FileTree | None = None
        self._listed_at: datetime | None = None

    def files(self) -> Sequence[WorkspacePath]:
        """Return all files in the order in which git lists them; none if they are unknown."""
        with self._lock:
            return self._listed() or ()

    def tree(self) -> FileTree | None:
        """Return all files as a tree, in which patterns are matched quickly; None if unknown."""
        with self._lock:
            files = self._listed()
            if self._tree is None and files is not None:
                self._tree = FileTree(files, self.spelling)
            return self._tree

    def _listed(self) -> tuple[WorkspacePath, ...] | None:
        now, git = self._stores.clock(), self._stores.git
        # The clock may be set back: then the listing is from the future.
        old = self._listed_at is None or abs(now - self._listed_at) > LISTED_FOR
        if git is not None and old:
            files = git.known_files()
            if files != self._files:
                self._files, self._tree = files, None
            self._listed_at = now
        return self._files
