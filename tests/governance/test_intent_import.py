"""Intents taken over from another file, and saves supposed under an intent."""

import pytest

from intent_lsp.core.codes import GateCode, RequestCode
from intent_lsp.core.gate.explain import RowOutcome
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from tests.support.governed_repository import INTENTS, govern
from tests.support.repository import Repository

LOGIN = WorkspacePath("src/auth/login.py")


@pytest.fixture
def project(repository: Repository) -> Repository:
    return govern(repository)


def test_intents_are_taken_over_by_one_edit(project: Repository) -> None:
    governance = Governance(project.root)
    wanted = [Intent(id=IntentId(name), name=name) for name in ("NEW", "INT-001", "NEWER")]
    done = governance.planning.take_over(wanted, unsaved_file=False)
    governance.close(None)
    assert done == {"INT-001": "the file already has an intent INT-001"}
    text = (project.root / INTENTS_FILE).read_text()
    assert text.startswith(INTENTS)
    assert [intent.id for intent in governance.rules.current().file.intents][2:] == ["NEW", "NEWER"]


def test_nothing_is_taken_over_where_it_cannot_be_written(project: Repository) -> None:
    governance = Governance(project.root)
    wanted = [Intent(id=IntentId("NEW"))]
    refused = governance.planning.take_over(wanted, unsaved_file=True)
    assert isinstance(refused, CheckoutRefusal)
    assert refused.code is RequestCode.INTENTS_FILE_UNWRITTEN
    assert "No intent was added" in refused.message
    project.write(INTENTS_FILE, "- [")
    refused = governance.planning.take_over(wanted, unsaved_file=False)
    governance.close(None)
    assert isinstance(refused, CheckoutRefusal)
    assert refused.code is RequestCode.NOT_GOVERNED


def test_a_supposed_intent_is_remembered_nowhere(project: Repository) -> None:
    governance = Governance(project.root)
    session = governance.sessions.open_agent("s1")
    governance.sessions.choose(session.id, "INT-002")
    rows, judgement = governance.explain_save_under("INT-001", LOGIN)
    assert judgement.denied is None
    assert judgement.intent is not None
    assert judgement.intent.id == "INT-001"
    assert {row.outcome for row in rows} == {RowOutcome.PASS, RowOutcome.SKIPPED}
    _, other = governance.explain_save_under("NONE", LOGIN)
    assert other.denied is not None
    assert other.denied.code is GateCode.INTENT_NOT_FOUND
    _, own = governance.explain_save("s1", LOGIN)
    assert own.denied is not None
    state = governance.stores.state
    assert state is not None
    assert tuple(state.recent_intents(9)) == ("INT-002",)
    governance.close(None)
