"""The ledger of a root, in the form that its policy sets (ledger section 3).

Invariant: the policy is read for each append, so that a change needs no restart.
"""

from pathlib import Path

from intent_lsp.core.policy import LedgerForm
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store import clock
from intent_lsp.store.ledger.ledger import Ledger


def governed_ledger(root: Path, rules: RulesCache) -> Ledger:
    """Return the ledger of a root; no file is opened or created yet."""

    def form() -> LedgerForm:
        return rules.current().policy.ledger

    return Ledger(root, clock.now, clock.new_id, form=form)
