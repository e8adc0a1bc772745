"""The syntax trees of the contents that were asked for last.

Invariant: what is kept saves time and nothing else.
Invariant: threads may ask at the same time: none waits while another parses.
"""

import threading
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.formats.syntax.languages import RECORDED_AT_MOST, Late, in_time
from intent_lsp.formats.syntax.outline import OutlinedTree, outlined_tree

MAX_TREES: Final = 8

MAX_BYTES: Final = 1024 * 1024
"""Bytes of all texts whose trees are kept; a tree takes 10 to 35 times as many as its text."""


class SyntaxTreeCache:
    """Gives the trees of contents, with their definitions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, ContentHash], OutlinedTree] = {}

    def tree(self, path: str, data: bytes, late: Late = in_time) -> OutlinedTree | None:
        """Give the tree of a file's content; None as of `outlined_tree`, or over 400 KB."""
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
        """Keep a tree as the one that was asked for last."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = found
            size = sum(len(kept.tree.source) for kept in self._kept.values())
            while len(self._kept) > MAX_TREES or size > MAX_BYTES:
                size -= len(self._kept.pop(next(iter(self._kept))).tree.source)
