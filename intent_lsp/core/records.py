"""A record: one edit that happened, with the fields of its line in the ledger (ledger section 1).

Invariant: a field whose key is missing on the line has its default here, and no other value.
Invariant: lines count from 1 in the new content. Hashes are `sha256:` and 64 hex digits.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.approvals import Approval, Grant
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath

UNKNOWN_REVISION: Final = "UNKNOWN"
PERCENT: Final = "percent"

DISK_CHANGE: Final = "disk/change"
"""The tool name in records of changes on disk that no save and no tool call announced."""

GRANT_TOOL: Final = "intent/grant"
"""The tool name in records that grant scope."""


class MutationClass(StrEnum):
    """The kind of change that an edit was (requirements section 9)."""

    AST_REFACTOR = "AST_REFACTOR"
    INTENT_EVOLUTION = "INTENT_EVOLUTION"
    BUG_FIX = "BUG_FIX"
    DOCUMENTATION = "DOCUMENTATION"
    CONFIGURATION = "CONFIGURATION"
    FILE_CREATION = "FILE_CREATION"
    FILE_DELETION = "FILE_DELETION"


class ScopeValidation(StrEnum):
    """The verdict of a record. PASS: the gate's rules or a person allowed the edit. FAIL: neither.

    EXEMPT: the intent's scope did not decide, for example because governance was off.
    """

    PASS = "PASS"  # noqa: S105 -- a verdict
    FAIL = "FAIL"
    EXEMPT = "EXEMPT"


class EntityType(StrEnum):
    """Who made an edit. MIXED: a person changed an agent's edit before the save."""

    AI = "AI"
    HUMAN = "HUMAN"
    MIXED = "MIXED"
    UNKNOWN = "UNKNOWN"


class Contributor(Struct, frozen=True):
    """The author of changed lines.

    `model_identifier` is the name of an agent's model, `human` for a person, and `unknown` if no
    name was given.
    """

    entity_type: EntityType
    model_identifier: str


HUMAN: Final = Contributor(EntityType.HUMAN, "human")
AGENT: Final = Contributor(EntityType.AI, "unknown")
UNKNOWN_CONTRIBUTOR: Final = Contributor(EntityType.UNKNOWN, "unknown")


class Range(Struct, frozen=True, kw_only=True):
    """One contiguous run of changed lines. Lines count from 1 in the new content, ends included.

    A pure deletion has the line above it, or line 1; `0`-`0` stands for a file without lines.
    `replaced` is (first old line from 1, old count, new count), or None if the file was not
    compared line by line. `fallback`: the range stands for the whole file, which was not compared.
    """

    start_line: int
    end_line: int
    content_hash: ContentHash
    replaced: tuple[int, int, int] | None = None
    fallback: bool = False


class RelatedEntry(Struct, frozen=True):
    """Something that an edit belongs to: a `type`, such as `specification`, and its `value`."""

    type: str
    value: str


class Conversation(Struct, frozen=True, kw_only=True):
    """The session or chat in which lines of a file were changed, with their author and ranges.

    `url` is the session id, or the agent's own URL of the chat.
    """

    url: str
    contributor: Contributor
    ranges: tuple[Range, ...] = ()
    related: tuple[RelatedEntry, ...] = ()


class AstFingerprint(Struct, frozen=True, kw_only=True):
    """A hash of the nesting, kinds and names of a file's definitions."""

    parser: str
    language: str
    summary_hash: ContentHash


class RecordFile(Struct, frozen=True, kw_only=True):
    """One file of an edit. `pre_hash` is the hash of its content before, `post_hash` after.

    A hash is None if there was no file then, or if its content is not known. In a record the
    paths are as on the ledger's line. In an event they may also be as on disk, with surrogate
    escapes and without `path_encoding`; `spelled` converts them.
    """

    relative_path: str
    path_encoding: str | None = None
    previous_path: str | None = None
    pre_hash: ContentHash | None
    post_hash: ContentHash | None
    ast_fingerprint: AstFingerprint | None = None
    conversations: tuple[Conversation, ...] = ()

    @property
    def path(self) -> WorkspacePath:
        """The path of the file on disk. Bytes that are not UTF-8 are surrogate escapes."""
        return file_path(self.relative_path, self.path_encoding)

    @property
    def previous(self) -> WorkspacePath | None:
        """The path on disk from which this edit renamed the file, or None if it did not."""
        if self.previous_path is None:
            return None
        return file_path(self.previous_path, self.path_encoding)


class Vcs(Struct, frozen=True):
    """The commit that git had checked out at the edit, or UNKNOWN_REVISION if there was none."""

    revision_id: str = UNKNOWN_REVISION


class Integrity(Struct, frozen=True, kw_only=True):
    """A record's place in the hash chain, and its own hash.

    `prev_record_hash` is that of the record before, None for the first. `merges` are the hashes of
    further heads that the record follows.
    """

    chain: str = "sha256"
    canonical: str = "rfc8785"
    prev_record_hash: ContentHash | None
    merges: tuple[ContentHash, ...] = ()
    record_hash: ContentHash


class Event(Struct, frozen=True, kw_only=True):
    """An edit that happened, not yet in the ledger: a record without id, time and integrity.

    `inferred`: nobody declared the mutation class. `concurrent_modification`: something else
    changed a file meanwhile. `assumed`: who made the edit, and so its intent, is a guess.
    `compared` is False for a command whose snapshot of the work tree could not be compared.
    `reconstructed`: the command deleted the session database, so the ticket was taken from the
    memory of the process. `refused_call_hash`: if the edit is that of a refused call, the
    fingerprint of that call, else None.
    """

    intent_id: str | None = None
    intent_hash: ContentHash | None = None
    session_id: str
    agent_id: str | None = None
    tool_name: str
    mutation_class: MutationClass
    inferred: bool = False
    scope_validation: ScopeValidation
    success: bool = True
    error: str | None = None
    concurrent_modification: bool = False
    assumed: bool = False
    compared: bool = True
    reconstructed: bool = False
    refused_call_hash: ContentHash | None = None
    approval: Approval | None = None
    grant: Grant | None = None
    vcs: Vcs = Vcs()
    files: tuple[RecordFile, ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether no save or call announced the edit.

        True if `assumed`. Older records lack that flag: True too if the tool is DISK_CHANGE and
        every author is unknown.
        """
        return self.assumed or (self.tool_name == DISK_CHANGE and _is_by_nobody(self.files))


class Record(Event, frozen=True, kw_only=True):
    """A line of the ledger. `timestamp` is RFC 3339 in UTC, with milliseconds and `Z`."""

    id: str
    timestamp: str
    integrity: Integrity

    def left(self) -> Mapping[WorkspacePath, ContentHash | None]:
        """Return a map from each path of the edit, old names too, to the hash there afterwards.

        The hash is None if no file is there any more, or if its content is not known.
        """
        gone = {file.previous: None for file in self.files if file.previous is not None}
        return {**gone, **{file.path: file.post_hash for file in self.files}}

    @classmethod
    def of(cls, event: Event, *, id: str, timestamp: str, integrity: Integrity) -> Self:  # noqa: A002 -- the key on the line
        """Return an event as a record, with the given id, time and place in the chain."""
        told = {name: getattr(event, name) for name in Event.__struct_fields__}
        return cls(**told, id=id, timestamp=timestamp, integrity=integrity)


_ESCAPED = re.compile(r"[\udc80-\udcff]")
_CODED = re.compile(rb"%([0-9A-F]{2})")


def spelled(file: RecordFile) -> RecordFile:
    """Return `file` with paths that JSON can hold.

    If its path or its previous path has bytes that are not UTF-8, in both these bytes and `%` are
    percent-encoded, and `path_encoding` says so. Any other file is returned unchanged.
    """
    names = file.relative_path + (file.previous_path or "")
    if file.path_encoding is not None or names.isascii() or not _ESCAPED.search(names):
        return file
    previous = file.previous_path
    return replace(
        file,
        relative_path=_percent(file.relative_path),
        path_encoding=PERCENT,
        previous_path=None if previous is None else _percent(previous),
    )


def file_path(name: str, encoding: str | None) -> WorkspacePath:
    """Return a file's path on disk, from the path and the `path_encoding` on the ledger's line."""
    if encoding != PERCENT:
        return WorkspacePath(name)
    raw = _CODED.sub(lambda found: bytes.fromhex(found.group(1).decode()), name.encode())
    return WorkspacePath(raw.decode("utf-8", "surrogateescape"))


def _percent(name: str) -> str:
    doubled = name.replace("%", "%25")
    return _ESCAPED.sub(lambda found: f"%{ord(found.group()) - 0xDC00:02X}", doubled)


def _is_by_nobody(files: tuple[RecordFile, ...]) -> bool:
    talks = [talk for file in files for talk in file.conversations]
    return bool(talks) and all(talk.contributor == UNKNOWN_CONTRIBUTOR for talk in talks)
