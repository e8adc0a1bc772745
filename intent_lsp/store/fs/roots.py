"""Governed roots: the one that governs a path, and those nested inside another one."""

import os
from itertools import accumulate
from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.root_search import governing_directory, is_governed


def governed_root(path: str) -> Path | None:
    """Return the nearest governed root at or above a path, or None (see `governing_directory`)."""
    found = governing_directory(path)
    return None if found is None else Path(found)


class RootsBelow:
    """Detects governed roots nested inside one root. The results are cached for each directory."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._known = {"": False}

    def hold(self, path: WorkspacePath) -> bool:
        """Return whether a path is a governed root nested inside this object's root, or in one."""
        held = False
        for inner in accumulate(path.split("/"), "{}/{}".format):
            if inner not in self._known:
                self._known[inner] = held or self._is_another(f"{self._root}/{inner}")
            held = self._known[inner]
        return held

    def _is_another(self, place: str) -> bool:
        """Return whether another governed root than this object's own is at a full path."""
        if not is_governed(place):
            return False
        return os.path.realpath(place) != os.path.realpath(self._root)
