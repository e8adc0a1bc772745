"""A ticket: an allowed call on its way from the gate to its record (requirements section 6).

Invariant: what a record needs of the moment of judging stands in the ticket; nothing is judged
again when the edit is recorded.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from intent_lsp.core.agents.protected_files import GuardedSeen
from intent_lsp.core.agents.tree_snapshot import TreeSnapshot
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import ApprovalChoice, MutationClass, ScopeValidation
from intent_lsp.core.text import pack

CLAIMED_FOR: Final = timedelta(seconds=30)
"""How long an allowed call keeps its files from others."""

GOOD_FOR: Final = timedelta(hours=24)
"""How long a ticket can be recorded."""


COMMAND_AWAITED_FOR: Final = timedelta(minutes=10)
"""How long a change waits for the end of a command that may have made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFile:
    """One file that a call may change, and what it held then (None: there was none).

    `real` is where its bytes went when it was judged (None: where it reads). `previous` is the
    other end of a rename, at its new one; `announced` the hash of the text that the call said it
    would write.
    """

    path: WorkspacePath
    pre_hash: ContentHash | None
    effect: Effect = Effect.WRITE
    previous: WorkspacePath | None = None
    announced: ContentHash | None = None
    real: WorkspacePath | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """An allowed call, as it was judged; moments as `core.timestamps` spells them.

    `tree` is what the work tree held before a command, while the ticket is open, and `guarded` what
    stood beside it; `command` is its hash. `looking`: it was to change nothing, as far as
    its text tells. `background`: what it has started may go on when it has ended; `late`: it has,
    and this is a second look at that.
    `gone_on`: its session has made another call since, and nobody has told of its end.
    `fingerprint` tells its call from another of the same `tool_use_id`.
    `approved_by` is the session of the person who let it pass; `by_save`: an editor makes the
    change, and its save is the record.
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
        """Whether a command may have made a file what it is: it did not hold that before."""
        listed = None if self.tree is None else self.tree.files.get(path)
        return listed is None or listed.hash != new


def command_hash(command: str) -> ContentHash:
    """Give the name of a command by which it is found again: it may hold what nobody may keep."""
    return hash_content(pack(command))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What became of a ticket: its record, if it made one, and each file's hash after it.

    `error`: why its call failed. `violating` are files that nobody had named, and that its intent
    may not change.
    """

    record_id: str | None
    files: tuple[tuple[WorkspacePath, ContentHash | None, ContentHash | None], ...] = ()
    error: str | None = None
    violating: tuple[WorkspacePath, ...] = ()
