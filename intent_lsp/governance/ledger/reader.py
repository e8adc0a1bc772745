"""Reading and verifying the ledger of one root, without a session (ledger sections 2 and 3).

The ledger is verified against anchors, such as checkpoints. This module also makes checkpoints.

Invariant: a ledger from `governed_ledger` reads the policy for each append, so that a change needs
no restart.
Invariant: a reader writes only the index, which can be rebuilt at any time, and the heads that a
verification saw, and those only into an existing `.local/`.
Invariant: no checkpoint is made of a ledger that does not verify.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.findings import Severity
from intent_lsp.core.intents import IntentId
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
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store import clock
from intent_lsp.store.fs.local_dir import find_local_directory
from intent_lsp.store.ledger.git_versions import LedgerVersions
from intent_lsp.store.ledger.hash_scan import first_hash, hashes_starting
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.index.queries import PageCursor, Query, RecordPage
from intent_lsp.store.ledger.known_heads import KnownHeads
from intent_lsp.store.ledger.ledger import Ledger

_PREFIX = "sha256:"


class LedgerReader:
    """Queries and verifies one ledger.

    Uses the current rules to find an intent's earlier ids, and whether an intent was changed since
    a record.
    """

    def __init__(self, ledger: Ledger, rules: RulesCache) -> None:
        self.ledger = ledger
        self._rules = rules

    def page(self, query: Query, *, limit: int, cursor: PageCursor | None = None) -> RecordPage:
        """Return a page of at most `limit` records, newest first, from `cursor` on.

        A query for an intent id finds the records under all ids of the intent, present and earlier.
        A query for a session id also finds the records that contain only a hash of it.
        """
        if query.intent_ids is not None:
            known = self._rules.current().file.intents
            intents = [(named, known.get(named)) for named in query.intent_ids]
            ids = [(named,) if i is None else known.names(i) for named, i in intents]
            query = replace(query, intent_ids=tuple(name for names in ids for name in names))
        if query.session_ids is not None:
            # The caller knows the plain session id, but the policy may have had it recorded as a
            # hash.
            told = [(name, hashed_session(name)) for name in query.session_ids]
            query = replace(query, session_ids=tuple(name for names in told for name in names))
        return self.ledger.index.query(query, limit=limit, cursor=cursor)

    def flags(self, record: Record) -> tuple[str, ...]:
        """Return `INTENT_ARCHIVED` or `INTENT_CHANGED` as a tuple, or () if neither holds.

        They mean that the record's intent is not in the intents file now, or differs now from what
        it was at the record. Return () also while governance is off. Specified in requirements
        section 9.
        """
        if record.intent_id is None:
            return ()
        rules = self._rules.current()
        if not rules.governed:
            # Without readable rules, a missing intent does not mean that it was archived.
            return ()
        intent = rules.active(record.intent_id)
        if intent is None:
            return ("INTENT_ARCHIVED",)
        # By the id of that time, since a rename changes nothing that the intent asks.
        named = replace(intent, id=IntentId(record.intent_id))
        same = record.intent_hash in (None, intent_hash(named))
        return () if same else ("INTENT_CHANGED",)

    def verify(self, given: Sequence[Anchor] = (), progress: BuildProgress = quiet) -> Verification:
        """Verify the whole ledger against the anchors `given` and all other known anchors.

        The heads that this machine knows are brought up to date. `progress` is called with the
        bytes done and the total bytes. Raise LedgerUnavailableError.
        """
        return prove(self.ledger, given, progress)


@contextmanager
def tracing(root: Path) -> Iterator[LedgerReader]:
    """Open the ledger of a root for reading; close it after the `with` block."""
    rules = RulesCache(root)
    with closing(governed_ledger(root, rules)) as ledger:
        yield LedgerReader(ledger, rules)


def governed_ledger(root: Path, rules: RulesCache) -> Ledger:
    """Return the ledger of a root; no file is opened or created yet.

    `rules` say, for each append, in which form the ledger is kept.
    """

    def form() -> LedgerForm:
        return rules.current().policy.ledger

    return Ledger(root, clock.now, clock.new_id, form=form)


class Unsealed(Struct, frozen=True):
    """Why no checkpoint was made. `problem` is the first error found in the ledger, or None."""

    reason: str
    problem: LedgerProblem | None = None


def prove(
    ledger: Ledger, given: Sequence[Anchor] = (), progress: BuildProgress = quiet
) -> Verification:
    """Verify the whole ledger against all known anchors.

    These are the anchors `given`, the ledger's heads in the newest commit that has a ledger, its
    heads in earlier commits that may have had more records than a later one, and the heads that
    this machine has seen. Then the heads that this machine has seen are brought up to date.
    `progress` is called with the bytes done and the total bytes. Raise LedgerUnavailableError.
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

    Return None too if the ledger lacks one of the checkpoint's heads: `found`, the result of the
    verification, reports that. As a head's hash covers all earlier records, only a checkpoint that
    was altered or put together from two can contradict. Raise LedgerUnavailableError.
    """
    records = {anchor.hash: anchor.records for anchor in found.anchors}
    counts = [count for head in checkpoint.heads if (count := records.get(head)) is not None]
    if len(counts) < len(checkpoint.heads):
        return None
    if not max(counts) <= checkpoint.count <= sum(counts):
        return (
            f"the checkpoint says {counted(checkpoint.count, 'record')}, which does not fit its"
            f" newest head, record {max(counts):,}: the checkpoint was altered, or put together"
            " from two checkpoints"
        )
    if not hashes_starting(ledger.root, checkpoint.origin.removeprefix(_PREFIX), limit=1):
        return (
            "the first record that the checkpoint names is not in this ledger, although its heads"
            " are: the checkpoint was altered, or put together from two checkpoints"
        )
    return None


def _committed(versions: LedgerVersions, newest: Committed | None) -> list[Anchor]:
    """Return as anchors the newest commit's heads, then those found only in earlier commits.

    `newest` is None if no commit with a ledger was found.
    """
    heads = () if newest is None else newest.heads
    name = "" if newest is None else newest.commit
    return [Anchor(hash=head, kind=AnchorKind.COMMIT, name=name) for head in heads] + [
        Anchor(hash=head, kind=AnchorKind.EARLIER_COMMIT, name=earlier.commit)
        for earlier in versions.earlier()
        for head in earlier.heads
        if head not in heads
    ]
