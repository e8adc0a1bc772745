"""The outcome of a verification: what was found, and what it proves (ledger section 2)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Head

HEADS_AT_MOST: Final = 64
"""Heads that one checkpoint names; a ledger with more is tied by its next record first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A ledger's name, size and ends.

    `origin` is the hash of its first record, which names the ledger without a host or a user;
    `count` are its records, and `heads` (one, and more only where branches are not tied yet) the
    hashes of those that no record followed.
    """

    origin: ContentHash
    count: int
    heads: tuple[ContentHash, ...]


class AnchorKind(StrEnum):
    """Who proves a hash, apart from the ledger itself."""

    GIVEN = "given"
    COMMIT = "commit"
    EARLIER_COMMIT = "earlier commit"
    CHECKPOINT = "checkpoint"
    KNOWN_HEAD = "known head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A hash that somebody proves; `name` says where it is from, as a commit's id does.

    `records` counts the record of this hash and all that it follows; None: no file holds it.
    """

    hash: ContentHash
    kind: AnchorKind
    name: str = ""
    records: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerProblem:
    """The first finding of its kind: `file` is relative to the root, `line` counts from 1."""

    code: LedgerCode
    severity: Severity
    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found. `ok`: every hash recomputes and every link joins.

    `records` counts the records that can be read, `segments` the files they are in; `anchors` are
    those that were asked for, in their order; `proved` and `conditional` are the sentences of the
    closing statement. `files` names what was read, relative to the root, and empty files, too.
    """

    ok: bool
    records: int
    segments: int
    heads: tuple[Head, ...]
    problems: tuple[LedgerProblem, ...]
    anchors: tuple[Anchor, ...] = ()
    proved: str
    conditional: str
    files: tuple[str, ...] = ()
