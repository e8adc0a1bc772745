"""Snapshots of a work tree: files that differ from HEAD (without git: all), and git's state.

Invariant: a file is read again only if it may have changed or its content is not kept yet.
Invariant: a tree that cannot be read gives None, never "nothing there". An inner repository that
cannot be read is left out.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import FileSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash
from intent_lsp.core.control_plane import FileClass, standing
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import TeamPolicy
from intent_lsp.governance.contents.contents import KEPT_AT_MOST, Contents
from intent_lsp.governance.contents.initial_contents import is_too_large
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.files import Stamp, stamp
from intent_lsp.store.fs.root_search import is_git_top
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.fs.tree_reader import TreeFiles, holds_file
from intent_lsp.store.fs.tree_walk import files_below
from intent_lsp.store.fs.write import is_temporary
from intent_lsp.store.git.activity import GitMoment, GitRest, git_moment
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.snapshot import GitSnapshots
from intent_lsp.store.git.status import PrivateIndex, TreeStatus, tree_status

_log: Final = logging.getLogger(__name__)

GIT_AWAITED_FOR: Final = timedelta(seconds=30)
"""How long an unchanging git lock file counts as a running git command."""

FILES_AT_MOST: Final = 10_000
"""Differing files (without git: all files) above which no snapshot is taken."""

KEPT_AT_ONCE: Final = 64 * 1024 * 1024
"""Bytes of contents that one snapshot adds to those kept. Of further files it has only the hash."""

KEPT_UNCOMMITTED: Final = 16 * 1024 * 1024
"""The same for a tree without a commit: an editor's start waits for it."""

INNER_AT_MOST: Final = 50
"""The most inner repositories that a snapshot includes."""

_KEPT_AT_LEAST: Final = 32 * 1024
"""Bytes that any smaller file counts as towards the limits, since keeping it takes as long."""

_ROUNDED_BY: Final = 2.0
"""Seconds after a write in which another write may leave the same modification time."""

# Which files are the server's or git's own does not depend on the policy.
_ANY_POLICY: Final = TeamPolicy()


class TreeLooks(Struct, dict=True):
    """Takes snapshots of the work tree of the directory `root`. Thread-safe.

    `open_git` returns its git repository, or None if it has none.
    """

    root: Path
    open_git: Callable[[], Git | None]
    contents: Contents
    clock: Callable[[], datetime]

    def __post_init__(self) -> None:
        """Begin without a snapshot."""
        self._inner: dict[WorkspacePath, TreeLooks] = {}
        self._lock = threading.Lock()
        self._stamped: dict[WorkspacePath, tuple[Stamp | None, ContentHash | None]] = {}
        self._kept: dict[WorkspacePath, ContentHash | None] = {}
        self._room: float = 0
        self._said: str | None = None

    def look(self, *, soon: bool = False) -> TreeSnapshot | None:
        """Take a snapshot, or return None if git does not answer or there is too much to read.

        Left out are files and inner repositories that cannot be read, temporary files, and files of
        the server or of git (`is_anybodys`). `soon`: a caller waits for the snapshot; a large tree
        without a commit is then too much to read.
        """
        with self._lock:
            status = self._status()
            if status is None or self._overwhelmed(status, soon=soon):
                return None
            return TreeSnapshot(
                git=None if self.gits is None else self.gits.take(status),
                files=self._files(status),
                inner=dict(self._look_inside(status, soon=soon)),
            )

    def git_of(self, inner: WorkspacePath) -> "TreeLooks | None":
        """Return the TreeLooks of the inner repository at this path, or None if none was found."""
        return self._inner.get(inner)

    @cached_property
    def git(self) -> Git | None:
        """The directory's git repository, or None if it has none."""
        return self.open_git()

    @cached_property
    def gits(self) -> GitSnapshots | None:
        """The reader of the git repository's state, or None if there is no repository."""
        return None if self.git is None else GitSnapshots(self.git)

    @cached_property
    def _index(self) -> PrivateIndex | None:
        return None if self.git is None else PrivateIndex(self.root, self.git.git_dir)

    def _status(self) -> TreeStatus | None:
        """Return git's status, or None if git does not answer.

        In a directory without git, return all its files, or None if there are too many.
        """
        if self._index is not None:
            try:
                return tree_status(self.root, self._index.place())
            finally:
                self._index.done()
        paths = files_below(self.root, at_most=FILES_AT_MOST)
        return None if paths is None else TreeStatus(head=None, paths=paths)

    def _overwhelmed(self, status: TreeStatus, *, soon: bool) -> bool:
        """Return whether there is too much to read, and log a warning when the reason is new.

        `soon`: a caller waits for the snapshot; a large tree without a commit is then too much as
        well.
        """
        said = None
        if len(status.paths) > FILES_AT_MOST:
            said = (
                "changed files are too many to be compared, so changes by commands and other"
                " programs may get no record; commit the files, or have git ignore them"
            )
        elif soon and status.head is None and is_too_large(self.root, status.paths):
            said = (
                "files are too large or too many to be compared before the first commit, so changes"
                " by other programs get no record; make that commit, or have git ignore the files"
            )
        if said is not None and said != self._said:
            _log.warning("%s: %d %s", self.root, len(status.paths), said)
        self._said = said
        return said is not None

    def _files(self, status: TreeStatus) -> dict[WorkspacePath, FileSnapshot]:
        files = TreeFiles(self.root)
        found: dict[WorkspacePath, FileSnapshot] = {}
        former, self._stamped = self._stamped, {}
        unborn = self.git is not None and status.head is None
        self._room = KEPT_UNCOMMITTED if unborn else KEPT_AT_ONCE
        for path, blob, same in self._listed(status):
            if not is_anybodys(path):
                continue
            now = stamp(self.root / path)
            known = former.get(path)
            try:
                hash_ = known[1] if known and known[0] == now else self._hash(files, path)
            except OSError as problem:
                _log.warning("%s cannot be compared: %s", path, problem)
                continue
            found[path] = FileSnapshot(hash_, blob, same)
            if now is not None and self.clock().timestamp() - now.mtime_ns / 1e9 > _ROUNDED_BY:
                self._stamped[path] = (now, hash_)
        self._keep_more(files, found)
        return found

    def _listed(self, status: TreeStatus) -> Iterator[tuple[WorkspacePath, str | None, bool]]:
        """Yield each file to read, its blob in the index or None, and whether git calls them equal.

        The files are those of `status`, and tracked files that git is told not to compare. Under a
        sparse checkout, such a tracked file is left out if it does not exist.
        """
        for path in status.paths:
            known = status.index.get(path)
            yield (path, None, False) if known is None else (path, known.blob, known.same)
        if self.gits is None:
            return
        named, sparse = set(status.paths), self.gits.is_sparse()
        for path, blob in self.gits.flags().unlooked.items():
            # A file left out by a sparse checkout is not deleted.
            if path not in named and (not sparse or holds_file(self.root / path)):
                yield path, blob, False

    def _look_inside(
        self, status: TreeStatus, *, soon: bool
    ) -> Iterator[tuple[WorkspacePath, TreeSnapshot]]:
        if self.gits is None:
            return
        below = RootsBelow(self.root)
        named = (*status.repositories, *self.gits.flags().submodules)
        for path in tuple(dict.fromkeys(named))[:INNER_AT_MOST]:
            inner = None if below.hold(path) else self._looks_inside(path)
            seen = None if inner is None else inner.look(soon=soon)
            if seen is not None:
                yield path, seen

    def _looks_inside(self, path: WorkspacePath) -> "TreeLooks | None":
        if not is_git_top(self.root / path):
            self._inner.pop(path, None)
            return None
        if path not in self._inner:
            git = Git.open(self.root / path)
            if git is None:
                return None
            self._inner[path] = TreeLooks(self.root / path, lambda: git, self.contents, self.clock)
        return self._inner[path]

    def _hash(self, files: TreeFiles, path: WorkspacePath) -> ContentHash | None:
        held = files.held(path)
        known = path in self._kept and self._kept[path] == held.hash
        if held.data is None or len(held.data) > KEPT_AT_MOST:
            # The file is absent or too large to keep.
            self._kept[path] = held.hash
        elif known or self._room > 0:
            self.contents.keep(held.data, held.hash)
            self._room -= 0 if known else max(len(held.data), _KEPT_AT_LEAST)
            self._kept[path] = held.hash
        return held.hash

    def _keep_more(self, files: TreeFiles, found: dict[WorkspacePath, FileSnapshot]) -> None:
        """Keep contents for which an earlier snapshot had no space, as far as the limit allows.

        `found` are the files of this snapshot.
        """
        kept = self._kept = {path: hash_ for path, hash_ in self._kept.items() if path in found}
        for path in [path for path, file in found.items() if kept.get(path) != file.hash]:
            if self._room <= 0:
                return
            with suppress(OSError):
                self._hash(files, path)


def is_anybodys(path: WorkspacePath) -> bool:
    """Return whether people or agents edit such a file: not a temporary, the server's or git's."""
    kind = standing(path, _ANY_POLICY, ignored=False)
    return kind not in (FileClass.SERVER_ONLY, FileClass.IGNORED) and not is_temporary(path)


class GitWork(Struct, kw_only=True):
    """Follows the git activity of one root. `moment` is git's state at the last complete snapshot.

    The last call of `goes_on` set the others. `stuck` is the state in which a git command seemed to
    run, and the time when it was first noticed, or None if no command seemed to run.
    `passed_over`: that command is ignored, since the state has not changed for GIT_AWAITED_FOR.
    """

    stores: Stores
    moment: GitMoment | None = None
    passed_over: bool = False
    stuck: tuple[GitMoment, datetime] | None = None

    def goes_on(self, rest: GitRest, before: TreeSnapshot) -> bool:
        """Return whether a git command is running.

        `rest` detects whether git has been idle since `rest` was created. `before` is the last
        complete snapshot. Return False too if git's state has not changed for GIT_AWAITED_FOR.
        """
        git = before.git
        if git is None or rest.lasted(git.index, git.log):
            self.stuck, self.passed_over = None, False
            return False
        now = self.stores.clock()
        if self.stuck is None or self.stuck[0] != rest.moment:
            self.stuck = (rest.moment, now)
        self.passed_over = now - self.stuck[1] >= GIT_AWAITED_FOR
        return not self.passed_over

    def has_moved(self) -> bool:
        """Return whether git has done something since the last snapshot, so another is needed.

        False while a git command that has run too long is ignored (`passed_over`).
        """
        git, moment = self.stores.git, self.moment
        if git is None or moment is None:
            return False
        return not self.passed_over and git_moment(git.git_dir) != moment
