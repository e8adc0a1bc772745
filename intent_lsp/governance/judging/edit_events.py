"""The ledger events of edits that no call reports: saves, file operations and changes on disk.

Specified in ledger section 1.

Invariant: an event of a change on disk describes the contents that are passed. No file is read.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of
from intent_lsp.core.file_operations import FileHashes, FileOperation, mutation_class
from intent_lsp.core.gate.request import EDITOR_SAVE
from intent_lsp.core.intents import Intent
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
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.diff import file_ranges, whole_range
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.formats.syntax.mutation_class import inferred_change
from intent_lsp.formats.syntax.outline import file_fingerprint
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.root.syntax_tree_cache import SyntaxTreeCache
from intent_lsp.store.clock import budget
from intent_lsp.store.ledger.ledger import Appended, Queued

PARSING_SECONDS: Final = 0.5
"""Seconds that parsing one file's change may take; beyond them its record has less detail."""

ON_DISK_SECONDS: Final = 0.3
"""Seconds that parsing the files of one record may take, since others wait for the root's lock."""


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


class Author(Struct, frozen=True, kw_only=True):
    """The presumed author of a change, with the session under which it is recorded.

    `assumed`: that this author made the change is a guess.
    """

    session_id: str
    agent_id: str = ""
    contributor: Contributor
    assumed: bool = False


class DiskChange(Struct, frozen=True, kw_only=True):
    """A file that changed on disk, from the hash `old` to the hash `new` (None: no file).

    `old_data` and `data` are the contents, each None if there was no file or it is not kept.
    `old_known` is false if the earlier content cannot be determined; `old` is then None. `previous`
    is the file's old path if it was renamed, else None.
    """

    path: WorkspacePath
    old: ContentHash | None
    old_data: bytes | None
    old_known: bool = True
    new: ContentHash | None
    data: bytes | None
    previous: WorkspacePath | None = None

    @property
    def created(self) -> bool:
        """Whether it is known that there was no file before."""
        return self.old_known and self.old is None


def record_save(stores: Stores, save: Save) -> Appended | Queued:
    """Append the record of a save to the ledger, or queue it."""
    return stores.ledger.append_or_queue(save_event(stores, save))


def save_event(stores: Stores, save: Save) -> Event:
    """Return the ledger event of a save, without what the policy hides."""
    kind, fingerprint = _inferred(save, stores.trees)
    pre, post = save.hashes
    file = RecordFile(
        relative_path=save.judgement.path, pre_hash=pre, post_hash=post, ast_fingerprint=fingerprint
    )
    files = [(file, () if save.new is None else file_ranges(save.old, save.new))]
    author = Author(session_id=save.session.id, contributor=save.session.contributor)
    event = _event(stores, author, save.judgement, EDITOR_SAVE, kind, save.verdict, files)
    return replace(event, concurrent_modification=save.concurrent)


def _inferred(save: Save, trees: SyntaxTreeCache) -> tuple[MutationClass, AstFingerprint | None]:
    """Return the mutation class of a save, and a fingerprint of its new content's definitions.

    The fingerprint is None if the content cannot be read or parsed.
    """
    if save.new is None and not save.old.absent:
        # The file exists but cannot be read.
        return MutationClass.INTENT_EVOLUTION, None
    late = budget(PARSING_SECONDS)
    return inferred_change(save.judgement.path, save.old, save.new or ABSENT, late, trees.tree)


def _event(  # noqa: PLR0913, PLR0917 - each is a part of the record
    stores: Stores,
    author: Author,
    judgement: Judgement,
    tool: str,
    kind: MutationClass,
    verdict: ScopeValidation,
    files: Iterable[tuple[RecordFile, tuple[Range, ...]]],
) -> Event:
    """Return the event of an edit whose class was inferred.

    `files` are the files, each with its changed ranges. The event has the intent of `judgement`,
    and lacks what the policy hides.
    """
    intent = judgement.intent
    related = related_to(None if intent is None else specification_of(intent), kind)
    talk = Conversation(
        url=author.session_id, contributor=author.contributor, ranges=(), related=related
    )
    event = Event(
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        session_id=author.session_id,
        agent_id=author.agent_id or None,
        tool_name=tool,
        mutation_class=kind,
        inferred=True,
        scope_validation=verdict,
        assumed=author.assumed,
        vcs=Vcs(revision_id=stores.revision()),
        files=tuple(
            replace(file, conversations=(replace(talk, ranges=ranges),)) for file, ranges in files
        ),
    )
    return veiled(event, judgement.rules.policy)


def specification_of(intent: Intent) -> str:
    """Return the specification that records name for an intent: its own, or else its id."""
    return intent.specification or intent.id


def related_to(specification: str | None, kind: MutationClass) -> tuple[RelatedEntry, ...]:
    """Return the related entries of an edit: its specification, if any, and its mutation class."""
    related = (RelatedEntry(type="mutation_class", value=kind.value),)
    if specification is None:
        return related
    return (RelatedEntry(type="specification", value=specification), *related)


def record_operation(
    stores: Stores,
    session: Session,
    operation: FileOperation,
    judgement: Judgement,
    files: Sequence[JudgedFile],
) -> Appended | Queued:
    """Append or queue the record of an operation, under the intent of `judgement`.

    Its verdict is the worst of its files' verdicts: one file out of scope makes it `FAIL`.
    """
    kind = mutation_class([file.hashes for file in files])
    verdict = worst([file.verdict for file in files])
    author = Author(session_id=session.id, contributor=session.contributor)
    told = [(_operated(file.hashes), file.ranges) for file in files]
    event = _event(stores, author, judgement, operation.value, kind, verdict, told)
    return stores.ledger.append_or_queue(event)


def _operated(hashes: FileHashes) -> RecordFile:
    return RecordFile(
        relative_path=hashes.ends.paths[-1],
        previous_path=hashes.ends.old if hashes.moved else None,
        pre_hash=hashes.pre,
        post_hash=hashes.post,
    )


def worst(verdicts: Sequence[ScopeValidation]) -> ScopeValidation:
    """Return the worst of the verdicts: FAIL, else PASS, else EXEMPT.

    Return EXEMPT if there are no verdicts.
    """
    order = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)
    return next((verdict for verdict in order if verdict in verdicts), ScopeValidation.EXEMPT)


def record_changes(  # noqa: PLR0913 - each is a part of the record
    stores: Stores,
    changes: Sequence[DiskChange],
    author: Author,
    judgement: Judgement,
    verdict: ScopeValidation,
    *,
    refused_call: ContentHash | None = None,
) -> Appended | Queued:
    """Append or queue one record of changes with the same author and verdict.

    The record names the intent of `judgement`, and omits what the policy hides. `refused_call` is
    the hash of a refused call that was made all the same, or None.
    """
    late = budget(ON_DISK_SECONDS)
    inferred = [_inferred_on_disk(change, late, stores.trees) for change in changes]
    kinds = {kind for kind, _ in inferred}
    kind = kinds.pop() if len(kinds) == 1 else MutationClass.INTENT_EVOLUTION
    files = [
        (
            RecordFile(
                relative_path=change.path,
                previous_path=change.previous,
                pre_hash=change.old,
                post_hash=change.new,
                ast_fingerprint=fingerprint,
            ),
            _ranges_on_disk(change),
        )
        for change, (_, fingerprint) in zip(changes, inferred, strict=True)
    ]
    event = _event(stores, author, judgement, DISK_CHANGE, kind, verdict, files)
    return stores.ledger.append_or_queue(replace(event, refused_call_hash=refused_call))


def _inferred_on_disk(
    change: DiskChange, late: Callable[[], bool], trees: SyntaxTreeCache
) -> tuple[MutationClass, AstFingerprint | None]:
    """Return the mutation class of a change, and a fingerprint of its file's definitions or None.

    `late` returns True when parsing has to stop. Specified in requirements section 9.
    """
    if change.new is None:
        return MutationClass.FILE_DELETION, None
    if change.data is None:
        # The file is too large to keep.
        kind = MutationClass.FILE_CREATION if change.created else MutationClass.INTENT_EVOLUTION
        return kind, None
    content = content_of(change.data, known_hash=change.new)
    if change.created or change.old_data is not None:
        old = content_of(change.old_data)
        return inferred_change(change.path, old, content, late, trees.tree)
    # The old content is no longer kept, so the kind of change cannot be inferred.
    fingerprint = file_fingerprint(change.path, content, late, trees.tree)
    return MutationClass.INTENT_EVOLUTION, fingerprint


def _ranges_on_disk(change: DiskChange) -> tuple[Range, ...]:
    new = content_of(change.data, known_hash=change.new)
    if not change.old_known:
        return (whole_range(new),)
    return file_ranges(content_of(change.old_data, known_hash=change.old), new)
