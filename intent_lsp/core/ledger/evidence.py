"""Evidence of a ledger's past from outside its files: git commits and this machine's state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from intent_lsp.core.content import ContentHash


class KnownHead(NamedTuple):
    """A head of the ledger that this machine has seen.

    `committed`: a branch held it at that time.
    """

    hash: ContentHash
    committed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The heads of the ledger as one commit holds it.

    `current`: it is the commit checked out.
    """

    commit: str
    heads: tuple[ContentHash, ...]
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCommit:
    """A commit that holds a record, and the file that holds it, relative to the root.

    `below`: a commit that holds the record is checked out, or is an ancestor of the one checked
    out. `named`: a branch or a tag leads to the commit; else only a stash or a reflog does, which
    git expires in time.
    """

    commit: str
    file: str
    below: bool
    named: bool


@dataclass(frozen=True, slots=True)
class EvidenceSearch:
    """The commits in which records were found, by record hash.

    `whole`: the search was complete, so that the other records are in no commit that git still has.
    """

    held: Mapping[ContentHash, RecordCommit]
    whole: bool
