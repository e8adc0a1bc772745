"""A ticket: an allowed call that is not recorded yet, and the snapshots from before a command.

Snapshots are of the work tree's files that differ from HEAD, of git's state and of the ledger. The
protected files, which are git's own files and the ledger, are stored separately: no command of an
agent may change them.

Specified in requirements section 6.

Invariant: a ticket holds the judgement of its call. The files that the call named are not judged
again when the call is recorded.
Invariant: a snapshot never changes and may be out of date. Code that uses it compares it with the
disk again.
"""

from datetime import timedelta
from typing import Final

from msgspec import Struct

from intent_lsp.core.approvals import ApprovalChannel, ApprovalChoice
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.text import pack


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
    `index` are numbers by which a changed index file is noticed. `tips` are the objects that refs
    point to. `remotes` are the objects that remote-tracking refs or the last fetch point to; they
    include what was pushed. `fetched` are those of the last fetch alone. `stashes` are
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

    `git` is the state of the directory's repository. `files` are then those that differ from HEAD
    or that git is told not to compare, without ignored files. If `git` is None, there is no
    repository, and `files` are all files. Files of the server, temporary ones and those that cannot
    be read are left out. `inner` maps the directories of repositories below this one, submodules
    included, to their snapshots; directories that are governed roots are left out.
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

    `hash` is the hash of the bytes from the offset `start` to `end`: only the ledger's last bytes
    are read.
    """

    start: int
    end: int
    hash: ContentHash


class GuardedSeen(Struct, frozen=True, kw_only=True):
    """The state of the protected files (git's own files and the ledger) at one moment.

    `head` is the commit checked out, and `log` the end of HEAD's reflog; each is None if there is
    none. `files` are git's own files. `ledger` is None if there was no ledger or it could not be
    read.
    """

    head: str | None = None
    log: LogMark | None = None
    files: tuple[GuardedFile, ...] = ()
    ledger: LedgerSeen | None = None


CLAIMED_FOR: Final = timedelta(seconds=30)
"""The longest time for which an allowed call claims its files."""

GOOD_FOR: Final = timedelta(hours=24)
"""How long after its issue a ticket can be recorded."""


COMMAND_AWAITED_FOR: Final = timedelta(minutes=10)
"""How long after its start a running command holds back records of what it may have changed."""


class TicketFile(Struct, frozen=True, kw_only=True):
    """One file that a call may change.

    `pre_hash` is its hash before, None if the file did not exist or its content is not known.
    `real` is the path that a write to `path` reached when the call was judged, or None if that was
    `path` itself. `previous` is the old path of a file that the call renames to `path`. `announced`
    is the hash of the whole text that the call said it would write, or None if it did not say that.
    """

    path: WorkspacePath
    pre_hash: ContentHash | None
    effect: Effect = Effect.WRITE
    previous: WorkspacePath | None = None
    announced: ContentHash | None = None
    real: WorkspacePath | None = None


class Ticket(Struct, frozen=True, kw_only=True):
    """An allowed call, as it was judged. Times are formatted by `core.timestamps`.

    `tree` is the snapshot of the work tree from before a command. `guarded` is the state of the
    protected files at that time. `command` is the hash of the command's text; `program` is the
    program in the command that decided how the command was judged.

    `fingerprint` distinguishes calls that have the same `tool_use_id`. `inferred`: the mutation
    class was not stated by the caller. `approved_by` is the session of the person who approved the
    call, and `approval_channel` is how the approval arrived.

    Flags: `looking`: the command's text shows no change of a file. `by_save`: an editor makes the
    change, and its save makes the record. `background`: processes that the call started may still
    run after it has ended. `late`: this is a follow-up ticket, for changes by such processes.
    `gone_on`: the session made another call before the end of this one was reported.
    """

    id: str
    session_id: str
    agent_id: str = ""
    turn: int
    issued_at: str
    tool_name: str
    tool_use_id: str | None = None
    fingerprint: ContentHash | None = None
    intent_id: str | None
    intent_hash: ContentHash | None = None
    specification: str | None = None
    mutation_class: MutationClass
    inferred: bool
    verdict: ScopeValidation
    warnings: tuple[str, ...] = ()
    approval: ApprovalChoice | None = None
    approved_by: str | None = None
    approval_channel: ApprovalChannel = ApprovalChannel.EDITOR
    program: str | None = None
    command: ContentHash | None = None
    looking: bool = False
    by_save: bool = False
    files: tuple[TicketFile, ...] = ()
    tree: TreeSnapshot | None = None
    guarded: GuardedSeen | None = None
    background: bool = False
    late: bool = False
    gone_on: bool = False

    def may_have_made(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Whether the ticket's command may have given the file at `path` the hash `new`.

        False only if the snapshot of the work tree lists the file with this hash: the file then had
        it before the command.
        """
        listed = None if self.tree is None else self.tree.files.get(path)
        return listed is None or listed.hash != new


def command_hash(command: str) -> ContentHash:
    """Return a hash that identifies a command, whose text is not stored: it may hold secrets."""
    return hash_content(pack(command))


class Recorded(Struct, frozen=True, kw_only=True):
    """The outcome of recording a ticket's call. `record_id` is None without a record so far.

    Each of `files` is a path, its hash before the call and its hash after it. `error` says why the
    call failed. `violating` are changed files that the call had not named and was not allowed to
    change. `unknown` are files whose hash before the call could not be found out; `files` has None
    for that hash.
    """

    record_id: str | None
    files: tuple[tuple[WorkspacePath, ContentHash | None, ContentHash | None], ...] = ()
    error: str | None = None
    violating: tuple[WorkspacePath, ...] = ()
    unknown: tuple[WorkspacePath, ...] = ()
