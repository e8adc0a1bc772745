"""Sessions: what was chosen goes on, in the next window too (protocol section 1)."""

import shutil
from collections.abc import Callable

import pytest

from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.core.records import Contributor, EntityType
from intent_lsp.governance.root.sessions import CHECKOUT_REQUIRED, EXECUTION_AUTHORIZED
from intent_lsp.store.state.session_row import SessionRow
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

Open = Callable[..., Editor]
AGENT = Contributor(EntityType.AI, "acme/1")


def test_a_first_session_has_no_intent(editor: Editor) -> None:
    assert editor.session.continued is None
    row = editor.governance.sessions.row(editor.session.id)
    assert row is not None
    assert (row.active_intent, row.stage, row.turn) == (None, CHECKOUT_REQUIRED, 1)


def test_the_first_turn_of_a_session_is_turn_one(editor: Editor) -> None:
    turns = [editor.governance.sessions.begin_turn("new").turn for _ in range(3)]
    assert turns == [1, 2, 3]
    editor.governance.sessions.open_agent("opened")
    assert editor.governance.sessions.begin_turn("opened").turn == 2


def test_a_new_window_goes_on_with_the_last_ones_intent(
    governed: Repository, open_editor: Open
) -> None:
    first = open_editor(governed.root)
    first.select("INT-001")
    first.close()
    second = open_editor(governed.root)
    assert second.session.id != first.session.id
    assert second.session.continued == "INT-001"
    row = second.governance.sessions.row(second.session.id)
    assert row is not None
    assert (row.active_intent, row.stage) == ("INT-001", EXECUTION_AUTHORIZED)


def test_a_window_beside_a_living_one_begins_without_an_intent(
    governed: Repository, open_editor: Open
) -> None:
    open_editor(governed.root).select("INT-001")
    assert open_editor(governed.root).session.continued is None


def test_an_editor_goes_on_when_all_that_was_remembered_is_deleted(
    governed: Repository, open_editor: Open
) -> None:
    first = open_editor(governed.root)
    first.select("INT-001")
    shutil.rmtree(governed.root / LOCAL_ROOM)
    row = first.governance.sessions.row(first.session.id)
    assert row is not None
    assert (row.active_intent, row.stage, row.turn) == (None, CHECKOUT_REQUIRED, 1)
    first.select("INT-001")
    # It is as alive as it was: the next inherits nothing from it until it ends.
    assert open_editor(governed.root).session.continued is None
    first.close()
    assert open_editor(governed.root).session.continued == "INT-001"


@pytest.mark.parametrize("status", ["COMPLETED", "gone"])
def test_an_intent_that_is_closed_or_gone_is_not_gone_on_with(
    governed: Repository, open_editor: Open, status: str
) -> None:
    first = open_editor(governed.root)
    first.select("INT-001")
    first.close()
    text = INTENTS.replace("status: IN_PROGRESS", f"status: {status}")
    if status == "gone":
        text = INTENTS.replace("INT-001", "INT-100")
    governed.write(".orchestration/active_intents.yaml", text)
    assert open_editor(governed.root).session.continued is None


def test_a_session_named_by_its_id_is_the_same_session(
    governed: Repository, open_editor: Open
) -> None:
    first = open_editor(governed.root, "mine")
    assert first.session.id == "mine"
    first.select("INT-001")
    first.close()
    again = open_editor(governed.root, "mine")
    assert again.session.id == "mine"
    assert again.governance.sessions.active_intent("mine") == "INT-001"
    assert open_editor(governed.root, "other").session.continued is None


def test_an_agents_session_begins_unknown_and_is_kept(editor: Editor) -> None:
    sessions = editor.governance.sessions
    agent = sessions.open_agent("agent")
    sessions.choose(agent.id, "INT-001")
    assert sessions.open_agent("agent") == agent
    row = sessions.row("agent")
    assert row is not None
    assert (row.kind, row.active_intent, row.turn) == ("agent", "INT-001", 1)
    assert editor.governance.sessions.active_intent(editor.session.id) is None


def test_a_session_that_was_forgotten_begins_anew_by_choosing(editor: Editor) -> None:
    sessions = editor.governance.sessions
    sessions.choose("forgotten", None)
    assert sessions.row("forgotten") is None
    sessions.choose("forgotten", "INT-001")
    assert sessions.active_intent("forgotten") == "INT-001"


def test_without_a_place_to_keep_it_a_session_lives_in_memory(
    governed: Repository, open_editor: Open
) -> None:
    (governed.root / ".orchestration/.local").write_text("in the way\n")
    first = open_editor(governed.root, "mine")
    first.select("INT-001")
    assert first.governance.sessions.active_intent("mine") == "INT-001"
    first.close()
    again = open_editor(governed.root, "mine")
    assert again.governance.sessions.active_intent("mine") is None
    assert again.session.continued is None


def test_what_was_chosen_while_a_lost_session_is_begun_anew_stays_chosen(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, sessions = editor.governance.stores.state, editor.governance.sessions
    assert state is not None
    shutil.rmtree(editor.governance.root / LOCAL_ROOM)
    real = state.session

    def chosen_meanwhile(session_id: str, agent_id: str = "") -> SessionRow | None:
        found = real(session_id, agent_id)
        monkeypatch.undo()
        editor.select("INT-001")
        return found

    monkeypatch.setattr(state, "session", chosen_meanwhile)
    # Whoever found nothing begins the session, and another thread has selected an intent by then.
    assert sessions.active_intent(editor.session.id) == "INT-001"
    assert sessions.active_intent(editor.session.id) == "INT-001"
