"""Checkout: selecting an intent, and the context returned (requirements sections 3 and 11)."""

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.intents import Status
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.sessions import CHECKOUT_REQUIRED, EXECUTION_AUTHORIZED
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

STAYS = "the status of INT-002 stays PLANNED in .orchestration/active_intents.yaml: "


def _file(editor: Editor) -> Path:
    return editor.root / ".orchestration/active_intents.yaml"


def _refused(editor: Editor, intent_id: str) -> CheckoutRefusal:
    refusal = editor.governance.checkout.select(editor.session, intent_id, unsaved_file=False)
    assert isinstance(refusal, CheckoutRefusal)
    return refusal


def test_a_planned_intent_is_in_progress_once_selected(editor: Editor) -> None:
    selection = editor.select("INT-002")
    assert selection.warnings == ()
    assert selection.intent.status is Status.IN_PROGRESS
    assert selection.context.intent == selection.intent
    text = _file(editor).read_text()
    assert selection.intent.updated_at is not None
    changed = INTENTS.replace("status: PLANNED", "status: IN_PROGRESS")
    head, _, tail = changed.rpartition('updated_at: "2026-01-01T00:00:00Z"')
    assert text == f'{head}updated_at: "{selection.intent.updated_at}"{tail}'
    row = editor.governance.sessions.row(editor.session.id)
    assert row is not None
    assert (row.active_intent, row.stage) == ("INT-002", EXECUTION_AUTHORIZED)


def test_an_intent_under_way_leaves_the_file_as_it_is(editor: Editor) -> None:
    assert editor.select("INT-001").warnings == ()
    assert _file(editor).read_text() == INTENTS


def test_what_is_written_to_the_file_is_known_as_ours(editor: Editor) -> None:
    editor.select("INT-002")
    path = editor.place(".orchestration/active_intents.yaml").path
    state = editor.governance.stores.state
    assert state is not None
    assert state.own_write(path) == hash_content(_file(editor).read_bytes())


def test_a_blocked_intent_is_selected_with_a_warning(editor: Editor) -> None:
    assert editor.select("INT-004").warnings == (
        "Intent INT-004 is BLOCKED, but may still be worked on.",
    )


def test_an_earlier_id_selects_the_intent_that_has_it_now(editor: Editor) -> None:
    assert editor.select("INT-OLD").intent.id == "INT-004"
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-004"


def test_a_file_with_unsaved_text_is_not_written(editor: Editor) -> None:
    selection = editor.select("INT-002", unsaved_file=True)
    assert selection.warnings == (STAYS + "the file is open in an editor with unsaved changes",)
    assert selection.intent.status is Status.PLANNED
    assert _file(editor).read_text() == INTENTS
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-002"


def test_a_read_only_file_is_not_written(editor: Editor) -> None:
    _file(editor).chmod(0o444)
    (warning,) = editor.select("INT-002").warnings
    assert warning.startswith(STAYS + "the file could not be written: ")
    assert _file(editor).read_text() == INTENTS
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-002"


def test_a_file_that_leaves_the_root_is_not_written(editor: Editor) -> None:
    outside = editor.root.parent / "elsewhere.yaml"
    _file(editor).rename(outside)
    _file(editor).symlink_to(outside)
    (warning,) = editor.select("INT-002").warnings
    assert warning.startswith(STAYS + "the file could not be written: ")
    assert outside.read_text() == INTENTS


def test_a_status_spelled_by_an_alias_is_not_written(editor: Editor) -> None:
    text = INTENTS.replace("status: IN_PROGRESS", "status: &now planned").replace(
        "status: PLANNED", "status: *now"
    )
    _file(editor).write_text(text)
    (warning,) = editor.select("INT-002").warnings
    assert warning.startswith(STAYS)
    assert _file(editor).read_text() == text
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-002"


def test_a_mark_and_line_ends_stay(editor: Editor) -> None:
    _file(editor).write_bytes(b"\xef\xbb\xbf" + INTENTS.replace("\n", "\r\n").encode())
    assert editor.select("INT-002").intent.status is Status.IN_PROGRESS
    data = _file(editor).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# What")
    assert data.count(b"\n") == data.count(b"\r\n") == INTENTS.count("\n")


def test_an_intent_is_refused_that_is_closed(editor: Editor) -> None:
    refusal = _refused(editor, "INT-003")
    assert refusal.code is RequestCode.INTENT_CLOSED
    assert refusal.message == "Intent INT-003 is COMPLETED."
    assert refusal.data == {"intent_id": "INT-003", "status": "COMPLETED"}
    assert editor.governance.sessions.active_intent(editor.session.id) is None


def test_an_intent_is_refused_that_nobody_knows(editor: Editor) -> None:
    refusal = _refused(editor, "INT-009")
    assert refusal.code is RequestCode.INTENT_NOT_FOUND
    assert refusal.message == (
        "Intent INT-009 is not in .orchestration/active_intents.yaml."
        " Available: INT-001, INT-002, INT-004."
    )
    assert refusal.data == {
        "intent_id": "INT-009",
        "available_intents": [
            {"id": "INT-001", "name": "Auth", "status": "IN_PROGRESS"},
            {"id": "INT-002", "name": "Docs", "status": "PLANNED"},
            {"id": "INT-004", "name": "Stuck", "status": "BLOCKED"},
        ],
    }


def test_an_intent_is_refused_that_the_ignore_file_excludes(editor: Editor) -> None:
    (editor.root / ".intentignore").write_text("INT-00[12]\n!INT-001\n")
    refusal = _refused(editor, "INT-002")
    assert refusal.code is RequestCode.INTENT_IGNORED
    assert refusal.data == {"intent_id": "INT-002", "matched_patterns": ["INT-00[12]"]}
    assert _refused(editor, "INT-009").message.endswith(" Available: INT-001, INT-004.")
    editor.select("INT-001")


@pytest.mark.parametrize("text", ["active_intents: [", None])
def test_nothing_is_selected_while_governance_is_off(editor: Editor, text: str | None) -> None:
    editor.select("INT-001")
    _file(editor).unlink()
    if text is not None:
        _file(editor).write_text(text)
    refusal = _refused(editor, "INT-002")
    assert refusal.code is RequestCode.NOT_GOVERNED
    assert refusal.data == {"reason": refusal.message}
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-001"


def test_an_intent_is_told_with_its_files_and_its_past(editor: Editor) -> None:
    editor.policy('  architectural_constraints: ["Hooks"]\n')
    editor.select("INT-001")
    editor.save("src/auth/login.py", "x\n")
    editor.select("INT-002")
    record = editor.save("docs/guide.md", "# The guide\n").record
    selection = editor.select("INT-002")
    context = selection.context
    assert record is not None
    assert context.recent_records == (record,)
    assert context.architectural_constraints == ("Hooks",)
    # Only what exists and is in scope.
    (file,) = context.related_files
    assert (file.path, file.last_hash) == ("docs/guide.md", hash_content(b"# The guide\n"))
    assert file.last_modified.endswith("Z")
    tree = ET.fromstring(selection.text)  # noqa: S314 - our own text
    assert tree.get("id") == "INT-002"
    assert [element.get("id") for element in tree.iter("record")] == [record.id]
    assert "INT-001" not in selection.text


def test_an_earlier_ids_records_are_the_intents_own(editor: Editor) -> None:
    text = INTENTS.replace(", aliases: [INT-OLD]", "").replace("INT-004", "INT-OLD")
    _file(editor).write_text(text)
    editor.select("INT-OLD")
    record = editor.save("lib/a.py", "x\n").record
    _file(editor).write_text(INTENTS)
    assert editor.select("INT-004").context.recent_records == (record,)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read")
def test_a_related_file_that_cannot_be_read_has_no_hash(editor: Editor) -> None:
    (editor.root / "docs/none.md").symlink_to("/proc/self/mem")
    files = editor.select("INT-002").context.related_files
    assert [(file.path, file.last_hash is None) for file in files] == [
        ("docs/guide.md", False),
        ("docs/none.md", True),
    ]


def test_a_session_can_be_without_an_intent_again(editor: Editor) -> None:
    editor.select("INT-001")
    editor.governance.checkout.clear(editor.session)
    row = editor.governance.sessions.row(editor.session.id)
    assert row is not None
    assert (row.active_intent, row.stage) == (None, CHECKOUT_REQUIRED)


def test_a_root_that_cannot_remember_selects_all_the_same(
    governed: Repository, open_editor: Callable[..., Editor]
) -> None:
    (governed.root / ".orchestration/.local").write_text("in the way\n")
    editor = open_editor(governed.root)
    assert editor.governance.stores.state is None
    assert editor.select("INT-002").intent.status is Status.IN_PROGRESS
    assert editor.governance.sessions.active_intent(editor.session.id) == "INT-002"
    assert editor.will_save("docs/guide.md", "x\n").judgement.denied is None
    assert editor.will_save("src/db.py", "x\n").judgement.denied is not None
