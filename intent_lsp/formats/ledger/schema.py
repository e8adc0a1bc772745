"""The schema of a ledger line, as structs into which msgspec decodes.

Invariant: the fields are in the order of the keys on the line, and a default stands for an absent
key, so that encoding a struct gives the one valid spelling (ledger section 1).
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from intent_lsp.core.approvals import ApprovalChannel, ApprovalChoice
from intent_lsp.core.content import ContentHash
from intent_lsp.core.records import UNKNOWN_REVISION, EntityType, MutationClass, ScopeValidation

MAX_FILES: Final = 10_000

MAX_NUMBER = 2**53 - 1
"""The largest number on a ledger line. JSON readers may lose digits of larger ones."""

_Hash = Annotated[str, Meta(min_length=71, max_length=71)]
_ChainHash = Annotated[ContentHash, Meta(min_length=71, max_length=71)]
_Id = Annotated[str, Meta(min_length=1, max_length=256)]
_Filled = Annotated[str, Meta(min_length=1)]
_Number = Annotated[int, Meta(ge=0, le=MAX_NUMBER)]

_HASHES = re.compile(r"(?:sha256:[0-9a-f]{64})*")
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class _Wire(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The base class of the structs for all parts of a ledger line."""


class WireContributor(_Wire, kw_only=True):
    """The author of changed lines, as a ledger line holds it."""

    entity_type: EntityType
    model_identifier: _Id


class LedgerRange(_Wire, kw_only=True):
    """A contiguous run of changed lines, as a ledger line holds it.

    `replaced` is (first old line, old count, new count), or None if these are not known.
    `fallback`: the range stands for the whole file.
    """

    start_line: _Number
    end_line: _Number
    content_hash: _Hash
    replaced: tuple[_Number, _Number, _Number] | None = None
    fallback: bool = False


class WireRelated(_Wire, kw_only=True):
    """Something that an edit belongs to, such as a specification, as a ledger line holds it."""

    type: _Filled
    value: str


class WireConversation(_Wire, kw_only=True):
    """The session or chat in which lines of a file were changed, as a ledger line holds it."""

    url: _Filled
    contributor: WireContributor
    ranges: tuple[LedgerRange, ...]
    related: tuple[WireRelated, ...]


class WireFingerprint(_Wire, kw_only=True):
    """A hash of a file's definitions, as a ledger line holds it."""

    parser: _Filled
    language: _Filled
    summary_hash: _Hash


class WireFile(_Wire, kw_only=True):
    """One file of an edit, as a ledger line holds it.

    A hash is None if there was no file, or if its content is not known.
    """

    relative_path: _Filled
    path_encoding: Literal["percent"] | None = None
    previous_path: _Filled | None = None
    pre_hash: _Hash | None
    post_hash: _Hash | None
    ast_fingerprint: WireFingerprint | None = None
    conversations: tuple[WireConversation, ...]


class WireVcs(_Wire, kw_only=True):
    """The commit checked out at an edit, as a ledger line holds it."""

    revision_id: str


class WireApproval(_Wire, kw_only=True):
    """A person's approval of an edit, as a ledger line holds it."""

    choice: ApprovalChoice
    session_id: _Id
    channel: ApprovalChannel = ApprovalChannel.EDITOR


class WireGrant(_Wire, kw_only=True):
    """Scope that a person granted to the record's intent, as a ledger line holds it."""

    patterns: tuple[str, ...]
    reason: str | None
    granted_by: _Id
    expires_at: str | None
    channel: ApprovalChannel = ApprovalChannel.EDITOR


class WireIntegrity(_Wire, kw_only=True):
    """A record's place in the hash chain, and its own hash, as a ledger line holds them."""

    chain: Literal["sha256"]
    canonical: Literal["rfc8785"]
    prev_record_hash: _ChainHash | None
    merges: tuple[_ChainHash, ...] = ()
    record_hash: str = ""


class WireRecord(_Wire, kw_only=True):
    """A record, as one line of the ledger holds it."""

    id: str
    timestamp: str
    intent_id: _Id | None
    intent_hash: _Hash | None
    session_id: _Id
    agent_id: _Id | None = None
    tool_name: _Id
    mutation_class: MutationClass
    inferred: bool = False
    scope_validation: ScopeValidation
    success: bool
    error: Annotated[str, Meta(max_length=120)] | None = None
    concurrent_modification: bool = False
    assumed: bool = False
    compared: bool = True
    reconstructed: bool = False
    refused_call_hash: _Hash | None = None
    approval: WireApproval | None = None
    grant: WireGrant | None = None
    vcs: WireVcs
    files: Annotated[tuple[WireFile, ...], Meta(max_length=MAX_FILES)]
    integrity: WireIntegrity


def broken_rule(record: WireRecord) -> str | None:
    """Return the first rule of the ledger that a record breaks, as a sentence, or None.

    The rules are those that the types of the fields cannot express.
    """
    if not UUID4.fullmatch(record.id):
        return "`id` is not a UUID of version 4"
    if not _is_time(record.timestamp):
        return "`timestamp` is not RFC 3339 in UTC with milliseconds and `Z`"
    if not _HASHES.fullmatch("".join(_hashes(record))):
        return "a hash is not `sha256:` and 64 lower-case hexadecimal digits"
    revision = record.vcs.revision_id
    if revision != UNKNOWN_REVISION and not COMMIT.fullmatch(revision):
        return f"`vcs.revision_id` is neither a commit nor {UNKNOWN_REVISION}"
    return _contradiction(record) or _broken_runs(record.files)


def _contradiction(record: WireRecord) -> str | None:
    if record.error is not None and record.success:
        return "the record has an `error` although `success` is true"
    if record.grant is not None and not _is_grant(record, record.grant):
        return (
            "the record is a grant, so it must have no files, the class CONFIGURATION, the verdict"
            " EXEMPT and a valid `expires_at`"
        )
    return None


def _broken_runs(files: tuple[WireFile, ...]) -> str | None:
    for file in files:
        for talk in file.conversations:
            if talk.ranges and (rule := _broken_range(talk.ranges)):
                return rule
    return None


def _is_time(text: str) -> bool:
    if not TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _hashes(record: WireRecord) -> Iterator[str]:
    integrity = record.integrity
    yield record.intent_hash or ""
    yield record.refused_call_hash or ""
    yield integrity.prev_record_hash or ""
    yield from integrity.merges
    yield integrity.record_hash
    for file in record.files:
        yield file.pre_hash or ""
        yield file.post_hash or ""
        if file.ast_fingerprint is not None:
            yield file.ast_fingerprint.summary_hash
        for talk in file.conversations:
            for run in talk.ranges:
                yield run.content_hash


def _is_grant(record: WireRecord, grant: WireGrant) -> bool:
    return (
        not record.files
        and record.mutation_class is MutationClass.CONFIGURATION
        and record.scope_validation is ScopeValidation.EXEMPT
        and (grant.expires_at is None or _is_time(grant.expires_at))
    )


def _broken_range(runs: tuple[LedgerRange, ...]) -> str | None:
    above = -1
    for run in runs:
        # Two deletions around the first line both refer to it; neither claims it.
        claimed = above if run.replaced is None or run.replaced[2] else above - 1
        if run.start_line > run.end_line or run.start_line <= claimed:
            return "`ranges` are not in order, overlap, or end before they start"
        above = run.end_line
        if run.start_line == 0 and (len(runs) > 1 or run.end_line):
            return (
                "a range that starts at line 0 stands for a file without lines, so it must end at"
                " line 0 and be the only one"
            )
        if run.replaced is not None and not _counts(run, *run.replaced):
            return "`replaced` does not fit its range of lines"
    return None


def _counts(run: LedgerRange, first_old: int, _old_count: int, new_count: int) -> bool:
    length = run.end_line - run.start_line + 1
    told = new_count == length if new_count else length == 1
    return told and first_old > 0 and not run.fallback
