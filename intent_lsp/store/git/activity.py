"""Whether git is at work: what it moves and locks while it writes the work tree.

Invariant: nothing here is written, and no git is asked: this is asked again and again.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tree_snapshot import LogMark
from intent_lsp.store import clock
from intent_lsp.store.git.gitdir import common_directory
from intent_lsp.store.git.reflog import log_mark

RESTS_AFTER: Final = 1.0
"""Seconds that git may leave HEAD as it was when its index is new: a hook may take its time."""

LOOKED_AT_EVERY: Final = 0.05
"""Seconds between two looks at a git that is at work."""

_OF_WORK_TREE: Final = ("HEAD", "logs/HEAD", "index", "MERGE_HEAD", "rebase-merge", "rebase-apply")
_SHARED: Final = ("packed-refs", "refs/stash", "reftable/tables.list")
_LOCKS: Final = ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")
_SHARED_LOCKS: Final = (
    *("packed-refs.lock", "refs/stash.lock", "HEAD.lock", "ORIG_HEAD.lock"),
    "reftable/tables.list.lock",
)

StatMark = tuple[int, int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GitMoment:
    """What tells whether git has moved: the stamps of what it writes, and the locks that stand.

    `index_at` is when the index was written, in seconds since 1970.
    """

    marks: tuple[StatMark, ...]
    log: StatMark
    index: StatMark
    index_at: float
    locks: frozenset[str]


def git_moment(git_directory: Path) -> GitMoment:
    """Look at what git writes, and at its locks, of one work tree and of what it shares."""
    common = common_directory(git_directory)
    branch = _branch(git_directory)
    marks = [_mark(git_directory / name) for name in _OF_WORK_TREE]
    marks += [_mark(common / name) for name in (*_SHARED, *branch)]
    locks = [git_directory / name for name in _LOCKS]
    locks += [common / name for name in (*_SHARED_LOCKS, *(f"{name}.lock" for name in branch))]
    index = marks[_OF_WORK_TREE.index("index")]
    return GitMoment(
        marks=tuple(marks),
        log=marks[_OF_WORK_TREE.index("logs/HEAD")],
        index=index,
        index_at=0.0 if index is None else index[0] / 1e9,
        locks=frozenset(str(lock) for lock in locks if os.path.lexists(lock)),
    )


def _branch(git_directory: Path) -> tuple[str, ...]:
    try:
        head = (git_directory / "HEAD").read_bytes()[:4096]
    except OSError:
        return ()
    name = os.fsdecode(head).partition("\n")[0]
    # A null character stands in no file's name.
    return (name.removeprefix("ref: "),) if name.startswith("ref: ") and "\0" not in name else ()


def _mark(path: Path) -> StatMark:
    try:
        found = os.stat(path)  # noqa: PTH116 - a third of the time
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class GitRest:
    """Whether git rests from one moment on: it moved nothing, and holds nothing."""

    def __init__(self, git_directory: Path) -> None:
        self._git_directory = git_directory
        self.moment = git_moment(git_directory)

    def lasted(self, index: StatMark, log: LogMark | None) -> bool:
        """Whether nothing has moved since; `index` and `log` are those of what is compared with.

        Where only the index is another, its files may be new and HEAD still old: git is given a
        second to move it.
        """
        now = git_moment(self._git_directory)
        if now.locks or now.marks != self.moment.marks:
            return False
        if now.index == index or log_mark(self._git_directory) != log:
            return True
        return abs(clock.now().timestamp() - now.index_at) > RESTS_AFTER

    def wait(self) -> None:
        """Wait for a moment, in which git may come to rest."""
        clock.pause(LOOKED_AT_EVERY)
