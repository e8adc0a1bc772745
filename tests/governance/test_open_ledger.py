"""Records go to the ledger that the policy names, from the next one on."""

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.governance.ledger.reader import governed_ledger
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store.ledger.raw.files import LedgerFiles
from tests.support.governed_repository import govern, set_policy
from tests.support.ledgers import edit
from tests.support.repository import Repository


def test_records_go_where_the_policy_says_from_the_next_one_on(repository: Repository) -> None:
    govern(repository)
    ledger = governed_ledger(repository.root, RulesCache(repository.root))
    try:
        ledger.append(edit())
        set_policy(repository, "ledger: segments")
        ledger.append(edit())
        ledger.append(edit())
        (main, segment) = LedgerFiles(repository.root).names()
        counted = [(repository.root / name).read_bytes().count(b"\n") for name in (main, segment)]
        assert (main, counted) == (LEDGER_FILE, [1, 2])
        set_policy(repository, "ledger: single")
        ledger.append(edit())
        found = ledger.verify()
        assert (found.ok, found.records, len(found.heads)) == (True, 4, 1)
    finally:
        ledger.close()
