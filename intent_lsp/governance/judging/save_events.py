"""The ledger events of editors' saves and of their file operations (ledger section 1)."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ABSENT, ContentHash, FileContent
from intent_lsp.core.file_operations import FileHashes, FileOperation, mutation_class
from intent_lsp.core.gate.request import EDITOR_SAVE
from intent_lsp.core.intents import Intent
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import (
    AstFingerprint,
    Conversation,
    Event,
    MutationClass,
    Range,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.diff import file_ranges
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.formats.syntax.mutation_class import inferred_change
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.root.syntax_tree_cache import SyntaxTreeCache
from intent_lsp.store.clock import budget
from intent_lsp.store.ledger.ledger import Appended, Queued

PARSING_SECONDS: Final = 0.5
"""Seconds that parsing one file's change may take; beyond them its record has less detail."""


class Save(Struct, frozen=True, kw_only=True):
    """One save that changed a file from `old` to `new`, with its session, judgement and verdict.

    `new` is None if the file cannot be read. `concurrent`: the save overwrote a change that the
    editor had not read.
    """

    session: Session
    judgement: Judgement
    verdict: ScopeValidation
    old: FileContent
    new: FileContent | None
    concurrent: bool = False

    @property
    def hashes(self) -> tuple[ContentHash | None, ContentHash | None]:
        """The hashes before and after the save; None if the file was absent or unreadable."""
        return self.old.hash, None if self.new is None else self.new.hash


class JudgedFile(Struct, frozen=True, kw_only=True):
    """One file of an operation: its paths and hashes, its changed line ranges, and the verdict."""

    hashes: FileHashes
    ranges: tuple[Range, ...]
    verdict: ScopeValidation


def record_save(stores: Stores, save: Save) -> Appended | Queued:
    """Append the record of a save to the ledger, or queue it. Leave out what the policy hides."""
    event = veiled(save_event(save, stores.revision(), stores.trees), save.judgement.rules.policy)
    return stores.ledger.append_or_queue(event)


def save_event(save: Save, revision: str, trees: SyntaxTreeCache) -> Event:
    """Return the ledger event of a save; `revision` is the commit checked out at that time."""
    intent = save.judgement.intent
    kind, fingerprint = _inferred(save, trees)
    return Event(
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        session_id=save.session.id,
        tool_name=EDITOR_SAVE,
        mutation_class=kind,
        inferred=True,
        scope_validation=save.verdict,
        success=True,
        concurrent_modification=save.concurrent,
        vcs=Vcs(revision_id=revision),
        files=(_saved(save, kind, fingerprint),),
    )


def _inferred(save: Save, trees: SyntaxTreeCache) -> tuple[MutationClass, AstFingerprint | None]:
    """Return the mutation class of a save, and a fingerprint of its new content's definitions.

    The fingerprint is None if the content cannot be read or parsed.
    """
    if save.new is None and not save.old.absent:
        # The file exists but cannot be read.
        return MutationClass.INTENT_EVOLUTION, None
    late = budget(PARSING_SECONDS)
    return inferred_change(save.judgement.path, save.old, save.new or ABSENT, late, trees.tree)


def _saved(save: Save, kind: MutationClass, fingerprint: AstFingerprint | None) -> RecordFile:
    intent = save.judgement.intent
    conversation = Conversation(
        url=save.session.id,
        contributor=save.session.contributor,
        ranges=() if save.new is None else file_ranges(save.old, save.new),
        related=related_to(None if intent is None else specification_of(intent), kind),
    )
    return RecordFile(
        relative_path=save.judgement.path,
        pre_hash=save.hashes[0],
        post_hash=save.hashes[1],
        ast_fingerprint=fingerprint,
        conversations=(conversation,),
    )


def specification_of(intent: Intent) -> str:
    """Return the specification that records name for an intent: its own, or else its id."""
    return intent.specification or intent.id


def related_to(specification: str | None, kind: MutationClass) -> tuple[RelatedEntry, ...]:
    """Return the related entries of an edit: its specification, if any, and its mutation class."""
    related = (RelatedEntry(type="mutation_class", value=kind.value),)
    if specification is None:
        return related
    return (RelatedEntry(type="specification", value=specification), *related)


def operation_event(
    session: Session,
    operation: FileOperation,
    intent: Intent | None,
    files: Sequence[JudgedFile],
    revision: str,
) -> Event:
    """Return the event that records an operation; `revision` is the commit checked out then.

    The event's verdict is the worst of its files' verdicts: one file out of scope makes it `FAIL`.
    """
    kind = mutation_class([file.hashes for file in files])
    related = related_to(None if intent is None else specification_of(intent), kind)
    return Event(
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        session_id=session.id,
        tool_name=operation.value,
        mutation_class=kind,
        inferred=True,
        scope_validation=worst([file.verdict for file in files]),
        vcs=Vcs(revision_id=revision),
        files=tuple(_operated(session, file, related) for file in files),
    )


def worst(verdicts: Sequence[ScopeValidation]) -> ScopeValidation:
    """Return the worst of the verdicts: FAIL, else PASS, else EXEMPT.

    Return EXEMPT if there are no verdicts.
    """
    order = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)
    return next((verdict for verdict in order if verdict in verdicts), ScopeValidation.EXEMPT)


def _operated(session: Session, file: JudgedFile, related: tuple[RelatedEntry, ...]) -> RecordFile:
    ends = file.hashes.ends
    conversation = Conversation(
        url=session.id, contributor=session.contributor, ranges=file.ranges, related=related
    )
    return RecordFile(
        relative_path=ends.paths[-1],
        previous_path=ends.old if file.hashes.moved else None,
        pre_hash=file.hashes.pre,
        post_hash=file.hashes.post,
        conversations=(conversation,),
    )
