"""Scope granted for a time: computed from the records that granted it (requirements section 9).

Invariant: a grant that has expired grants nothing, whatever is cached.
"""

import logging
from datetime import datetime
from typing import Final

from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.intents import Intent
from intent_lsp.core.records import Grant
from intent_lsp.core.scope.scope import Scope, compile_scope
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.rules import Rules
from intent_lsp.governance.stores import Stores
from intent_lsp.store.index import Query

_log: Final = logging.getLogger(__name__)

_AT_MOST: Final = 1000


class Grants:
    """The live grants of one root's intents."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def live(self, intent: Intent, now: datetime) -> tuple[Grant, ...]:
        """Give the grants of an intent that have not expired, newest first.

        What was granted for good stands in the intents file, and may have been taken out of it.
        """
        query = Query(intent_ids=(intent.id, *intent.aliases), grants=True)
        at = timestamp(now)
        try:
            records = self._stores.ledger.index.query(query, limit=_AT_MOST).records
        except IntentLspError as problem:
            _log.warning("the grants of %s: %s", intent.id, problem)
            return ()
        grants = [record.grant for record in records if record.grant is not None]
        return tuple(g for g in grants if g.expires_at is not None and g.expires_at > at)

    def scope_of(self, rules: Rules, intent: Intent | None) -> Scope:
        """Give what an intent owns now: its scope, and what it was granted for a time."""
        owned = rules.scope_of(intent)
        grants = () if intent is None else self.live(intent, self._stores.clock())
        patterns = tuple(pattern for grant in grants for pattern in grant.patterns)
        if not patterns:
            return owned
        spelling = rules.spelling
        granted = compile_scope(patterns, case_sensitive=spelling.case_sensitive, nfc=spelling.nfc)
        return Scope((*owned.patterns, *patterns), (*owned.compiled, *granted.compiled))
