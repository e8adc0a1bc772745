"""Cache of the syntax trees that were asked for last.

Invariant: the cache only saves time; a cached tree equals a freshly parsed one.
Invariant: threads may use it at the same time; none waits while another parses.
"""

import threading
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.formats.syntax.languages import RECORDED_AT_MOST, Late, in_time
from intent_lsp.formats.syntax.outline import OutlinedTree, outlined_tree

MAX_TREES: Final = 8

MAX_BYTES: Final = 1024 * 1024
"""Bytes of all source texts whose trees are cached; a tree takes 10 to 35 times as many."""


class SyntaxTreeCache:
    """Returns the syntax trees of contents, with their definitions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, ContentHash], OutlinedTree] = {}

    def tree(self, path: str, data: bytes, late: Late = in_time) -> OutlinedTree | None:
        """Return the tree of a file's content, or None.

        None over 400 KB, and where `outlined_tree` returns None.
        """
        if len(data) > RECORDED_AT_MOST:
            return None
        key = (path, hash_content(data))
        with self._lock:
            found = self._kept.get(key)
        found = found or outlined_tree(path, data, late)
        if found is not None:
            self._keep(key, found)
        return found

    def _keep(self, key: tuple[str, ContentHash], found: OutlinedTree) -> None:
        """Cache a tree as the most recently used, and evict the oldest beyond the limits."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = found
            size = sum(len(kept.tree.source) for kept in self._kept.values())
            while len(self._kept) > MAX_TREES or size > MAX_BYTES:
                size -= len(self._kept.pop(next(iter(self._kept))).tree.source)
