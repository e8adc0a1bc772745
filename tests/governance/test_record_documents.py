"""Documents about a record: its words and diffs, and each content of its files (protocol 4.9)."""

import pytest

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.ledger import record_changes
from intent_lsp.governance.ledger.record_changes import Side, described, side_of, side_of_data
from tests.governance.editor import Editor

LOGIN, OTHER = WorkspacePath("src/auth/login.py"), WorkspacePath("src/auth/other.py")


def newest(editor: Editor) -> Record:
    record = editor.governance.stores.past.newest(LOGIN)
    assert record is not None
    return record


def saved(editor: Editor, text: str) -> Record:
    editor.select("INT-001")
    editor.save(LOGIN, text)
    return newest(editor)


def test_a_file_has_the_content_that_the_record_found_and_the_one_that_it_left(
    editor: Editor,
) -> None:
    record = saved(editor, "one\n2\nthree\n")
    assert side_of(editor.root, record, LOGIN, after=False) == Side(text="one\ntwo\nthree\n")
    assert side_of(editor.root, record, LOGIN, after=True) == Side(text="one\n2\nthree\n")
    assert side_of(editor.root, record, OTHER, after=True) is None


def test_a_content_that_is_no_text_or_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert side_of_data(None) == Side()
    assert side_of_data(b"") == Side(text="")
    assert side_of_data("\ufeffä".encode()) == Side(text="ä")
    assert side_of_data(b"\0\xff") == Side(why="the content is not text")
    monkeypatch.setattr(record_changes, "LARGEST", 3)
    assert side_of_data(b"abc") == Side(text="abc")
    assert side_of_data(b"abcd") == Side(why="the content is too large to be shown")


def test_a_record_is_described_with_its_flags_and_its_diff(editor: Editor) -> None:
    record = saved(editor, "one\n2\nthree\n")
    intents = editor.root / ".orchestration/active_intents.yaml"
    intents.write_text(intents.read_text().replace("INT-001", "INT-100"))
    words = described(editor.root, editor.governance.tracing, record)
    assert words.splitlines()[0].split() == ["record", record.id]
    assert "INTENT_ARCHIVED: the intent is no longer in the intents file" in words
    assert words.endswith(f"\n--- {LOGIN}\n+++ {LOGIN}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")


def test_of_a_very_large_change_the_rest_is_named_and_not_shown(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = saved(editor, "one\n2\nthree\n")
    lines = [*record_changes.record_diffs(record, _contents(editor))]
    monkeypatch.setattr(record_changes, "record_diffs", lambda *_: iter(lines * 3))
    monkeypatch.setattr(record_changes, "LONGEST", 10)
    words = described(editor.root, editor.governance.tracing, record)
    assert words.count(f"+++ {LOGIN}") == 1
    assert words.endswith("more files are not shown, because the change is too large\n")


def _contents(editor: Editor) -> record_changes.ContentLookup:
    return record_changes.ContentLookup(editor.root)
