"""A work tree at one moment: what differs from HEAD, and what git could tell then.

Invariant: a value; what it says is compared with the disk again, never taken for it.
"""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """What a file held (None: there was no such file), and its blob in git's index.

    `index` None: git did not track it. `as_index`: git calls the file the same as that blob.
    """

    hash: ContentHash | None
    index: str | None = None
    as_index: bool = False


@dataclass(frozen=True, slots=True)
class LogMark:
    """Where the log of HEAD ended: its size in bytes, and the hash of its last line."""

    size: int
    line: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSnapshot:
    """What a repository held beside its files: enough to tell later what git itself has done.

    `head` None: unborn. `log` None: there was no log. `index` tells one state of git's index from
    another. `tips` are the objects that refs named, `remotes` those of them that came from other
    repositories, `stashes` the commits of stashes and autostashes. `excludes` are the hashes of the
    files outside of the work tree that say what git ignores. `standing` are the merges of what
    stood unfinished: the commits of base, ours and theirs.
    """

    head: str | None = None
    log: LogMark | None = None
    index: tuple[int, int, int] | None = None
    tips: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    excludes: tuple[tuple[str, ContentHash], ...] = ()
    unmerged: tuple[WorkspacePath, ...] = ()
    standing: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSnapshot:
    """What the files of a directory held at one moment.

    In a repository (`git`) they are those that differ from its HEAD, ignored ones not; a file that
    is not among them held what HEAD holds. Elsewhere they are all. `inner` are the repositories
    below it, submodules among them, by the directory that each is in.
    """

    git: GitSnapshot | None
    files: dict[WorkspacePath, FileSnapshot]
    inner: dict[WorkspacePath, "TreeSnapshot"]

    @property
    def head(self) -> str | None:
        """The commit checked out; None: there was none."""
        return None if self.git is None else self.git.head
