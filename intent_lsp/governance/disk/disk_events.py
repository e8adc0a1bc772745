"""The ledger event of a change on disk that nobody reported (ledger section 1).

Invariant: the event describes the contents that are passed. No file is read here.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

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
    intent = judgement.intent
    late = budget(PARSING_SECONDS)
    inferred = [_inferred(change, late, stores.trees) for change in changes]
    kinds = {kind for kind, _ in inferred}
    kind = kinds.pop() if len(kinds) == 1 else MutationClass.INTENT_EVOLUTION
    related = related_to(None if intent is None else specification_of(intent), kind)
    event = Event(
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        session_id=author.session_id,
        agent_id=author.agent_id or None,
        tool_name=DISK_CHANGE,
        mutation_class=kind,
        inferred=True,
        scope_validation=verdict,
        assumed=author.assumed,
        refused_call_hash=refused_call,
        vcs=Vcs(revision_id=stores.revision()),
        files=tuple(
            RecordFile(
                relative_path=change.path,
                previous_path=change.previous,
                pre_hash=change.old,
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
    return stores.ledger.append_or_queue(veiled(event, judgement.rules.policy))


def _inferred(
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


def _ranges(change: DiskChange) -> tuple[Range, ...]:
    new = content_of(change.data, known_hash=change.new)
    if not change.old_known:
        return (whole_range(new),)
    return file_ranges(content_of(change.old_data, known_hash=change.old), new)
