"""The result of verifying a ledger: its problems, and what it proves (ledger section 2)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.chain import Head

HEADS_AT_MOST: Final = 64
"""The most heads that one checkpoint names. The next record of a ledger with more merges them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A ledger's name, size and heads.

    `origin` is the hash of the first record. It names the ledger without a host or a user. `count`
    is the number of records. `heads` are hashes, more than one only while branches are not merged
    yet.
    """

    origin: ContentHash
    count: int
    heads: tuple[ContentHash, ...]


class AnchorKind(StrEnum):
    """Where an anchor's hash comes from."""

    GIVEN = "given"
    COMMIT = "commit"
    EARLIER_COMMIT = "earlier commit"
    CHECKPOINT = "checkpoint"
    KNOWN_HEAD = "known head"


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A hash that something outside of the ledger attests. `name` says what, such as a commit's id.

    `records` is the number of records from the first up to the one with this hash, or None if no
    file holds it.
    """

    hash: ContentHash
    kind: AnchorKind
    name: str = ""
    records: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerProblem:
    """The first problem with its code. `file` is relative to the root, `line` counts from 1."""

    code: LedgerCode
    severity: Severity
    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of `verify`. `ok`: every hash recomputes and every link joins.

    `records` counts the readable records, `segments` the files that they are in. `anchors` are
    those that were given, in that order. `proved` and `conditional` are the two sentences of the
    closing statement. `files` are all files read, empty ones included, relative to the root.
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
