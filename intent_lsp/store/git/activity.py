"""Git activity: detects whether git is changing a work tree, from file stamps and lock files.

Invariant: nothing is written and no git process is started, because callers poll this.
"""

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import LogMark
from intent_lsp.store import clock
from intent_lsp.store.git.gitdir import common_directory, head_ref, log_mark

RESTS_AFTER: Final = 1.0
"""Seconds to wait for HEAD after only the index has changed: a slow hook may run in between."""

LOOKED_AT_EVERY: Final = 0.05
"""Seconds between two polls while git is at work."""

_OF_WORK_TREE: Final = ("HEAD", "logs/HEAD", "index", "MERGE_HEAD", "rebase-merge", "rebase-apply")
_SHARED: Final = ("packed-refs", "refs/stash", "reftable/tables.list")
_LOCKS: Final = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")
_SHARED_LOCKS: Final = (
    *("packed-refs.lock", "refs/stash.lock", "HEAD.lock", "ORIG_HEAD.lock"),
    "reftable/tables.list.lock",
)

StatMark = tuple[int, int, int] | None
"""Modification time in ns, size in bytes and inode of a file, or None if it cannot be read."""


class GitMoment(Struct, frozen=True, kw_only=True):
    """The state of a git directory at one moment: stamps of the files that git writes, and locks.

    `marks` are the stamps of these files in a fixed order, and `index` is the stamp of the index.
    `index_at` is when the index was written, in seconds since 1970, or 0 if there is no index.
    `locks` are the paths of the lock files that exist.
    """

    marks: tuple[StatMark, ...]
    index: StatMark
    index_at: float
    locks: frozenset[str]


def git_moment(git_directory: Path) -> GitMoment:
    """Return the present stamps and locks in a work tree's git directory and in the shared one."""
    common = common_directory(git_directory)
    branch = head_ref(git_directory)
    marks = [_mark(git_directory / name) for name in _OF_WORK_TREE]
    marks += [_mark(common / name) for name in (*_SHARED, *branch)]
    locks = [git_directory / name for name in _LOCKS]
    locks += [common / name for name in (*_SHARED_LOCKS, *(f"{name}.lock" for name in branch))]
    index = marks[_OF_WORK_TREE.index("index")]
    return GitMoment(
        marks=tuple(marks),
        index=index,
        index_at=0.0 if index is None else index[0] / 1e9,
        locks=frozenset(str(lock) for lock in locks if os.path.lexists(lock)),
    )


def _mark(path: Path) -> StatMark:
    try:
        found = os.stat(path)  # noqa: PTH116 - takes a third of Path.stat's time
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class GitRest:
    """Detects whether git has been idle since this object was created.

    Git is idle if it has changed none of its files and holds no lock. `moment` is the state of the
    git directory when this object was created.
    """

    def __init__(self, git_directory: Path) -> None:
        self._git_directory = git_directory
        self.moment = git_moment(git_directory)

    def lasted(self, index: StatMark, log: LogMark | None) -> bool:
        """Return whether git has changed nothing since this object was created and holds no lock.

        `index` and `log` come from an older snapshot: the stamp of the index, and the mark of the
        end of HEAD's reflog. Each is None if it could not be read. If the index differs from
        `index` but the reflog's end is still `log`, git may have written files without having moved
        HEAD yet. Then return False until the index is `RESTS_AFTER` seconds old.
        """
        now = git_moment(self._git_directory)
        if now.locks or now.marks != self.moment.marks:
            return False
        if now.index == index or log_mark(self._git_directory) != log:
            return True
        return abs(clock.now().timestamp() - now.index_at) > RESTS_AFTER

    def wait(self) -> None:
        """Sleep for `LOOKED_AT_EVERY` seconds, before the caller checks again."""
        clock.pause(LOOKED_AT_EVERY)
