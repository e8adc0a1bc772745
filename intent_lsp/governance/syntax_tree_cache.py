"""The syntax trees of the contents that were asked for last, from which the next are made.

Invariant: a tree is the one that the content alone has; what is kept saves time and nothing else.
Invariant: threads may ask at the same time: none waits while another parses.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, TypeAlias

from intent_lsp.formats.syntax.languages import RECORDED_AT_MOST, Late, in_time, language_of
from intent_lsp.formats.syntax.outlined import OutlinedTree, tree_after, tree_alone

MAX_TREES: Final = 8

MAX_BYTES: Final = 1024 * 1024
"""Bytes of all contents whose trees are kept: two of a file as large as any that has one here.

A tree takes 10 to 35 times as many as its content; two of one file share what is the same.
"""

_Key: TypeAlias = tuple[str | None, bytes]
"""The language and the content."""


@dataclass(frozen=True, slots=True)
class _Kept:
    path: str
    found: OutlinedTree


class SyntaxTreeCache:
    """Gives the trees of contents, with their definitions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()

    def tree(self, path: str, data: bytes, late: Late = in_time) -> OutlinedTree | None:
        """Give the tree of a file's content.

        It is made from that of the newest known content of the file. None: the language is
        unknown, its grammar is not installed, or the content is not parsed (`languages.parse`), or
        over 400 KB.
        """
        if len(data) > RECORDED_AT_MOST:
            return None
        key = (language_of(path), data)
        with self._lock:
            known = self._kept.get(key)
            before = self._newest(path)
        if known is not None:
            found: OutlinedTree | None = known.found
        elif before is not None:
            found = tree_after(before, data, late)
        else:
            found = tree_alone(path, data, late)
        if found is not None:
            self._keep(key, _Kept(path, found))
        return found

    def _newest(self, path: str) -> OutlinedTree | None:
        """Give the newest tree of a file, if there is one without broken code."""
        trees = [kept.found for kept in reversed(self._kept.values()) if kept.path == path]
        whole = (found for found in trees if not found.tree.root.has_error)
        return next(whole, trees[0] if trees else None)

    def _keep(self, key: _Key, kept: _Kept) -> None:
        with self._lock:
            self._kept[key] = kept
            self._kept.move_to_end(key)
            size = sum(len(data) for _, data in self._kept)
            while len(self._kept) > MAX_TREES or size > MAX_BYTES:
                (_, data), _ = self._kept.popitem(last=False)
                size -= len(data)
