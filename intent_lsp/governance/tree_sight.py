"""The work tree as it is seen now: which files differ from HEAD, and the hash of each.

Invariant: a file is hashed again only when it may have changed, and kept when it was.
"""

import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.standing import server_only
from intent_lsp.governance.contents import KEPT_AT_MOST, Contents
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.uncommitted_tree import EMPTY_TREE, is_too_large
from intent_lsp.store.files import TEMPORARY_PREFIX, Stamp, stamp
from intent_lsp.store.git_status import TreeStatus, tree_status
from intent_lsp.store.roots import RootsBelow
from intent_lsp.store.tree_files import TreeFiles

_log: Final = logging.getLogger(__name__)

FILES_AT_MOST: Final = 10_000
"""Files that differ from HEAD above which none is looked at."""

KEPT_AT_ONCE: Final = 16 * 1024 * 1024
"""Bytes that one look at a tree without a commit keeps: whoever starts an editor waits for it."""

_KEPT_AT_LEAST: Final = 32 * 1024
"""Bytes that a smaller file counts as: it takes as long to keep."""

_ROUNDED_BY: Final = 2.0
"""Seconds: a file that was written less long ago may change once more within its stamp."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """HEAD, and the hashes of the files that differ from it (None: there is no such file).

    Where HEAD is unborn it is the empty tree, from which every file differs. `unmerged` are those
    in which git has left a conflict, `untracked` those of which git's index knows nothing.
    """

    head: str
    files: Mapping[WorkspacePath, ContentHash | None]
    unmerged: frozenset[WorkspacePath] = frozenset()
    untracked: frozenset[WorkspacePath] = frozenset()


class TreeSight:
    """Looks at the work tree of one root, again and again; one thread at a time."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents
        self._stamped: dict[WorkspacePath, tuple[Stamp | None, ContentHash | None]] = {}
        self._kept: dict[WorkspacePath, ContentHash | None] = {}
        self._room: float = 0
        self._is_too_much = False

    def look(self) -> Sight | None:
        """Look at the tree now; None: git does not answer, or there is too much to look at.

        Left out is what only the server writes, and what lies in a governed root below.
        """
        status = None if self._stores.git is None else tree_status(self._stores.root)
        if status is None or self._overwhelmed(status):
            return None
        return Sight(
            head=status.head or EMPTY_TREE,
            files=self._hashes(status),
            unmerged=status.unmerged,
            untracked=status.untracked,
        )

    def _overwhelmed(self, status: TreeStatus) -> bool:
        """Whether there is too much to look at; it is said once, until there is not."""
        root, before = self._stores.root, self._is_too_much
        if status.head is not None:
            self._is_too_much = len(status.paths) > FILES_AT_MOST
            said = "changed files are not shown"
        else:
            self._is_too_much = is_too_large(root, status.paths)
            said = "files without a commit are too large or too many to be shown"
        if self._is_too_much and not before:
            _log.warning("%s: %d %s", root, len(status.paths), said)
        return self._is_too_much

    def _hashes(self, status: TreeStatus) -> dict[WorkspacePath, ContentHash | None]:
        files, below = TreeFiles(self._stores.root), RootsBelow(self._stores.root)
        found: dict[WorkspacePath, ContentHash | None] = {}
        former, self._stamped = self._stamped, {}
        self._room = KEPT_AT_ONCE if status.head is None else math.inf
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
        self._keep_more(files, found)
        return found

    def _hash(self, files: TreeFiles, path: WorkspacePath) -> ContentHash | None:
        held = files.held(path)
        known = path in self._kept and self._kept[path] == held.hash
        if held.data is None or len(held.data) > KEPT_AT_MOST:
            # There is nothing to keep, or it is too large.
            self._kept[path] = held.hash
        elif known or self._room > 0:
            self._contents.keep(held.data, held.hash)
            self._room -= 0 if known else max(len(held.data), _KEPT_AT_LEAST)
            self._kept[path] = held.hash
        return held.hash

    def _keep_more(
        self, files: TreeFiles, found: Mapping[WorkspacePath, ContentHash | None]
    ) -> None:
        """Keep what there was no room for before, as far as there is now."""
        kept = self._kept = {path: hash_ for path, hash_ in self._kept.items() if path in found}
        for path in [path for path, hash_ in found.items() if kept.get(path) != hash_]:
            if self._room <= 0:
                return
            with suppress(OSError):
                self._hash(files, path)

    def _is_old(self, now: Stamp) -> bool:
        age = self._stores.clock().timestamp() - now.mtime_ns / 1e9
        return age > _ROUNDED_BY


def _is_temporary(path: WorkspacePath) -> bool:
    """Whether a file is one that the server writes before it gives it its name."""
    return path.rpartition("/")[2].startswith(TEMPORARY_PREFIX)
