"""The ledger event of a change on disk that nobody reported (ledger section 1).

Invariant: the event describes the contents that are passed. No file is read here.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash, content_of
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
    Record,
    RecordFile,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.diff import file_ranges, whole_range
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.formats.syntax.mutation_class import inferred_change
from intent_lsp.formats.syntax.outline import file_fingerprint
from intent_lsp.governance.judging.save_events import related_to, specification_of
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.root.syntax_tree_cache import SyntaxTreeCache
from intent_lsp.store.clock import budget
from intent_lsp.store.ledger.ledger import Appended, Queued

PARSING_SECONDS: Final = 0.3
"""Seconds that parsing the files of one record may take, since others wait for the root's lock."""


class Author(Struct, frozen=True, kw_only=True):
    """The presumed author of a change, with the session under which it is recorded.

    `assumed`: that this author made the change is a guess.
    """

    session_id: str
    agent_id: str = ""
    contributor: Contributor
    assumed: bool = False


class HeldThen(Struct, frozen=True, kw_only=True):
    """A file's content before a change: its hash (None: no file), and its bytes if they are kept.

    `known` is false if that content cannot be determined.
    """

    hash: ContentHash | None
    data: bytes | None
    known: bool = True


class DiskChange(Struct, frozen=True, kw_only=True):
    """A file that changed on disk: the content `old`, and the `new` hash (None: deleted).

    `data` is the new content, or None if the file is deleted or its content is not kept. `previous`
    is the file's old path if it was renamed, else None.
    """

    path: WorkspacePath
    old: HeldThen
    new: ContentHash | None
    data: bytes | None
    previous: WorkspacePath | None = None


class RecordedChange(Struct, frozen=True, kw_only=True):
    """One record of changes on disk: the paths that changed, and the record.

    `record` is None if the record is queued and not yet in the ledger; `queued` then says why.
    `unannounced`: no call that was announced may have made the changes, and their verdict is not
    EXEMPT.
    """

    paths: tuple[WorkspacePath, ...]
    record: Record | None = None
    queued: str | None = None
    unannounced: bool = False


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
    event = _event(changes, author, judgement, verdict, stores)
    event = replace(event, refused_call_hash=refused_call)
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
    """Return the mutation class of a change, and a fingerprint of its file's definitions or None.

    `late` returns True when parsing has to stop. Specified in requirements section 9.
    """
    old = change.old
    if change.new is None:
        return MutationClass.FILE_DELETION, None
    created = old.known and old.hash is None
    if change.data is None:
        # The file is too large to keep.
        kind = MutationClass.FILE_CREATION if created else MutationClass.INTENT_EVOLUTION
        return kind, None
    content = content_of(change.data, known_hash=change.new)
    if created or old.data is not None:
        return inferred_change(change.path, content_of(old.data), content, late, trees.tree)
    # The old content is no longer kept, so the kind of change cannot be inferred.
    fingerprint = file_fingerprint(change.path, content, late, trees.tree)
    return MutationClass.INTENT_EVOLUTION, fingerprint


def _ranges(change: DiskChange) -> tuple[Range, ...]:
    gone = change.old.known and change.old.hash is None
    content = content_of(change.data)
    comparable = change.data is not None or change.new is None
    if comparable and (gone or change.old.data is not None):
        return file_ranges(content_of(change.old.data), content)
    # The old content is no longer kept, so no diff is possible: the whole file counts as changed.
    return (whole_range(content),)
