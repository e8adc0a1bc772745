"""Verification of a root's ledger against anchors that are kept elsewhere (ledger section 2).

Invariant: nothing is written but the heads that this machine knows, and only into an existing
`.local/`.
"""

from collections.abc import Collection, Mapping, Sequence

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.truncation import (
    Committed,
    KnownHead,
    RecordCommit,
    remembered,
    with_cut_ends,
)
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, Verification
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.fs.local_dir import find_local_directory
from intent_lsp.store.ledger.git_versions import LedgerVersions
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.known_heads import KnownHeads
from intent_lsp.store.ledger.ledger import Ledger


def prove(
    ledger: Ledger, given: Sequence[Anchor] = (), progress: BuildProgress = quiet
) -> Verification:
    """Verify the whole ledger against all anchors that are known.

    The anchors are those `given`, the ledger in the newest commit and in earlier commits that may
    have had more, and the heads that this machine has seen. Raise LedgerUnavailableError.
    """
    root = ledger.root
    versions = LedgerVersions(root)
    memory = KnownHeads(root / LOCAL_ROOM)
    # Read these before the ledger: it then contains all that they contain, unless records were cut
    # off.
    committed, known = versions.committed(), memory.heads()
    anchors = (*given, *_committed(committed), *_earlier(versions, committed), *_known(known))

    def past(hashes: Collection[ContentHash]) -> Mapping[ContentHash, RecordCommit]:
        return versions.search(hashes).held

    found = ledger.verify(anchors, past=past, progress=progress)
    search = versions.search([each.hash for each in found.anchors if each.records is None])
    if find_local_directory(root) is not None:
        memory.settle(known, remembered(found, known, committed, search))
    return with_cut_ends(found, known, committed, search)


def _committed(committed: Committed | None) -> tuple[Anchor, ...]:
    if committed is None:
        return ()
    return tuple(
        Anchor(hash=head, kind=AnchorKind.COMMIT, name=committed.commit) for head in committed.heads
    )


def _earlier(versions: LedgerVersions, committed: Committed | None) -> list[Anchor]:
    newest = frozenset(() if committed is None else committed.heads)
    return [
        Anchor(hash=head, kind=AnchorKind.EARLIER_COMMIT, name=earlier.commit)
        for earlier in versions.earlier()
        for head in earlier.heads
        if head not in newest
    ]


def _known(known: Sequence[KnownHead]) -> tuple[Anchor, ...]:
    return tuple(Anchor(hash=head.hash, kind=AnchorKind.KNOWN_HEAD) for head in known)
