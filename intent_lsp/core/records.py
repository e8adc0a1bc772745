"""A record: one edit that happened, exactly as a line of the ledger shapes it (ledger section 1).

Invariant: a key that may be absent on the line is None, False or empty here; never the other way.
Invariant: lines are counted from 1 in the new content; hashes are `sha256:` and 64 hex digits.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final, Self

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath

UNKNOWN_REVISION: Final = "UNKNOWN"
PERCENT: Final = "percent"

DISK_CHANGE: Final = "disk/change"
"""The tool of a record of a change that nobody has told of."""

GRANT_TOOL: Final = "intent/grant"
"""The tool of a record that grants scope."""


class MutationClass(StrEnum):
    """What kind of change an edit was (requirements section 9)."""

    AST_REFACTOR = "AST_REFACTOR"
    INTENT_EVOLUTION = "INTENT_EVOLUTION"
    BUG_FIX = "BUG_FIX"
    DOCUMENTATION = "DOCUMENTATION"
    CONFIGURATION = "CONFIGURATION"
    FILE_CREATION = "FILE_CREATION"
    FILE_DELETION = "FILE_DELETION"


class ScopeValidation(StrEnum):
    """The verdict an edit was recorded with."""

    PASS = "PASS"  # noqa: S105 -- a verdict
    FAIL = "FAIL"
    EXEMPT = "EXEMPT"


class EntityType(StrEnum):
    """Who made an edit; MIXED is an agent's edit that a person changed before the save."""

    AI = "AI"
    HUMAN = "HUMAN"
    MIXED = "MIXED"
    UNKNOWN = "UNKNOWN"


class ApprovalChoice(StrEnum):
    """How a person let an edit pass."""

    ONCE = "once"
    EXPANDED = "expanded"


@dataclass(frozen=True, slots=True)
class Contributor:
    """Who wrote the lines; `model_identifier` is `human` for people, `unknown` if not given."""

    entity_type: EntityType
    model_identifier: str


HUMAN: Final = Contributor(EntityType.HUMAN, "human")
AGENT: Final = Contributor(EntityType.AI, "unknown")
UNKNOWN_CONTRIBUTOR: Final = Contributor(EntityType.UNKNOWN, "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """One contiguous run of changed lines.

    `replaced` is (first old line, old count, new count); None where the file was not compared
    line by line.
    """

    start_line: int
    end_line: int
    content_hash: ContentHash
    replaced: tuple[int, int, int] | None = None
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class RelatedEntry:
    """Something the edit belongs to, such as `specification` or `mutation_class`."""

    type: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Where the edit was talked about: the session id or the agent's own URL."""

    url: str
    contributor: Contributor
    ranges: tuple[Range, ...] = ()
    related: tuple[RelatedEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AstFingerprint:
    """A hash over a file's definitions, which formatting and comments do not change."""

    parser: str
    language: str
    summary_hash: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """One file of an edit; a null hash: there was or is no such file.

    In a record its names are spelled as on the line. In an event they may also be as the disk
    gives them, with surrogate escapes and without `path_encoding`; `spelled` is asked for all.
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
        """The path as the disk names it; bytes that are not UTF-8 are surrogate escapes."""
        return file_path(self.relative_path, self.path_encoding)

    @property
    def previous(self) -> WorkspacePath | None:
        """The path before a rename, as the disk named it."""
        if self.previous_path is None:
            return None
        return file_path(self.previous_path, self.path_encoding)


@dataclass(frozen=True, slots=True)
class Vcs:
    """The commit checked out; UNKNOWN without one."""

    revision_id: str = UNKNOWN_REVISION


@dataclass(frozen=True, slots=True)
class Approval:
    """A person let it pass, in the session that asked."""

    choice: ApprovalChoice
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Scope that a person granted; `expires_at` is an RFC 3339 time, None: until taken back."""

    patterns: tuple[str, ...]
    reason: str | None
    granted_by: str
    expires_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """The record's place in the chain; `merges` are the other heads that it ties."""

    chain: str = "sha256"
    canonical: str = "rfc8785"
    prev_record_hash: ContentHash | None
    merges: tuple[ContentHash, ...] = ()
    record_hash: ContentHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An edit that happened, not yet in the ledger: a record without id, time and integrity.

    `assumed`: nobody announced it, and the intent is the one that was active. `compared` is False
    of a command whose work tree could not be compared; `reconstructed`: what it changed was told
    from HEAD and the ledger, since the memory of before was gone.
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
    approval: Approval | None = None
    grant: Grant | None = None
    vcs: Vcs = Vcs()
    files: tuple[RecordFile, ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether nobody announced the edit; older records say so by their tool alone."""
        return self.assumed or (self.tool_name == DISK_CHANGE and _is_by_nobody(self.files))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Event):
    """A line of the ledger. `timestamp`: RFC 3339, UTC, milliseconds, `Z`."""

    id: str
    timestamp: str
    integrity: Integrity

    def left(self) -> Mapping[WorkspacePath, ContentHash | None]:
        """Give what each of its files was left with; a name that was given up: with nothing."""
        gone = {file.previous: None for file in self.files if file.previous is not None}
        return {**gone, **{file.path: file.post_hash for file in self.files}}

    @classmethod
    def of(cls, event: Event, *, id: str, timestamp: str, integrity: Integrity) -> Self:  # noqa: A002 -- the key on the line
        """Give an event its identity and its place in the chain."""
        told = {name: getattr(event, name) for name in _EVENT_FIELDS}
        return cls(**told, id=id, timestamp=timestamp, integrity=integrity)


_EVENT_FIELDS: Final = tuple(field.name for field in fields(Event))
_ESCAPED = re.compile(r"[\udc80-\udcff]")
_CODED = re.compile(rb"%([0-9A-F]{2})")


def spelled(file: RecordFile) -> RecordFile:
    """Give a file whose names JSON can hold; an undecodable one has both percent-encoded."""
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
    """Give a path as the disk names it, from its name and `path_encoding` on the line."""
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
