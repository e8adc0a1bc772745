"""Cache of the most recently used syntax trees.

Invariant: the cache only saves time; a cached tree equals a freshly parsed one.
Invariant: threads may use it at the same time; none waits while another parses.
"""

import threading
from typing import Final, NamedTuple

from intent_lsp.core.content import ContentHash, FileContent
from intent_lsp.formats.syntax.languages import RECORDED_AT_MOST, Late, in_time
from intent_lsp.formats.syntax.outline import OutlinedTree, outlined_tree

MAX_TREES: Final = 8

MAX_BYTES: Final = 1024 * 1024
"""The most bytes of all texts whose trees are cached. A tree takes 10 to 35 times as many."""


class _Parsed(NamedTuple):
    """A file's content and its syntax tree."""

    content: FileContent
    tree: OutlinedTree


class SyntaxTreeCache:
    """Returns the syntax tree of a file's content, with the definitions in that content.

    Caches the trees used last.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, ContentHash], _Parsed] = {}

    def tree(self, path: str, content: FileContent, late: Late = in_time) -> OutlinedTree | None:
        """Return the syntax tree of a file's content, or None if it has none.

        There is none for an absent content, for one over RECORDED_AT_MOST bytes, or if
        `outlined_tree` returns None, as when `late` returned True while it was parsed.
        """
        if content.hash is None or len(content.data or b"") > RECORDED_AT_MOST:
            return None
        key = (path, content.hash)
        with self._lock:
            kept = self._kept.get(key)
        found = kept.tree if kept else outlined_tree(path, content, late)
        if found is not None:
            self._keep(key, _Parsed(content, found))
        return found

    def content(self, path: str, hash_: ContentHash) -> FileContent | None:
        """Return the content of a file with this hash, or None if its tree is not cached."""
        with self._lock:
            kept = self._kept.get((path, hash_))
        return None if kept is None else kept.content

    def _keep(self, key: tuple[str, ContentHash], found: _Parsed) -> None:
        """Cache a tree as the most recently used, and evict the oldest beyond the limits."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = found
            size = sum(len(kept.tree.tree.source) for kept in self._kept.values())
            while len(self._kept) > MAX_TREES or size > MAX_BYTES:
                size -= len(self._kept.pop(next(iter(self._kept))).tree.tree.source)
