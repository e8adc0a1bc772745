"""What is written about judged calls after their answers are given (requirements section 9)."""

import logging
import threading
from collections.abc import Iterator

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.paths import GOVERNANCE_LEDGER
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.views.history import DeferredQueue
from tests.support.repository import Repository

LOGIN, DATABASE = "src/auth/login.py", "src/db.py"


@pytest.fixture
def governance(governed: Repository) -> Iterator[Governance]:
    opened = Governance(governed.root, patient=True)
    session = opened.sessions.open_agent("builder")
    opened.checkout.select(session, "INT-001", unsaved_file=False)
    yield opened
    opened.close(None)


def call(path: str) -> ToolCall:
    return ToolCall(tool_name="Write", paths=(path,))


def ledger(governance: Governance) -> list[str]:
    page = governance.root / GOVERNANCE_LEDGER
    told = page.read_text().splitlines() if page.exists() else []
    return [line for line in told if "status=" in line]


def test_a_patient_desk_answers_before_it_tells(governance: Governance) -> None:
    assert governance.calls.admit("builder", "", call(DATABASE)).decision.verdict == "FAIL"
    assert ledger(governance) == []
    governance.unreported.write()
    assert [line.count("status=DENIED") for line in ledger(governance)] == [1]
    governance.unreported.write()
    assert len(ledger(governance)) == 1


def test_a_record_is_told_of_after_what_was_judged_before_it(governance: Governance) -> None:
    admission = governance.calls.admit("builder", "", call(LOGIN))
    assert admission.ticket is not None
    governance.calls.admit("builder", "", call(DATABASE))
    (governance.root / LOGIN).write_text("changed\n")
    governance.calls.record(admission.ticket.id)
    assert ["DENIED" in line for line in ledger(governance)] == [True, False]


def test_whoever_asks_for_the_history_or_the_status_is_told_all(governance: Governance) -> None:
    governance.calls.admit("builder", "", call(LOGIN))
    intent = governance.rules.current().active("INT-001")
    assert intent is not None
    assert governance.history.of(intent)[0] == "PRE_HOOK Write"
    governance.calls.admit("builder", "", call(DATABASE))
    governance.status("builder")
    assert len(ledger(governance)) == 1


def test_a_desk_that_closes_leaves_nothing_untold(governance: Governance) -> None:
    governance.calls.admit("builder", "", call(DATABASE))
    governance.close(None)
    assert len(ledger(governance)) == 1


def test_what_cannot_be_told_keeps_nothing_else_from_it(caplog: pytest.LogCaptureFixture) -> None:
    unreported, said = DeferredQueue(patient=True), list[str]()
    unreported.add(lambda: said.append("first"))
    unreported.add(lambda: said.append(str(1 / 0)))
    unreported.add(lambda: said.append("last"))
    with caplog.at_level(logging.ERROR):
        unreported.write()
    assert said == ["first", "last"]
    assert "cannot be written" in caplog.text


def test_what_another_thread_tells_is_waited_for() -> None:
    unreported, said = DeferredQueue(patient=True), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait()
        said.append("slow")

    unreported.add(slow)
    other = threading.Thread(target=unreported.write)
    other.start()
    begun.wait()
    threading.Timer(0.05, go_on.set).start()
    unreported.write()
    assert said == ["slow"]
    other.join()
