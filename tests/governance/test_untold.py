"""What is told of judged calls, once their answers are given (requirements section 9)."""

import logging
import threading
from collections.abc import Iterator

import pytest

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.paths import GOVERNANCE_LEDGER
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.views.deferred import Untold
from tests.support.repository import Repository

LOGIN, DATABASE = "src/auth/login.py", "src/db.py"


@pytest.fixture
def desk(governed: Repository) -> Iterator[Governance]:
    opened = Governance(governed.root, patient=True)
    session = opened.sessions.open_agent("builder")
    opened.checkout.select(session, "INT-001", unsaved_file=False)
    yield opened
    opened.close(None)


def call(path: str) -> ToolCall:
    return ToolCall(tool_name="Write", paths=(path,))


def ledger(desk: Governance) -> list[str]:
    page = desk.root / GOVERNANCE_LEDGER
    told = page.read_text().splitlines() if page.exists() else []
    return [line for line in told if "status=" in line]


def test_a_patient_desk_answers_before_it_tells(desk: Governance) -> None:
    assert desk.calls.admit("builder", "", call(DATABASE)).verdict == "FAIL"
    assert ledger(desk) == []
    desk.untold.tell()
    assert [line.count("status=DENIED") for line in ledger(desk)] == [1]
    desk.untold.tell()
    assert len(ledger(desk)) == 1


def test_a_record_is_told_of_after_what_was_judged_before_it(desk: Governance) -> None:
    admission = desk.calls.admit("builder", "", call(LOGIN))
    assert admission.ticket is not None
    desk.calls.admit("builder", "", call(DATABASE))
    (desk.root / LOGIN).write_text("changed\n")
    desk.calls.record(admission.ticket.id)
    assert ["DENIED" in line for line in ledger(desk)] == [True, False]


def test_whoever_asks_for_the_history_or_the_status_is_told_all(desk: Governance) -> None:
    desk.calls.admit("builder", "", call(LOGIN))
    intent = desk.rules.current().active("INT-001")
    assert intent is not None
    assert desk.history.of(intent)[0] == "PRE_HOOK Write"
    desk.calls.admit("builder", "", call(DATABASE))
    desk.status("builder")
    assert len(ledger(desk)) == 1


def test_a_desk_that_closes_leaves_nothing_untold(desk: Governance) -> None:
    desk.calls.admit("builder", "", call(DATABASE))
    desk.close(None)
    assert len(ledger(desk)) == 1


def test_what_cannot_be_told_keeps_nothing_else_from_it(caplog: pytest.LogCaptureFixture) -> None:
    untold, said = Untold(patient=True), list[str]()
    untold.add(lambda: said.append("first"))
    untold.add(lambda: said.append(str(1 / 0)))
    untold.add(lambda: said.append("last"))
    with caplog.at_level(logging.ERROR):
        untold.tell()
    assert said == ["first", "last"]
    assert "could not be told of" in caplog.text


def test_what_another_thread_tells_is_waited_for() -> None:
    untold, said = Untold(patient=True), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait()
        said.append("slow")

    untold.add(slow)
    other = threading.Thread(target=untold.tell)
    other.start()
    begun.wait()
    threading.Timer(0.05, go_on.set).start()
    untold.tell()
    assert said == ["slow"]
    other.join()
