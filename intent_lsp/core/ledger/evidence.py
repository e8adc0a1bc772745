"""What is known of a ledger's past from elsewhere: from commits, and from this machine's memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from intent_lsp.core.content import ContentHash


class KnownHead(NamedTuple):
    """A record that this machine has seen a ledger end with.

    `committed`: a branch had it when it was looked for.
    """

    hash: ContentHash
    committed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The ledger as a commit holds it: the records of it that no other names.

    `current`: it is the commit that is checked out.
    """

    commit: str
    heads: tuple[ContentHash, ...]
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCommit:
    """A commit that holds a record, and the file, relative to the root, in which it does.

    `below`: what is checked out is a commit that holds it, or comes from one. `named`: a branch or
    a tag leads to it; else the stash or a log does, which git forgets in time.
    """

    commit: str
    file: str
    below: bool
    named: bool


@dataclass(frozen=True, slots=True)
class EvidenceSearch:
    """Where records were found; `whole`: those that were not are in no commit that is left."""

    held: Mapping[ContentHash, RecordCommit]
    whole: bool
