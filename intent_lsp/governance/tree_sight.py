"""The work tree as it is seen now: which files differ from HEAD, and the hash of each.

Invariant: a file is hashed again only when it may have changed, and kept when it was.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.standing import server_only
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.stores import Stores
from intent_lsp.store.files import TEMPORARY_PREFIX, Stamp, stamp
from intent_lsp.store.git_status import TreeStatus, tree_status
from intent_lsp.store.roots import RootsBelow
from intent_lsp.store.tree_files import TreeFiles

_log: Final = logging.getLogger(__name__)

FILES_AT_MOST: Final = 10_000
"""Files that differ from HEAD above which none is looked at."""

_ROUNDED_BY: Final = 2.0
"""Seconds: a file that was written less long ago may change once more within its stamp."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """HEAD, and the hashes of the files that differ from it (None: there is no such file).

    `unmerged` are those in which git has left a conflict.
    """

    head: str
    files: Mapping[WorkspacePath, ContentHash | None]
    unmerged: frozenset[WorkspacePath] = frozenset()


class TreeSight:
    """Looks at the work tree of one root, again and again; one thread at a time."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents
        self._stamped: dict[WorkspacePath, tuple[Stamp | None, ContentHash | None]] = {}

    def look(self) -> Sight | None:
        """Look at the tree now; None: there is no commit to compare with, or too much differs.

        Left out is what only the server writes, and what lies in a governed root below.
        """
        status = None if self._stores.git is None else tree_status(self._stores.root)
        if status is None or status.head is None:
            return None
        if len(status.paths) > FILES_AT_MOST:
            _log.warning("%s: %d changed files are not shown", self._stores.root, len(status.paths))
            return None
        hashes = self._hashes(status)
        return Sight(head=status.head, files=hashes, unmerged=status.unmerged)

    def _hashes(self, status: TreeStatus) -> dict[WorkspacePath, ContentHash | None]:
        files, below = TreeFiles(self._stores.root), RootsBelow(self._stores.root)
        found: dict[WorkspacePath, ContentHash | None] = {}
        former, self._stamped = self._stamped, {}
        for path in status.paths:
            if server_only(path) or below.hold(path) or _is_temporary(path):
                continue
            now = stamp(self._stores.root / path)
            known = former.get(path)
            try:
                hash_ = known[1] if known and known[0] == now else self._hash(files, path)
            except OSError as problem:
                _log.warning("%s cannot be hashed: %s", path, problem)
                continue
            found[path] = hash_
            if now is not None and self._is_old(now):
                self._stamped[path] = (now, hash_)
        return found

    def _hash(self, files: TreeFiles, path: WorkspacePath) -> ContentHash | None:
        held = files.held(path)
        if held.data is not None:
            self._contents.keep(held.data, held.hash)
        return held.hash

    def _is_old(self, now: Stamp) -> bool:
        age = self._stores.clock().timestamp() - now.mtime_ns / 1e9
        return age > _ROUNDED_BY


def _is_temporary(path: WorkspacePath) -> bool:
    """Whether a file is one that the server writes before it gives it its name."""
    return path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)
