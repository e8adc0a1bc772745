"""Temporary grants of scope, read from the ledger's records (requirements section 9).

Invariant: an expired grant grants nothing, even while it is cached.
"""

from datetime import datetime
from functools import lru_cache
from typing import Final

from intent_lsp.core.approvals import Grant
from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import Scope
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.ledger.raw.files import FilesStamp

_AT_MOST: Final = 1000


class Grants:
    """The grants of scope that the intents of one root have now."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        # A dict for each state of the ledger, so that a thread that has seen an earlier state adds
        # nothing to the newest. Only that is kept.
        self._known = lru_cache(maxsize=1)(_no_grants)

    def live(self, intent: Intent, now: datetime) -> tuple[Grant, ...]:
        """Return the temporary grants of an intent that have not expired at `now`, newest first.

        Only its newest 1,000 recorded grants are read; none if the ledger cannot be read. Permanent
        grants are left out: they are in the intents file, where a person may have removed them
        since.
        """
        return self._live(self._stores.rules.current().file.intents, intent, now)

    def scope_of(self, rules: Rules, intent: Intent | None) -> Scope:
        """Return an intent's own scope plus its live grants, or an empty scope for None."""
        if intent is None:
            return rules.scope_of(None)
        grants = self._live(rules.file.intents, intent, self._stores.clock())
        return rules.scope_of(intent, tuple(glob for grant in grants for glob in grant.patterns))

    def covers(self, intent_id: str | None, path: WorkspacePath) -> bool:
        """Return whether an intent owns a path under the current rules, live grants included.

        False if `intent_id` is None or unknown.
        """
        rules = self._stores.rules.current()
        return self.scope_of(rules, rules.active(intent_id)).covers(path)

    def _live(self, intents: Intents, intent: Intent, now: datetime) -> tuple[Grant, ...]:
        at = timestamp(now)
        grants = self._granted(intents, intent)
        return tuple(g for g in grants if g.expires_at is not None and g.expires_at > at)

    def _granted(self, intents: Intents, intent: Intent) -> tuple[Grant, ...]:
        """Return an intent's newest 1,000 recorded grants, cached until the ledger changes.

        There are none if the ledger cannot be read.
        """
        names = frozenset(intents.names(intent))
        # Take the stamp before the query: a record appended in between then only causes another
        # query. With a later stamp, an outdated result would look current.
        known = self._known(self._stores.ledger.index.stamp())
        if names not in known:
            records = self._stores.past.grants(names, limit=_AT_MOST)
            if records is None:
                return ()
            known[names] = tuple(record.grant for record in records if record.grant is not None)
        return known[names]


def _no_grants(_stamp: FilesStamp) -> dict[frozenset[str], tuple[Grant, ...]]:
    """Return an empty cache of grants. `lru_cache` keeps it under the ledger's stamp."""
    return {}
