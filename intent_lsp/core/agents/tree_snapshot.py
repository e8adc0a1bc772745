"""A snapshot of the work tree: the files that differ from HEAD, and git's own state.

Invariant: a snapshot never changes and may be out of date. Code that uses it compares it with the
disk again.
"""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """The hash of one file (None if it did not exist), and its blob id in git's index.

    `index` is None if git did not track the file. `as_index`: git reported the file as unchanged
    against that blob.
    """

    hash: ContentHash | None
    index: str | None = None
    as_index: bool = False


@dataclass(frozen=True, slots=True)
class LogMark:
    """The end of HEAD's reflog: its size in bytes, and the hash of its last line."""

    size: int
    line: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSnapshot:
    """The state of a repository apart from its files, enough to tell later what git itself changed.

    `head` is None on an unborn branch, `log` None without a reflog. `index` changes whenever git's
    index file does. `tips` are the objects that refs point to; `remotes` are those fetched from
    other repositories; `stashes` are the commits of stashes and autostashes. `excludes` are ignore
    files outside of the work tree with their hashes. `standing` are the merges of operations that
    are not finished: the commits of base, ours and theirs.
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
    """The files of a directory at one moment.

    With `git`, `files` are those that differ from its HEAD, ignored ones excepted; every other file
    equals HEAD. Without `git`, `files` are all files. `inner` are the repositories below,
    submodules included, by their directories.
    """

    git: GitSnapshot | None
    files: dict[WorkspacePath, FileSnapshot]
    inner: dict[WorkspacePath, "TreeSnapshot"]

    @property
    def head(self) -> str | None:
        """The commit checked out, or None if there was none."""
        return None if self.git is None else self.git.head
