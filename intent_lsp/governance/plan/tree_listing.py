"""Listing of a root's work tree: the files that git tracks or does not ignore.

Invariant: the work tree is listed at most once in 10 seconds. As long as its files stay the same,
the same objects are returned, so that results can be cached by them.
Invariant: once the work tree was listed, `TreeListing.tree` does not wait for a new listing.
"""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from msgspec import Struct

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
        self._listing, self._building = threading.Lock(), threading.Lock()
        # Replaced where the files differ, so that the tree is always that of the files.
        self._known = _Listed()

    def files(self) -> Sequence[WorkspacePath]:
        """Return all files in the order in which git lists them; none if they are unknown.

        The work tree is listed first, if the last listing is old. This may take seconds.
        """
        self.renew()
        return self._known.files or ()

    def tree(self) -> FileTree | None:
        """Return all files as a tree, in which patterns are matched quickly; None if unknown.

        They are as the work tree was listed last, however long ago. It is listed now only if it
        never was, which may take seconds.
        """
        if not self.is_known:
            self.renew()
        with self._building:
            known = self._known
            if known.tree is None and known.files is not None:
                known.tree = FileTree(known.files, self.spelling)
            return known.tree

    @property
    def is_known(self) -> bool:
        """Whether the work tree was listed at all, whatever git answered."""
        return self._known.at is not None

    def is_old(self) -> bool:
        """Return whether the last listing is more than `LISTED_FOR` ago, or there was none."""
        at = self._known.at
        # The clock may be set back: then the listing is from the future.
        return at is None or abs(self._stores.clock() - at) > LISTED_FOR

    def renew(self) -> None:
        """List the work tree, unless the last listing is current enough. This may take seconds.

        Do nothing without a git repository.
        """
        with self._listing:
            git = self._stores.git
            if git is None or not self.is_old():
                return
            at, files, known = self._stores.clock(), git.known_files(), self._known
            if files == known.files:
                # Not replaced: its tree may be being built.
                known.at = at
            else:
                self._known = _Listed(at, files)


class _Listed(Struct):
    """What a listing at the time `at` found: `files` (None: unknown). `tree` is built from them."""

    at: datetime | None = None
    files: tuple[WorkspacePath, ...] | None = None
    tree: FileTree | None = None
