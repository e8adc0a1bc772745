"""Verification of a root's ledger against anchors kept elsewhere, such as checkpoints made here.

Specified in ledger section 2.

Invariant: nothing is written but the heads that this machine knows, and only into an existing
`.local/`.
Invariant: no checkpoint is made of a ledger that does not verify.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.truncation import Committed, RecordCommit, remembered, with_cut_ends
from intent_lsp.core.ledger.verification import (
    HEADS_AT_MOST,
    Anchor,
    AnchorKind,
    Checkpoint,
    LedgerProblem,
    Verification,
)
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.core.text import counted
from intent_lsp.store.fs.local_dir import find_local_directory
from intent_lsp.store.ledger.git_versions import LedgerVersions
from intent_lsp.store.ledger.hash_scan import first_hash, hashes_starting
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.known_heads import KnownHeads
from intent_lsp.store.ledger.ledger import Ledger

_PREFIX = "sha256:"


class Unsealed(Struct, frozen=True):
    """Why no checkpoint was made. `problem` is the first error if the ledger does not verify."""

    reason: str
    problem: LedgerProblem | None = None


def prove(
    ledger: Ledger, given: Sequence[Anchor] = (), progress: BuildProgress = quiet
) -> Verification:
    """Verify the whole ledger against all known anchors.

    These are the anchors `given`, the heads of the ledger in the newest commit and in earlier
    commits that may have had more records, and the heads that this machine has seen, which are
    brought up to date. `progress` is called with the bytes done and the total bytes. Raise
    LedgerUnavailableError.
    """
    root = ledger.root
    versions = LedgerVersions(root)
    memory = KnownHeads(root / LOCAL_ROOM)
    # Read these before the ledger: it then contains all that they contain, unless records were cut
    # off.
    committed, known = versions.committed(), memory.heads()
    anchors = [*given, *_committed(versions, committed)]
    anchors += [Anchor(hash=head.hash, kind=AnchorKind.KNOWN_HEAD) for head in known]

    def past(hashes: Collection[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
        return versions.search(hashes).held

    found = ledger.verify(anchors, past=past, progress=progress)
    search = versions.search([each.hash for each in found.anchors if each.records is None])
    if find_local_directory(root) is not None:
        memory.settle(known, remembered(found, known, committed, search))
    return with_cut_ends(found, known, committed, search)


def seal_ledger(ledger: Ledger) -> Checkpoint | Unsealed:
    """Return a checkpoint of the ledger as it is now, or why none can be made.

    The ledger is verified first, as by `prove`. Raise LedgerUnavailableError.
    """
    found = prove(ledger)
    wrong = (problem for problem in found.problems if problem.severity is Severity.ERROR)
    first = next(wrong, None)
    if first is not None:
        return Unsealed("the ledger failed verification", first)
    origin = first_hash(ledger.root)
    if origin is None or not found.heads:
        return Unsealed(
            "a checkpoint needs a record, and the ledger has none yet; save a file first"
        )
    if len(found.heads) > HEADS_AT_MOST:
        return Unsealed(
            f"a checkpoint names at most {HEADS_AT_MOST} heads, and the ledger has more;"
            " a later record joins them: restart the editor, save a file, and try again"
        )
    heads = tuple(head.hash for head in found.heads)
    return Checkpoint(origin=origin, count=found.records, heads=heads)


def anchors_of(checkpoint: Checkpoint) -> tuple[Anchor, ...]:
    """Return the heads of a checkpoint as anchors."""
    name = f"of {counted(checkpoint.count, 'record')}"
    return tuple(
        Anchor(hash=head, kind=AnchorKind.CHECKPOINT, name=name) for head in checkpoint.heads
    )


def contradiction(ledger: Ledger, checkpoint: Checkpoint, found: Verification) -> str | None:
    """Return why a checkpoint contradicts a verified ledger, or None if they agree.

    Return None too if the ledger lacks one of its heads: `found`, the result of the verification,
    reports that. As a head's hash covers all earlier records, only a checkpoint that was altered or
    mixed from two can contradict. Raise LedgerUnavailableError.
    """
    records = {anchor.hash: anchor.records for anchor in found.anchors}
    counts = [count for head in checkpoint.heads if (count := records.get(head)) is not None]
    if len(counts) < len(checkpoint.heads):
        return None
    if not max(counts) <= checkpoint.count <= sum(counts):
        return (
            f"the checkpoint says {counted(checkpoint.count, 'record')}, but the newest that it"
            f" names is record {max(counts):,}"
        )
    if not hashes_starting(ledger.root, checkpoint.origin.removeprefix(_PREFIX), limit=1):
        return (
            "the first record that the checkpoint names is not in this ledger, although its heads"
            " are: the checkpoint was altered, or mixed from two"
        )
    return None


def _committed(versions: LedgerVersions, newest: Committed | None) -> list[Anchor]:
    """Return as anchors the newest commit's heads, then those found only in earlier commits."""
    heads = () if newest is None else newest.heads
    name = "" if newest is None else newest.commit
    return [Anchor(hash=head, kind=AnchorKind.COMMIT, name=name) for head in heads] + [
        Anchor(hash=head, kind=AnchorKind.EARLIER_COMMIT, name=earlier.commit)
        for earlier in versions.earlier()
        for head in earlier.heads
        if head not in heads
    ]
