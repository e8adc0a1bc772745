"""What is logged of a ledger that cannot be read."""

import logging

import pytest

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.governance.root.stores import LedgerHistory
from tests.governance.editor import Editor


def test_an_answer_that_was_asked_for_before_the_ledger_failed_does_not_end_the_failure(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = editor.governance.stores.ledger.index
    past = LedgerHistory(index)

    def broken() -> int:
        raise LedgerUnavailableError(path="ledger", problem="broken")

    def slow() -> int:
        with monkeypatch.context() as patched:
            patched.setattr(index, "count", broken)
            assert past.count() == 0
        return 7

    with caplog.at_level(logging.WARNING):
        monkeypatch.setattr(index, "count", slow)
        assert past.count() == 7
        assert [entry.message for entry in caplog.records] == [
            "the ledger cannot be read: ledger: broken"
        ]
        monkeypatch.setattr(index, "count", lambda: 8)
        assert past.count() == 8
        assert caplog.records[-1].message == "the ledger can be read again"
