"""The closing statement of a verification: what its anchors prove, and what they do not.

Invariant: nothing is called proved without an anchor whose record the ledger's files hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.ledger.verification import Anchor, AnchorKind

_SHORT: Final = 12
_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How many records there are, how many the anchors prove, and how many heads are open.

    `consistent`: the chain is unbroken.
    """

    records: int
    proven: int
    heads: int
    consistent: bool


def proved(anchors: Sequence[Anchor], extent: Extent) -> str:
    """Return which records are unchanged since an anchor's hash was noted elsewhere."""
    if not anchors:
        return "nothing: there is no commit, checkpoint or other hash to compare with"
    if not extent.consistent:
        return "nothing: the chain of hashes is broken"
    held = [(anchor.records, anchor) for anchor in anchors if anchor.records]
    if not held:
        return "nothing: no hash to compare with is in any file of the ledger"
    held.sort(key=lambda found: found[0], reverse=True)
    told = []
    for count, anchor in held:
        sentence = f"{_counted(count, extent)} unchanged since {_where(anchor)}"
        if sentence not in told:
            told.append(sentence)
    more = f"; {len(told) - _NAMED} more such proofs are not shown" if len(told) > _NAMED else ""
    return "; ".join(told[:_NAMED]) + more


def conditional(extent: Extent) -> str:
    """Return which records no anchor proves. Anyone with write access can have forged these."""
    if not extent.consistent:
        return "nothing: the chain of hashes is broken"
    if not extent.records:
        return "nothing: there is no record yet"
    rest = extent.records - extent.proven
    if not rest:
        return "nothing: every record is proven"
    counted = f"the {rest:,} records after that" if extent.proven else f"all {rest:,} records"
    if extent.heads > 1:
        counted = f"{counted}, and other branches of the ledger ({extent.heads - 1})"
    return f"someone with write access could have rewritten {counted}"


def _counted(count: int, extent: Extent) -> str:
    if count == extent.records:
        return f"all {count:,} records are"
    return f"the first {count:,} of {extent.records:,} records are"


def _where(anchor: Anchor) -> str:
    match anchor.kind:
        case AnchorKind.COMMIT | AnchorKind.EARLIER_COMMIT:
            return f"commit {anchor.name[:_SHORT]}"
        case AnchorKind.KNOWN_HEAD:
            return "the newest record that this machine knows"
        case AnchorKind.CHECKPOINT:
            return f"the checkpoint {anchor.name}".rstrip()
        case AnchorKind.GIVEN:
            return f"the record with the hash {anchor.hash[: len('sha256:') + _SHORT]}"
