"""Snapshots before a command: the work tree's files that differ from HEAD, git's state, the ledger.

The protected files, which are git's own files and the ledger, are stored separately: no command of
an agent may change them.

Invariant: a snapshot never changes and may be out of date. Code that uses it compares it with the
disk again.
"""

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


class FileSnapshot(Struct, frozen=True):
    """One file of a snapshot: its hash (None if it did not exist), and its blob id in git's index.

    `index` is that id, or None if git did not track the file. `as_index`: git reported the file as
    equal to that blob.
    """

    hash: ContentHash | None
    index: str | None = None
    as_index: bool = False


class LogMark(Struct, frozen=True):
    """Where HEAD's reflog ended: its size in bytes, and the hash of its last line."""

    size: int
    line: ContentHash


class GitSnapshot(Struct, frozen=True, kw_only=True):
    """The state of a repository apart from its files, enough to see later what git itself changed.

    `head` is the commit checked out, None on an unborn branch. `log` is None without a reflog.
    `index` changes whenever git's index file does. `tips` are the objects that refs point to.
    `remotes` are the objects that other repositories have, by the refs of remotes and the last
    fetch; what was pushed is among them. `fetched` are those of the last fetch alone. `stashes` are
    the commits of stashes and autostashes. `excludes` are ignore files outside of the work tree
    with their hashes. `unmerged` are the files in conflict. `standing` are the unfinished merges,
    rebases and the like: for each, the commits of base, ours and theirs.
    """

    head: str | None = None
    log: LogMark | None = None
    index: tuple[int, int, int] | None = None
    tips: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    stashes: tuple[str, ...] = ()
    excludes: tuple[tuple[str, ContentHash], ...] = ()
    unmerged: tuple[WorkspacePath, ...] = ()
    standing: tuple[tuple[str, str, str], ...] = ()


class TreeSnapshot(Struct, frozen=True, kw_only=True):
    """The files of a directory at one moment.

    With `git`, `files` are those that differ from its HEAD or that git is told not to compare,
    without ignored files. Without `git`, they are all files. Files of the server, temporary ones
    and those that cannot be read are left out. `inner` maps the directories of repositories below
    this one, submodules included, to their snapshots; roots that are governed themselves are left
    out.
    """

    git: GitSnapshot | None
    files: dict[WorkspacePath, FileSnapshot]
    inner: dict[WorkspacePath, "TreeSnapshot"]

    @property
    def head(self) -> str | None:
        """The commit that was checked out, or None without a commit or without git."""
        return None if self.git is None else self.git.head


class GuardedFile(Struct, frozen=True, kw_only=True):
    """A file in git's own directory. Its `path` always calls that directory `.git`.

    `meaning` is the hash of the settings that the file makes for git, so that an edit without
    effect is no change. For a file that is not configuration, `meaning` is the hash of its content.
    """

    path: WorkspacePath
    hash: ContentHash
    meaning: ContentHash


class LedgerSeen(Struct, frozen=True, kw_only=True):
    """How much of a ledger had been written: `end` is the byte offset after its last complete line.

    `hash` is the hash of the bytes from `start` to `end`.
    """

    start: int
    end: int
    hash: ContentHash


class GuardedSeen(Struct, frozen=True, kw_only=True):
    """The state of the protected files (git's own files and the ledger) at one moment.

    `head` is the commit checked out, or None. `log` is the end of HEAD's reflog, or None. `ledger`
    is None if there was no ledger or it could not be read.
    """

    head: str | None = None
    log: LogMark | None = None
    files: tuple[GuardedFile, ...] = ()
    ledger: LedgerSeen | None = None
