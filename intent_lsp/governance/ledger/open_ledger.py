"""The ledger of a root, in the form that its policy wants (ledger section 3).

Invariant: the policy is asked for each append, so that no restart is needed.
"""

from pathlib import Path

from intent_lsp.core.policy import LedgerForm
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store import clock
from intent_lsp.store.ledger.ledger import Ledger


def governed_ledger(root: Path, rules: RulesCache) -> Ledger:
    """Name the ledger below a root; nothing is opened or made yet."""

    def form() -> LedgerForm:
        return rules.current().policy.ledger

    return Ledger(root, clock.now, clock.new_id, form=form)
