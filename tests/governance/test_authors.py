"""The people behind lines: a commit's author, or *you*."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from intent_lsp.core.blame.attribution import BlameRun
from intent_lsp.core.paths import LOCAL_ROOM, POLICY_FILE, WorkspacePath
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.ledger import blame as blame_module
from intent_lsp.governance.ledger.blame import ALL_LINES, authors_of
from intent_lsp.governance.root import sessions
from intent_lsp.store.state.sessions_db import FILE_NAME
from tests.governance.editor import Editor
from tests.support.repository import Repository

PATH = "src/auth/a.py"


def named(governance: Governance) -> Sequence[BlameRun]:
    """Blame the file, with names."""
    blamed = governance.blaming.blame(WorkspacePath(PATH))
    assert blamed is not None
    return governance.authors.named(blamed.runs(*ALL_LINES))


def who(governance: Governance) -> list[tuple[str | None, bool]]:
    return [(run.author, run.is_you) for run in named(governance)]


@pytest.fixture
def saved(editor: Editor) -> Editor:
    """Give an editor in which a person has saved a line under an intent."""
    editor.select("INT-001")
    editor.save(PATH, "import this\n")
    return editor


def test_a_person_of_this_user_is_you_until_the_record_is_committed(saved: Editor) -> None:
    assert who(saved.governance) == [(None, True)]
    Repository(saved.root).commit_as("Ada")
    assert who(saved.governance) == [("Ada", False)]
    saved.save(PATH, "import this\nimport that\n")
    assert who(saved.governance) == [("Ada", False), (None, True)]


def test_sessions_whose_ids_are_hashed_are_known_again(editor: Editor) -> None:
    (editor.root / POLICY_FILE).write_text("privacy: {session_ids: hashed}\n")
    editor.select("INT-001")
    editor.save(PATH, "import this\n")
    assert named(editor.governance)[0].record is not None
    assert who(editor.governance) == [(None, True)]


def test_a_session_of_another_user_or_machine_is_a_person(
    saved: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(
        saved.root, tmp_path / "other", ignore=shutil.ignore_patterns(Path(LOCAL_ROOM).name)
    )
    other = Editor.open(tmp_path / "other")
    assert who(other.governance) == [(None, False)]
    other.close()
    monkeypatch.setattr(blame_module, "this_user", lambda: "somebody else")
    assert who(saved.governance) == [(None, False)]


def test_nobody_is_named_where_the_team_wants_no_names(saved: Editor) -> None:
    (saved.root / POLICY_FILE).write_text("privacy: {authors: none}\n")
    assert who(saved.governance) == [(None, False)]
    Repository(saved.root).commit_as("Ada")
    assert who(saved.governance) == [(None, False)]


def test_without_a_session_the_state_is_read_and_none_is_made(saved: Editor) -> None:
    runs = named(saved.governance)
    with authors_of(saved.root) as asked:
        assert asked.named(runs) == runs
    saved.close()
    state = saved.root / LOCAL_ROOM / FILE_NAME
    state.unlink()
    with authors_of(saved.root) as asked:
        assert [run.is_you for run in asked.named(runs)] == [True]
        assert not asked.people(runs).own
    assert not state.exists()


def test_a_state_that_cannot_be_read_makes_nobody_you(
    saved: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> frozenset[str]:
        raise blame_module.StateUnavailableError(path="x", problem="is gone")

    assert saved.governance.stores.state is not None
    monkeypatch.setattr(type(saved.governance.stores.state), "sessions_of", fail)
    assert who(saved.governance) == [(None, False)]


def test_whom_the_system_has_no_name_for_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise KeyError("uid")

    monkeypatch.setattr(sessions.getpass, "getuser", fail)
    assert sessions.this_user() == "unknown"
