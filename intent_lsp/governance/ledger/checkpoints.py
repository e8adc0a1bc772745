"""Sealing: making a checkpoint of a ledger, and checking one against it (ledger section 2).

Invariant: no checkpoint is made of a ledger that does not verify.
"""

from dataclasses import dataclass

from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import (
    HEADS_AT_MOST,
    Anchor,
    AnchorKind,
    Checkpoint,
    LedgerProblem,
    Verification,
)
from intent_lsp.governance.ledger.verification import prove
from intent_lsp.store.ledger.hash_scan import first_hash, hashes_starting
from intent_lsp.store.ledger.ledger import Ledger

_PREFIX = "sha256:"


@dataclass(frozen=True, slots=True)
class Unsealed:
    """Why no checkpoint was made. `problem` is the first error if the ledger does not verify."""

    reason: str
    problem: LedgerProblem | None = None


def seal_ledger(ledger: Ledger) -> Checkpoint | Unsealed:
    """Make a checkpoint of the ledger as it is now. Raise LedgerUnavailableError."""
    found = prove(ledger)
    wrong = (problem for problem in found.problems if problem.severity is Severity.ERROR)
    first = next(wrong, None)
    if first is not None:
        return Unsealed("the ledger failed verification", first)
    origin = first_hash(ledger.root)
    if origin is None or not found.heads:
        return Unsealed("there is no record yet")
    if len(found.heads) > HEADS_AT_MOST:
        return Unsealed(
            f"the ledger has more than {HEADS_AT_MOST} open branches; the next record joins them"
        )
    heads = tuple(head.hash for head in found.heads)
    return Checkpoint(origin=origin, count=found.records, heads=heads)


def anchors_of(checkpoint: Checkpoint) -> tuple[Anchor, ...]:
    """Return the heads of a checkpoint as anchors."""
    name = f"of {checkpoint.count:,} records"
    return tuple(
        Anchor(hash=head, kind=AnchorKind.CHECKPOINT, name=name) for head in checkpoint.heads
    )


def contradiction(ledger: Ledger, checkpoint: Checkpoint, found: Verification) -> str | None:
    """Return why a checkpoint contradicts a verified ledger, or None if it fits.

    A missing head is left to the verification to report. As hashes settle what precedes a head,
    only a checkpoint that was altered or mixed from two can contradict. Raise
    LedgerUnavailableError.
    """
    records = {anchor.hash: anchor.records for anchor in found.anchors}
    counts = [count for head in checkpoint.heads if (count := records.get(head)) is not None]
    if len(counts) < len(checkpoint.heads):
        return None
    if not max(counts) <= checkpoint.count <= sum(counts):
        return (
            f"it says {checkpoint.count:,} records, but the newest that it names is record"
            f" {max(counts):,}"
        )
    if not _holds(ledger, checkpoint.origin):
        return "the first record that it names is not in this ledger"
    return None


def _holds(ledger: Ledger, origin: ContentHash) -> bool:
    return bool(hashes_starting(ledger.root, origin.removeprefix(_PREFIX), limit=1))
