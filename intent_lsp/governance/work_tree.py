"""The work tree before a command and after it (requirements section 6, decision 0007).

Invariant: a file that git calls clean is read only where the command itself made a commit of it.
Invariant: a file that cannot be read is left out and logged; a tree that cannot be compared is
None, never "nothing changed".
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.standing import Standing, standing
from intent_lsp.core.tree_seen import TreeSeen
from intent_lsp.governance.bookkeeping import only_bookkeeping
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.git_made import GitMade, ask_git, committed_by_command
from intent_lsp.governance.stores import Stores
from intent_lsp.store.git_status import TreeStatus, tree_status
from intent_lsp.store.tree_files import Held, TreeFiles
from intent_lsp.store.work_tree import files_below

_log: Final = logging.getLogger(__name__)

FILES_AT_MOST: Final = 10_000
"""Files that differ from HEAD, or lie below a root without one, above which none is compared."""

KEPT_AT_ONCE: Final = 64 * 1024 * 1024
"""Bytes of one tree that are kept; of the rest only the hash, so that older contents stay."""

# What only the server writes, and git's own, does not depend on a policy.
_ANY_POLICY: Final = TeamPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file whose content is another than before: its hashes (None: no file), and what it holds.

    `data` is None too where the file is too large to hold. `old_known` is False where git cannot
    tell any more what the file held; `old` is then None.
    """

    path: WorkspacePath
    old: ContentHash | None
    new: ContentHash | None
    data: bytes | None
    old_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """What was `known` before of files that differed, and what of all of them is git's.

    `listed` are those that differ now, or that the command committed.
    """

    known: Mapping[WorkspacePath, ContentHash | None]
    listed: frozenset[WorkspacePath]
    git: GitMade | None


class WorkTree:
    """Compares the work tree of one root with what it was."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents

    def seen(self) -> TreeSeen | None:
        """Hash and keep what a command may change; None: the tree cannot be compared.

        With a commit, that is what differs from it: the commit keeps the rest.
        """
        status = self._status()
        if status is None:
            return None
        return TreeSeen(
            head=status.head,
            files=tuple(self._keep(status.paths)),
            whole=status.head is None,
        )

    def changes(
        self, before: TreeSeen, *, since: datetime | None = None
    ) -> tuple[ChangedFile, ...] | None:
        """Give the files that hold something else than before; None: nobody can tell.

        Left out is what git made of a file, what git ignores, what only the server writes, and
        what it wrote last itself, unless that gives agents other rules. That the command added its
        change to the index, or committed it, makes it nobody else's (decision 0007). `since` is the
        moment of `before`: it tells which stash is older than the command, and whether HEAD came
        back to where it was.
        """
        now = self._status()
        if now is None:
            return None
        git, at = self._stores.git, None if since is None else since.timestamp()
        committed = committed_by_command(git, before, now, since=at)
        known, listed = dict(before.files), committed.union(now.paths)
        paths = sorted(listed.union(known))
        made = None
        if git is not None:
            made = ask_git(git, before, now, paths=paths, committed=committed, since=at)
        if (made is None and before.head is not None) or len(listed) > FILES_AT_MOST:
            _log.warning("%s: %d files cannot be compared", self._stores.root, len(paths))
            return None
        two = _Comparison(known=known, listed=listed, git=made)
        found = (self._changed(two, *each) for each in self._read(paths))
        return tuple(file for file in found if file is not None)

    def _status(self) -> TreeStatus | None:
        """Ask git which files to compare, or take every file where there is no git."""
        root = self._stores.root
        if self._stores.git is not None:
            status = tree_status(root)
        else:
            paths = files_below(root, at_most=FILES_AT_MOST)
            status = None if paths is None else TreeStatus(head=None, paths=paths)
        if status is None:
            _log.warning("%s: the work tree cannot be compared", root)
        elif len(status.paths) > FILES_AT_MOST:
            _log.warning("%s: %d changed files are not compared", root, len(status.paths))
            return None
        return status

    def _keep(
        self, paths: Iterable[WorkspacePath]
    ) -> Iterator[tuple[WorkspacePath, ContentHash | None]]:
        left = KEPT_AT_ONCE
        for path, held in self._read(paths):
            if held.data is not None and len(held.data) <= left:
                self._contents.keep(held.data)
                left -= len(held.data)
            yield path, held.hash

    def _read(self, paths: Iterable[WorkspacePath]) -> Iterator[tuple[WorkspacePath, Held]]:
        """Read the files that are not the server's alone; those that cannot be are left out."""
        files = TreeFiles(self._stores.root)
        for path in filter(_anybodys, paths):
            try:
                held = files.held(path)
            except OSError as problem:
                _log.warning("%s cannot be compared: %s", path, problem)
                continue
            yield path, held

    def _changed(self, two: _Comparison, path: WorkspacePath, held: Held) -> ChangedFile | None:
        new, git = held.hash, two.git
        if path in two.known and two.known[path] == new:
            return None
        if git is not None and (git.is_gits(path, new) or self._ignored(two, path)):
            return None
        if self._own(two, path, held):
            return None
        old, old_known = self._old(two, path, new)
        if old_known and old == new:
            return None
        return ChangedFile(path=path, old=old, new=new, data=held.data, old_known=old_known)

    def _old(
        self, two: _Comparison, path: WorkspacePath, new: ContentHash | None
    ) -> tuple[ContentHash | None, bool]:
        """Tell what a file held, and whether that is known."""
        if path in two.known or two.git is None or path not in two.git.old:
            return two.known.get(path), True
        data = two.git.bytes_before(path)
        if data is None:
            return None, False
        old = hash_content(data)
        if old != new:
            self._contents.keep(data)
        return old, True

    def _own(self, two: _Comparison, path: WorkspacePath, held: Held) -> bool:
        """Whether a file is as we wrote it last, and that was nobody's way to other rules."""
        state, new = self._stores.state, held.hash
        if state is None or new is None or state.own_write(path) != new:
            return False
        if not control_plane(path):
            return True
        # A command may have had our own program change what it is held to.
        before = self._bytes_before(two, path)
        return before is not None and only_bookkeeping(before, held.data or b"")

    def _bytes_before(self, two: _Comparison, path: WorkspacePath) -> bytes | None:
        kept = two.known.get(path)
        if kept is not None:
            return self._stores.snapshots.get(kept)
        if path in two.known or two.git is None or path not in two.git.old:
            return None
        return two.git.bytes_before(path)

    def _ignored(self, two: _Comparison, path: WorkspacePath) -> bool:
        git = self._stores.git
        # What the status names is not ignored, nor is what was committed: it need not be asked.
        return git is not None and path not in two.listed and git.ignored(path)


def _anybodys(path: WorkspacePath) -> bool:
    kind = standing(path, _ANY_POLICY, ignored=False)
    return kind not in (Standing.SERVER_ONLY, Standing.UNSEEN)
