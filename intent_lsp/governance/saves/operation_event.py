"""The ledger event of a file operation (ledger section 1)."""

from collections.abc import Sequence

from msgspec import Struct

from intent_lsp.core.file_operations import FileHashes, FileOperation, mutation_class
from intent_lsp.core.intents import Intent
from intent_lsp.core.records import (
    Conversation,
    Event,
    Range,
    RecordFile,
    RelatedEntry,
    ScopeValidation,
    Vcs,
)
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.judging.save_events import related_to, specification_of
from intent_lsp.governance.root.sessions import Session


class JudgedFile(Struct, frozen=True, kw_only=True):
    """One file of an operation: its paths and hashes, its changed line ranges, and the verdict."""

    hashes: FileHashes
    ranges: tuple[Range, ...]
    verdict: ScopeValidation


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
        files=tuple(_file(session, file, related) for file in files),
    )


def worst(verdicts: Sequence[ScopeValidation]) -> ScopeValidation:
    """Return the worst of the verdicts: FAIL, else PASS, else EXEMPT.

    Return EXEMPT if there are no verdicts.
    """
    order = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)
    return next((verdict for verdict in order if verdict in verdicts), ScopeValidation.EXEMPT)


def _file(session: Session, file: JudgedFile, related: tuple[RelatedEntry, ...]) -> RecordFile:
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
