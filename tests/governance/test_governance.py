"""Governance of a root: its status, and who owns a path (protocol section 2)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from intent_lsp import __version__
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.rules import FileState
from tests.governance.editor import Editor
from tests.support.repository import Repository


def test_a_root_tells_how_it_stands(editor: Editor) -> None:
    status = editor.governance.status(editor.session.id)
    assert status.root == str(editor.root)
    assert (status.enabled, status.file_state, status.reason) == (True, FileState.OK, None)
    assert (status.session_id, status.active_intent_id) == (editor.session.id, None)
    assert (status.stage, status.turn, status.enforcement) == ("checkout_required", 1, "warn")
    assert (status.records, status.heads, status.version) == (0, (), __version__)
    editor.select("INT-001")
    record = editor.save("src/db.py", "x\n").record
    assert record is not None
    status = editor.governance.status(editor.session.id)
    assert (status.active_intent_id, status.stage) == ("INT-001", "execution_authorized")
    assert (status.records, status.heads) == (1, (record.integrity.record_hash,))


def test_a_broken_root_tells_why(editor: Editor) -> None:
    (editor.root / ".orchestration/active_intents.yaml").unlink()
    status = editor.governance.status("nobody")
    assert (status.enabled, status.file_state) == (False, FileState.MISSING)
    assert status.reason == ".orchestration/active_intents.yaml is missing"
    assert (status.active_intent_id, status.stage, status.turn) == (None, "checkout_required", 1)
    assert editor.governance.owners(WorkspacePath("src/auth/a.py")) == ()


@contextmanager
def taken_away(room: Path) -> Iterator[Path]:
    """Move a directory out of its place, and back."""
    elsewhere = room.rename(room.parent.parent / "elsewhere")
    yield room
    elsewhere.rename(room)


def test_a_root_whose_whole_room_is_gone_tells_so_and_makes_nothing(editor: Editor) -> None:
    editor.select("INT-001")
    with taken_away(editor.root / ".orchestration") as room:
        status = editor.governance.status(editor.session.id)
        assert not room.exists()
    assert (status.enabled, status.file_state) == (False, FileState.MISSING)
    assert (status.active_intent_id, status.stage, status.turn) == (None, "checkout_required", 1)


def test_a_governed_root_without_its_memory_has_no_status(editor: Editor) -> None:
    with taken_away(editor.root / LOCAL_ROOM) as room:
        # Something else is in its place, so that it cannot be made again.
        room.touch()
        with pytest.raises(StateUnavailableError):
            editor.governance.status(editor.session.id)
        room.unlink()


def test_whoever_owns_a_path_is_told(editor: Editor) -> None:
    owners = editor.governance.owners(WorkspacePath("old/a.py"))
    assert [owner.intent_id for owner in owners] == ["INT-003"]
    assert editor.governance.owners(WorkspacePath("src/db.py")) == ()


def test_intents_to_choose_from_are_open_and_the_last_used_first(editor: Editor) -> None:
    (editor.root / ".intentignore").write_text("INT-002\n")
    assert [intent.id for intent in editor.governance.open_intents()] == ["INT-001", "INT-004"]
    editor.select("INT-004")
    assert [intent.id for intent in editor.governance.open_intents()] == ["INT-004", "INT-001"]


def test_without_a_memory_the_intents_are_in_file_order(
    governed: Repository, open_editor: Callable[..., Editor]
) -> None:
    (governed.root / ".orchestration/.local").write_text("in the way\n")
    editor = open_editor(governed.root)
    editor.select("INT-004")
    listed = [intent.id for intent in editor.governance.open_intents()]
    assert listed == ["INT-001", "INT-002", "INT-004"]


def test_a_user_without_a_name_has_sessions_too(
    governed: Repository, open_editor: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 4242")

    monkeypatch.setattr("getpass.getuser", nobody)
    first = open_editor(governed.root)
    first.select("INT-001")
    first.close()
    assert open_editor(governed.root).session.continued == "INT-001"


def test_a_desk_can_be_closed_without_a_session(governed: Repository) -> None:
    governance = Governance(governed.root)
    governance.close(None)
    assert governance.status("nobody").enabled
    governance.close(None)
