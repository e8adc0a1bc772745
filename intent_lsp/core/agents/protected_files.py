"""The state of protected files before a command: git's own files and the ledger.

The work tree's status does not show these files, and no command may change them.

Invariant: this state never changes and may be out of date. Code that uses it compares it with the
disk again.
"""

from dataclasses import dataclass

from intent_lsp.core.agents.tree_snapshot import LogMark
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedFile:
    """A file of git's own directory. In `path` that directory is always called `.git`.

    `meaning` hashes the settings that the file makes for git, so that an edit without effect is no
    change. For a file that is not configuration it hashes the content.
    """

    path: WorkspacePath
    hash: ContentHash
    meaning: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSeen:
    """How far a ledger reached: the end of its last complete line, as a byte offset.

    `hash` is that of the bytes from `start` to `end`.
    """

    start: int
    end: int
    hash: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedSeen:
    """The protected files at one moment.

    `head` is the commit checked out, `log` the end of its reflog.

    `ledger` is None if there was no ledger or it could not be read.
    """

    head: str | None = None
    log: LogMark | None = None
    files: tuple[GuardedFile, ...] = ()
    ledger: LedgerSeen | None = None
