"""A change on disk that nobody has told of, as the event that the ledger keeps (ledger section 1).

Invariant: what is described is what the disk held when it was looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import (
    DISK_CHANGE,
    AstFingerprint,
    Contributor,
    Conversation,
    Event,
    MutationClass,
    Range,
    RecordFile,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.diff import file_ranges, whole_range
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.formats.syntax.fingerprint import file_fingerprint
from intent_lsp.formats.syntax.mutation_class import inferred_change
from intent_lsp.governance.judging.save_events import related_to, specification_of
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.root.syntax_tree_cache import SyntaxTreeCache
from intent_lsp.store.clock import budget
from intent_lsp.store.ledger.ledger import Appended, Queued

PARSING_SECONDS: Final = 0.3
"""What the syntax trees of one record may take: others wait for the root's lock meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who changed a file, as far as anybody knows: the session that it is recorded under.

    `assumed`: nobody has announced that it would.
    """

    session_id: str
    agent_id: str = ""
    contributor: Contributor
    assumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldThen:
    """What a file held before: its hash (None: there was none), and its bytes while they are kept.

    `known` is False where nobody can tell any more.
    """

    hash: ContentHash | None
    data: bytes | None
    known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskChange:
    """A file that holds something else than before; `data` None: it is gone, or too large.

    `previous` is its name of before, where it has another now.
    """

    path: WorkspacePath
    old: HeldThen
    new: ContentHash | None
    data: bytes | None
    previous: WorkspacePath | None = None


def record_changes(
    stores: Stores,
    changes: Sequence[DiskChange],
    author: Author,
    judgement: Judgement,
    verdict: ScopeValidation,
) -> Appended | Queued:
    """Append one record of changes, without what the team does not want told, or have it wait.

    All of them have one verdict, under the intent of `judgement`.
    """
    event = _event(changes, author, judgement, verdict, stores)
    return stores.ledger.append_or_queue(veiled(event, judgement.rules.policy))


def _event(
    changes: Sequence[DiskChange],
    author: Author,
    judgement: Judgement,
    verdict: ScopeValidation,
    stores: Stores,
) -> Event:
    intent = judgement.intent
    late = budget(PARSING_SECONDS)
    inferred = [_inferred(change, late, stores.trees) for change in changes]
    kinds = {kind for kind, _ in inferred}
    kind = kinds.pop() if len(kinds) == 1 else MutationClass.INTENT_EVOLUTION
    related = related_to(None if intent is None else specification_of(intent), kind)
    return Event(
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        session_id=author.session_id,
        agent_id=author.agent_id or None,
        tool_name=DISK_CHANGE,
        mutation_class=kind,
        inferred=True,
        scope_validation=verdict,
        assumed=author.assumed,
        vcs=Vcs(revision_id=stores.revision()),
        files=tuple(
            RecordFile(
                relative_path=change.path,
                previous_path=change.previous,
                pre_hash=change.old.hash,
                post_hash=change.new,
                ast_fingerprint=fingerprint,
                conversations=(
                    Conversation(
                        url=author.session_id,
                        contributor=author.contributor,
                        ranges=_ranges(change),
                        related=related,
                    ),
                ),
            )
            for change, (_, fingerprint) in zip(changes, inferred, strict=True)
        ),
    )


def _inferred(
    change: DiskChange, late: Callable[[], bool], trees: SyntaxTreeCache
) -> tuple[MutationClass, AstFingerprint | None]:
    """Tell what kind of change it was, and what its file defines now (requirements section 9)."""
    old = change.old
    if change.new is None:
        return MutationClass.FILE_DELETION, None
    created = old.known and old.hash is None
    if change.data is None:
        # It is too large to hold.
        kind = MutationClass.FILE_CREATION if created else MutationClass.INTENT_EVOLUTION
        return kind, None
    if created or old.data is not None:
        return inferred_change(change.path, old.data, change.data, late, trees.tree)
    # What it held is kept no more: nobody can tell what has become of it.
    fingerprint = file_fingerprint(change.path, change.data, late, trees.tree)
    return MutationClass.INTENT_EVOLUTION, fingerprint


def _ranges(change: DiskChange) -> tuple[Range, ...]:
    gone = change.old.known and change.old.hash is None
    comparable = change.data is not None or change.new is None
    if comparable and (gone or change.old.data is not None):
        return file_ranges(change.old.data, change.data)
    # What it held is kept no more: all that is known is what it holds now.
    return (whole_range(change.data or b""),)
