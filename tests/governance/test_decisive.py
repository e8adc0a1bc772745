"""What decides on a session's files, compared from one moment to another."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.governance.governance import health
from intent_lsp.governance.plan.planning import Wish
from intent_lsp.governance.root.rules import FileState
from tests.governance.editor import Editor
from tests.support.repository import Repository

Change = Callable[[Editor, Repository], object]


def decisive(editor: Editor) -> tuple[object, ...]:
    """Return what decides on the editor's files now, as a save finds it."""
    governance = editor.governance
    judgement = editor.will_save("src/db.py", "alpha\n").judgement
    kept = health(judgement.rules, governance.stores.last_problem())
    return governance.decisive(judgement.rules, judgement.selected, kept)


def grant(editor: Editor, _: Repository) -> object:
    """Grant the selected intent a file for an hour."""
    wish = Wish(intent_id="INT-001", patterns=("src/db.py",), ttl=timedelta(hours=1))
    session = editor.session
    return editor.governance.planning.grant(wish, session, by=session.id, unsaved_file=False)


CHANGES: dict[str, Change] = {
    "a commit": lambda _, governed: (governed.write("docs/guide.md", "new\n"), governed.commit()),
    "other rules": lambda _, governed: governed.write(
        INTENTS_FILE, (governed.root / INTENTS_FILE).read_text().replace("src/auth/", "src/other/")
    ),
    "another intent": lambda editor, _: editor.select("INT-002"),
    "a grant": grant,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_is_other_after_a_change(editor: Editor, governed: Repository, change: Change) -> None:
    editor.select("INT-001")
    before = decisive(editor)
    assert decisive(editor) == before
    change(editor, governed)
    assert decisive(editor) != before


def test_it_says_that_sessions_cannot_be_stored(editor: Editor) -> None:
    rules = editor.governance.rules.current()
    assert health(rules, "disk full") == (FileState.UNAVAILABLE, "disk full")
    assert health(rules, None) == (rules.state, rules.reason)
