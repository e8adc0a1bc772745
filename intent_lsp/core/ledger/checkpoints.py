"""A checkpoint: what a ledger was at one moment, in a few words (ledger section 2)."""

from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash

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
