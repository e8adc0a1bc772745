"""Which events of watches lead to work: not those of the product's own writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.content import split_lines
from intent_lsp.core.paths import INTENT_MAP, INTENTS_FILE, LEDGER_FILE
from intent_lsp.governance.saves.open_file import GovernedPlace, OpenFile
from tests.governance.editor import Editor

DB = "src/db.py"
TEMPORARY = "src/.db.py.tmp"


def saved(editor: Editor, text: str, path: str = DB) -> None:
    """Save a file as an editor does, and record it."""
    file = OpenFile()
    file.attach(GovernedPlace(editor.governance.saves, editor.session, editor.place(path)), None)
    (editor.root / path).write_text(text)
    lines = split_lines(text)
    assert file.record(lines, lines, None, automatic=False) is not None


def in_tree(editor: Editor, *paths: str) -> list[str]:
    """Name the paths after whose change the work tree is examined."""
    given = frozenset(editor.root / path for path in paths)
    kept = editor.governance.watch_events.in_tree(given)
    return sorted(path.relative_to(editor.root).as_posix() for path in kept)


def of_rules(editor: Editor, *paths: str, opened: str = "") -> list[str]:
    """Name the paths after whose change rules and open files are examined."""
    given = frozenset(editor.root / path for path in paths)
    kept = editor.governance.watch_events.of_rules(given, lambda path: path.name == opened)
    return sorted(path.relative_to(editor.root).as_posix() for path in kept)


def test_a_recorded_save_leads_to_no_work_until_the_file_changes_again(editor: Editor) -> None:
    editor.select("INT-001")
    saved(editor, "one\n")
    assert in_tree(editor, DB, TEMPORARY) == of_rules(editor, DB, TEMPORARY) == []
    (editor.root / DB).write_text("two\n")
    assert in_tree(editor, DB) == of_rules(editor, DB) == [DB]
    saved(editor, "six\n")
    assert in_tree(editor, DB) == []
    (editor.root / DB).unlink()
    assert in_tree(editor, DB) == of_rules(editor, DB) == [DB]


@pytest.mark.parametrize("path", [INTENTS_FILE, ".gitignore", "src/.gitattributes"])
def test_a_save_that_other_files_depend_on_is_always_news(editor: Editor, path: str) -> None:
    (editor.root / path).touch()
    saved(editor, f"# {path}\n", path)
    assert in_tree(editor, path) == of_rules(editor, path) == [path]


def test_a_save_that_is_not_recorded_yet_is_news(editor: Editor) -> None:
    (editor.root / DB).write_text("typed\n")
    assert in_tree(editor, DB) == of_rules(editor, DB) == [DB]


def test_a_file_that_was_there_before_is_news_when_it_is_gone(editor: Editor) -> None:
    (editor.root / "docs/guide.md").unlink()
    assert in_tree(editor, "docs/guide.md") == ["docs/guide.md"]
    (editor.root / "new.py").write_text("new\n")
    editor.governance.disk_changes.look()
    (editor.root / "new.py").unlink()
    assert in_tree(editor, "new.py") == ["new.py"]


def test_rules_and_open_files_matter_even_if_they_came_and_went(editor: Editor) -> None:
    gone = (".intentignore", "new.py", TEMPORARY)
    assert of_rules(editor, *gone, opened="new.py") == [".intentignore", "new.py"]


def test_what_the_server_writes_is_no_part_of_the_work_tree(editor: Editor) -> None:
    assert in_tree(editor, LEDGER_FILE, INTENT_MAP) == []


def test_the_intent_map_is_news_only_if_somebody_else_wrote_it(editor: Editor) -> None:
    editor.select("INT-001")
    editor.save("src/auth/login.py", "one\n")
    assert editor.governance.intent_map.write()
    assert of_rules(editor, INTENT_MAP) == []
    (editor.root / INTENT_MAP).write_text("mine\n")
    assert of_rules(editor, INTENT_MAP) == [INTENT_MAP]


def test_the_ledger_is_news_only_if_somebody_else_appended(
    editor: Editor, open_editor: Callable[..., Editor]
) -> None:
    editor.select("INT-001")
    assert of_rules(editor, LEDGER_FILE) in ([], [LEDGER_FILE])
    editor.save("src/auth/login.py", "one\n")
    assert of_rules(editor, LEDGER_FILE) == []
    other = open_editor(editor.root)
    other.select("INT-001")
    other.save("src/auth/login.py", "two\n")
    # Our own append after it hides nothing.
    editor.reads.clear()
    editor.save("src/auth/login.py", "three\n")
    assert of_rules(editor, LEDGER_FILE) == [LEDGER_FILE]
    assert of_rules(editor, LEDGER_FILE) == []


def test_what_is_outside_of_the_root_is_always_news(editor: Editor) -> None:
    outside = frozenset({Path("/somewhere/else"), editor.root})
    assert editor.governance.watch_events.in_tree(outside) == outside
