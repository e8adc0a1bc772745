"""The work tree before a command and after it (requirements section 6).

Invariant: a file that git calls clean is never read.
Invariant: a file that cannot be read is left out and logged; a tree that cannot be compared is
None, never "nothing changed".
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.core.standing import Standing, standing
from intent_lsp.core.tree_seen import TreeSeen
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.stores import Stores
from intent_lsp.store.git import Git
from intent_lsp.store.git_status import TreeStatus, tree_status
from intent_lsp.store.places import real_relative
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

    `old_known` is False where git cannot tell any more what the file held; `old` is then None.
    """

    path: WorkspacePath
    old: ContentHash | None
    new: ContentHash | None
    data: bytes | None
    old_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """The two moments that are compared; `known` and `listed` are of the one and of the other."""

    before: TreeSeen
    known: Mapping[WorkspacePath, ContentHash | None]
    now: TreeStatus
    listed: frozenset[WorkspacePath]


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

    def changes(self, before: TreeSeen) -> tuple[ChangedFile, ...] | None:
        """Give the files that hold something else than before; None: nobody can tell.

        Left out is what is git's (section 7), what git ignores, what only the server writes, and
        what it wrote last itself.
        """
        now = self._status()
        if now is None:
            return None
        known, listed = dict(before.files), frozenset(now.paths)
        two = _Comparison(before=before, known=known, now=now, listed=listed)
        found = (self._changed(two, *each) for each in self._read(sorted(listed | known.keys())))
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
        for path, data in self._read(paths):
            if data is not None and len(data) <= left:
                self._contents.keep(data)
                left -= len(data)
            yield path, hash_if_there(data)

    def _read(self, paths: Iterable[WorkspacePath]) -> Iterator[tuple[WorkspacePath, bytes | None]]:
        """Read the files that are not the server's alone; those that cannot be are left out."""
        rooms: dict[str, bool] = {}
        for path in filter(_anybodys, paths):
            try:
                data = self._contents.disk(path) if self._inside(path, rooms) else None
            except OSError as problem:
                _log.warning("%s cannot be compared: %s", path, problem)
                continue
            yield path, data

    def _inside(self, path: WorkspacePath, rooms: dict[str, bool]) -> bool:
        """Whether the bytes of a path are in the root: what a link leads out to is not its content.

        `rooms` remembers the answer for each directory, so that it is resolved once.
        """
        room = path.rpartition("/")[0]
        if room not in rooms:
            rooms[room] = not room or self._leads_inside(room)
        if not rooms[room]:
            return False
        return not (self._stores.root / path).is_symlink() or self._leads_inside(path)

    def _leads_inside(self, path: str) -> bool:
        place = real_relative(self._stores.root, path)
        return place is not None and place.real is not None

    def _changed(
        self, two: _Comparison, path: WorkspacePath, data: bytes | None
    ) -> ChangedFile | None:
        new = hash_if_there(data)
        old, old_known = self._old(two, path)
        if (old_known and old == new) or self._own(path, new):
            return None
        if self._gits(two, path, data) or self._ignored(two, path):
            return None
        return ChangedFile(path=path, old=old, new=new, data=data, old_known=old_known)

    def _old(self, two: _Comparison, path: WorkspacePath) -> tuple[ContentHash | None, bool]:
        """Tell what a file held, and whether that is known."""
        git, commit = self._stores.git, two.before.head
        if path in two.known or git is None or commit is None:
            return two.known.get(path), True
        # That commit, not today's HEAD: the command may have made another.
        version = git.version_at(commit, path)
        if version is None:
            return None, True
        data = git.version_bytes(version)
        if data is None:
            return None, False
        self._contents.keep(data)
        return hash_content(data), True

    def _own(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        state = self._stores.state
        return state is not None and new is not None and state.own_write(path) == new

    def _gits(self, two: _Comparison, path: WorkspacePath, data: bytes | None) -> bool:
        """Whether git made a file what it is: of a commit, the index, the stash or a conflict."""
        git, now = self._stores.git, two.now
        if git is None:
            return False
        if path in now.unmerged:
            return True
        return self._gone(git, two, path) if data is None else git.holds(path, data)

    def _gone(self, git: Git, two: _Comparison, path: WorkspacePath) -> bool:
        """Whether a file went with its commit: another was checked out, or is being merged."""
        commit = two.before.head
        if commit is None or git.version_at(commit, path) is None:
            return False
        if git.operation_in_progress():
            return not git.tracked(path)
        return git.head_version(path) is None

    def _ignored(self, two: _Comparison, path: WorkspacePath) -> bool:
        git = self._stores.git
        # What the status names is not ignored: git need not be asked again.
        return git is not None and path not in two.listed and git.ignored(path)


def _anybodys(path: WorkspacePath) -> bool:
    kind = standing(path, _ANY_POLICY, ignored=False)
    return kind not in (Standing.SERVER_ONLY, Standing.UNSEEN)
