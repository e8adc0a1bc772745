"""What can be done with an intent of the intents file, and what it has: choices and counts."""

from collections.abc import Callable

import pytest

from intent_lsp.formats.intents.structure.entries import read_structure
from intent_lsp.formats.markdown.editor_text import plain_of
from intent_lsp.governance.authoring import glob_matches
from intent_lsp.governance.authoring.authoring import choices_of
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository


def choices(editor: Editor, text: str = INTENTS, *, unsaved: bool = False) -> dict[str, str]:
    """Return what can be done with each intent of a text: S is selected, s and c are offered."""
    structure = read_structure(text)
    assert structure is not None
    governance, session = editor.governance, editor.session
    rules = governance.rules.current()
    active = governance.sessions.active_intent(session.id, session.agent_id)
    found = {}
    for entry in structure.entries:
        made = choices_of(rules, active, entry, unsaved=unsaved)
        letters = (("S", made.selected), ("s", made.selectable), ("c", made.completable))
        found[entry.intent.id if entry.intent else ""] = "".join(x for x, on in letters if on)
    return found


def owned(editor: Editor, *globs: str) -> tuple[int, tuple[str, ...]] | None:
    structure = read_structure(f"- id: A\n  owned_scope: {list(globs)}\n")
    assert structure is not None
    intent = structure.intents.get("A")
    assert intent is not None
    found = editor.authoring.owned(intent)
    return None if found is None else (found.count, found.first)


def test_open_intents_are_offered_and_closed_ones_are_not(editor: Editor) -> None:
    assert choices(editor) == {"INT-001": "sc", "INT-002": "sc", "INT-003": "", "INT-004": "sc"}
    editor.select("INT-002")
    assert choices(editor)["INT-002"] == "Sc"
    assert choices(editor)["INT-001"] == "sc"


def test_nothing_is_completed_in_a_file_with_unsaved_text(editor: Editor) -> None:
    assert choices(editor, unsaved=True)["INT-001"] == "s"


def test_what_is_not_saved_cannot_be_chosen(editor: Editor) -> None:
    more = INTENTS + "  - {id: NEW}\n  - {id: INT-OLD}\n  - {name: none}\n"
    found = choices(editor, more)
    assert (found["NEW"], found["INT-OLD"], found[""]) == ("", "", "")
    # The status on disk counts.
    assert choices(editor, INTENTS.replace("COMPLETED", "PLANNED"))["INT-003"] == ""


def test_an_ignored_intent_cannot_be_chosen(editor: Editor) -> None:
    (editor.root / ".intentignore").write_text("INT-00[12]\n")
    assert choices(editor)["INT-001"] == ""
    assert choices(editor)["INT-004"] == "sc"


def test_nothing_can_be_chosen_while_governance_is_off(editor: Editor) -> None:
    (editor.root / ".orchestration/active_intents.yaml").write_text("- id: [\n")
    assert set(choices(editor).values()) == {""}


@pytest.mark.parametrize(
    ("status", "said"),
    [("IN_PROGRESS", "sc"), ("*x", "s")],
)
def test_a_status_that_stands_elsewhere_is_not_written(
    editor: Editor, status: str, said: str
) -> None:
    text = f"x: &x IN_PROGRESS\nactive_intents:\n  - id: A\n    status: {status}\n"
    (editor.root / ".orchestration/active_intents.yaml").write_text(text)
    assert choices(editor, text) == {"A": said}


@pytest.mark.parametrize(
    ("globs", "files"),
    [
        (["src/**"], ["src/auth/login.py", "src/db.py"]),
        (["src/**", "src/db.py", "**/db.py"], ["src/auth/login.py", "src/db.py"]),
        (["src/**", "!src/auth/**"], ["src/db.py"]),
        (["!src/**"], []),
        (["none/**"], []),
        ([], []),
    ],
)
def test_each_file_of_a_scope_counts_once(
    editor: Editor, globs: list[str], files: list[str]
) -> None:
    assert owned(editor, *globs) == (len(files), tuple(files))
    assert owned(editor, *globs) == (len(files), tuple(files))


def test_files_follow_the_work_tree_and_only_existing_ones_are_shown(
    repository: Repository, open_editor: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(glob_matches, "REMEMBERED", 2)
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write("a/one.txt", "")
    repository.write("a/two.txt", "")
    repository.commit()
    (repository.root / "a/one.txt").unlink()
    editor = open_editor(repository.root)
    assert owned(editor, "a/**") == (2, ("a/two.txt",))
    for globs in (["a/o*"], ["b/**"], ["a/t*"], ["a/**"]):
        assert owned(editor, *globs) is not None
    assert owned(editor, "a/**") == (2, ("a/two.txt",))


def test_without_git_the_files_are_unknown(
    repository: Repository, open_editor: Callable[..., Editor]
) -> None:
    plain = repository.root.parent / "plain"
    (plain / ".orchestration").mkdir(parents=True)
    (plain / ".orchestration/active_intents.yaml").write_text(INTENTS)
    editor = open_editor(plain)
    assert owned(editor, "**") is None


def test_lists_for_people_name_files_and_records(editor: Editor) -> None:
    authoring = editor.authoring
    intents = editor.governance.rules.current().file.intents
    intent = intents.get("INT-001")
    assert intent is not None
    found = authoring.explanations.of_scope(intent)
    assert found is not None
    assert plain_of(found.title, found.paragraphs) == (
        "INT-001 — Auth owns 1 file\n  src/auth/login.py"
    )
    assert authoring.record_count(intents, intent) == 0
    none = authoring.explanations.of_records(intents, intent)
    assert plain_of(none.title, none.paragraphs) == "INT-001 — Auth\nINT-001 has no record."
    editor.select("INT-001")
    editor.save("src/auth/login.py", "changed\n")
    assert authoring.record_count(intents, intent) == 1
    one = authoring.explanations.of_records(intents, intent)
    assert "INT-001 has 1 record, the newest\n  20" in plain_of(one.title, one.paragraphs)
