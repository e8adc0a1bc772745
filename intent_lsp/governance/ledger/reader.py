"""Tracing: the ledger of one root asked what happened, without opening a session.

Invariant: nothing is written but the index, which can be made again at any time, and the ends that
a verification saw.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from intent_lsp.core.ledger.verification import Anchor, Verification
from intent_lsp.core.privacy import hashed_session
from intent_lsp.core.records import Record
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.ledger.open_ledger import governed_ledger
from intent_lsp.governance.ledger.verification import prove
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.index.queries import PageCursor, Query, RecordPage
from intent_lsp.store.ledger.ledger import Ledger


class LedgerReader:
    """Asks one ledger, by the rules that are in force now."""

    def __init__(self, ledger: Ledger, rules: RulesCache) -> None:
        self.ledger = ledger
        self._rules = rules

    def page(self, query: Query, *, limit: int, cursor: PageCursor | None = None) -> RecordPage:
        """Give records, newest first; an intent's earlier ids are followed."""
        if query.intent_ids is not None:
            known = self._rules.current().file.intents
            intents = [(named, known.get(named)) for named in query.intent_ids]
            ids = [(named,) if i is None else known.names(i) for named, i in intents]
            query = replace(query, intent_ids=tuple(name for names in ids for name in names))
        if query.session_ids is not None:
            # Whoever asks knows a session by its own name, however it is recorded.
            told = [(name, hashed_session(name)) for name in query.session_ids]
            query = replace(query, session_ids=tuple(name for names in told for name in names))
        return self.ledger.index.query(query, limit=limit, cursor=cursor)

    def starting_with(self, digits: str, *, limit: int) -> tuple[Record, ...]:
        """Give at most `limit` records whose ids start with some digits, oldest first."""
        return self.ledger.index.starting_with(digits, limit=limit)

    def flags(self, record: Record) -> tuple[str, ...]:
        """Tell what has become of the intent of a record (requirements section 9)."""
        if record.intent_id is None:
            return ()
        rules = self._rules.current()
        if not rules.governed:
            # A file that cannot be read says nothing of any intent.
            return ()
        intent = rules.active(record.intent_id)
        if intent is None:
            return ("INTENT_ARCHIVED",)
        same = record.intent_hash in (None, intent_hash(intent))
        return () if same else ("INTENT_CHANGED",)

    def refresh(self, progress: BuildProgress) -> None:
        """Bring the index up to date, which every question waits for."""
        self.ledger.index.refresh(progress)

    def verify(self, given: Sequence[Anchor] = (), progress: BuildProgress = quiet) -> Verification:
        """Verify all that is in the ledger now, against all anchors that there are.

        `progress` is told the bytes done and the bytes in all. Raises LedgerUnavailableError.
        """
        return prove(self.ledger, given, progress)


@contextmanager
def tracing(root: Path) -> Iterator[LedgerReader]:
    """Open the ledger of a root to ask it, and let go of it afterwards."""
    rules = RulesCache(root)
    with closing(governed_ledger(root, rules)) as ledger:
        yield LedgerReader(ledger, rules)
