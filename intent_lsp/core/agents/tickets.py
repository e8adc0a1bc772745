"""A ticket: an allowed call that is not recorded yet (requirements section 6).

Invariant: a ticket holds the judgement of its call. What the call named is not judged again when
it is recorded.
"""

from datetime import timedelta
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tree_snapshot import GuardedSeen, TreeSnapshot
from intent_lsp.core.approvals import ApprovalChannel, ApprovalChoice
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.text import pack

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
    is the hash of the text that the call said it would write.
    """

    path: WorkspacePath
    pre_hash: ContentHash | None
    effect: Effect = Effect.WRITE
    previous: WorkspacePath | None = None
    announced: ContentHash | None = None
    real: WorkspacePath | None = None


class Ticket(Struct, frozen=True, kw_only=True):
    """An allowed call, as it was judged. Times are formatted by `core.timestamps`.

    `tree` is the state of the work tree before a command, stored until the call is recorded.
    `guarded` is the state of the protected files at that time. `command` is the hash of the
    command, `program` the program in it that decided how it was judged.

    `fingerprint` distinguishes calls that have the same `tool_use_id`. `inferred`: the mutation
    class was not stated by the caller. `approved_by` is the session of the person who approved the
    call, and `approval_channel` is how the approval arrived.

    Flags: `looking`: the command's text shows no change of a file. `by_save`: an editor makes the
    change, and its save makes the record. `background`: processes that the call started may still
    run after it has ended. `late`: a follow-up ticket for what such processes change. `gone_on`:
    the session made another call before the end of this one was reported.
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

        False if the file had this hash before the command, by the snapshot of the work tree. True
        if the snapshot lists the file with another hash or not at all, or if there is no snapshot.
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
    change. `unknown` are files whose hash before the call could not be found out, and is None.
    """

    record_id: str | None
    files: tuple[tuple[WorkspacePath, ContentHash | None, ContentHash | None], ...] = ()
    error: str | None = None
    violating: tuple[WorkspacePath, ...] = ()
    unknown: tuple[WorkspacePath, ...] = ()
