"""The ledger of one root in the form that its policy sets, and reading it without a session.

Specified in ledger section 3.

Invariant: the policy is read for each append, so that a change needs no restart.
Invariant: a reader writes only the index, which can be rebuilt at any time, and the heads that a
verification saw.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec.structs import replace

from intent_lsp.core.intents import IntentId
from intent_lsp.core.ledger.verification import Anchor, Verification
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import Record
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.ledger.verification import prove
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store import clock
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.index.queries import PageCursor, Query, RecordPage
from intent_lsp.store.ledger.ledger import Ledger


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

        A query for an intent id also finds the records under the intent's earlier ids, and one for
        a session id those that have it hashed.
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
    """Return the ledger of a root; no file is opened or created yet."""

    def form() -> LedgerForm:
        return rules.current().policy.ledger

    return Ledger(root, clock.now, clock.new_id, form=form)
