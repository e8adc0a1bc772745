"""Files that no work tree shows, and that no command may change, as a command found them.

Invariant: a value; what it says is compared with the disk again, never taken for it.
"""

from dataclasses import dataclass

from intent_lsp.core.agents.tree_snapshot import LogMark
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedFile:
    """A file of git's own directory, which is called `.git` wherever it is.

    `meaning` is the hash of what it has git do; two contents of one meaning are the same.
    """

    path: WorkspacePath
    hash: ContentHash
    meaning: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerSeen:
    """Where a ledger's whole lines ended, and the hash of its bytes from `start` to there."""

    start: int
    end: int
    hash: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedSeen:
    """What stood there at one moment; `head` is the commit checked out, `log` the end of its log.

    `ledger` is None where there was none, or nobody could read it.
    """

    head: str | None = None
    log: LogMark | None = None
    files: tuple[GuardedFile, ...] = ()
    ledger: LedgerSeen | None = None
