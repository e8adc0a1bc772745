"""The intent map on disk: written when it says something else, and only then.

Specified in requirements section 9.
"""

import logging
from collections.abc import Callable

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.file_operations import FileOperation, OperationEnds
from intent_lsp.core.paths import INTENT_MAP, WorkspacePath
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.index.queries import TouchedFiles, TouchMark
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
INTENTS_FILE = ".orchestration/active_intents.yaml"


def text(editor: Editor) -> str:
    return (editor.disk(INTENT_MAP) or b"").decode()


def row_of(editor: Editor, path: str) -> list[str]:
    return [line for line in text(editor).splitlines() if line.startswith(f"| `{path}` |")]


def sections(editor: Editor) -> list[str]:
    return [line for line in text(editor).splitlines() if line.startswith("## ")]


@pytest.fixture
def saved(editor: Editor) -> Editor:
    """Give an editor that has saved one file under INT-001."""
    editor.select("INT-001")
    editor.save(LOGIN, "one\n")
    return editor


def test_a_record_is_a_row_below_its_intent(saved: Editor) -> None:
    assert saved.governance.intent_map.write()
    assert sections(saved) == [
        "## INT-001 — Auth (IN_PROGRESS)",
        "## INT-002 — Docs (PLANNED)",
        "## INT-003 — Done (COMPLETED)",
        "## INT-004 — Stuck (BLOCKED)",
    ]
    (record,) = saved.governance.stores.ledger.index.touched_files(None).files
    short = hash_content(b"one\n")[7:19]
    assert row_of(saved, LOGIN) == [f"| `{LOGIN}` | - | {record.record.timestamp} | `{short}` |"]


def test_a_later_record_takes_the_place_of_the_row(saved: Editor) -> None:
    saved.governance.intent_map.write()
    saved.save(LOGIN, "two\n")
    assert saved.governance.intent_map.write()
    (row,) = row_of(saved, LOGIN)
    assert hash_content(b"two\n")[7:19] in row
    # Of a deleted file there is no hash.
    gone = [OperationEnds(WorkspacePath(LOGIN), None)]
    (saved.root / LOGIN).unlink()
    saved.governance.file_operations.after(saved.session, FileOperation.DELETE, gone)
    assert saved.governance.intent_map.write()
    (row,) = row_of(saved, LOGIN)
    assert row.endswith("| - |")


def test_while_nothing_changes_the_file_is_not_touched(saved: Editor) -> None:
    assert saved.governance.intent_map.write()
    before = (saved.root / INTENT_MAP).stat()
    assert not saved.governance.intent_map.write()
    # A record without an intent is in no section.
    saved.governance.checkout.clear(saved.session)
    saved.save("src/db.py", "x\n")
    assert not saved.governance.intent_map.write()
    # A comment in the intents file changes no section either.
    path = saved.root / INTENTS_FILE
    path.write_text(path.read_text() + "# more\n")
    assert not saved.governance.intent_map.write()
    after = (saved.root / INTENT_MAP).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_of_a_grown_ledger_only_the_new_records_are_read(
    saved: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TouchMark | None] = []
    ask = Index.touched_files

    def spied(index: Index, since: TouchMark | None) -> TouchedFiles:
        asked.append(since)
        return ask(index, since)

    monkeypatch.setattr(Index, "touched_files", spied)
    saved.governance.intent_map.write()
    saved.save(LOGIN, "two\n")
    saved.governance.intent_map.write()
    first, second = asked
    assert first is None
    assert second is not None
    assert second.count == 1


def test_another_window_leaves_the_map_as_it_is(
    saved: Editor, open_editor: Callable[..., Editor]
) -> None:
    saved.governance.intent_map.write()
    assert not open_editor(saved.root).governance.intent_map.write()


def test_what_another_has_made_of_the_file_is_written_over(saved: Editor) -> None:
    saved.governance.intent_map.write()
    whole = text(saved)
    (saved.root / INTENT_MAP).write_text("<<<<<<< ours\n")
    assert saved.governance.intent_map.write()
    assert text(saved) == whole


def test_opening_a_root_makes_no_file(saved: Editor, open_editor: Callable[..., Editor]) -> None:
    other = open_editor(saved.root)
    assert not other.governance.intent_map.write()
    assert not (saved.root / INTENT_MAP).exists()
    other.select("INT-001")
    other.save(LOGIN, "three\n")
    assert other.governance.intent_map.write()


def test_without_records_or_rules_nothing_is_written(editor: Editor) -> None:
    assert not editor.governance.intent_map.write()
    editor.select("INT-001")
    editor.save(LOGIN, "one\n")
    (editor.root / INTENTS_FILE).write_text("active_intents: [")
    assert not editor.governance.intent_map.write()
    assert not (editor.root / INTENT_MAP).exists()


def test_an_intent_that_is_gone_keeps_its_section(saved: Editor) -> None:
    path = saved.root / INTENTS_FILE
    path.write_text(path.read_text().replace("INT-001", "INT-100"))
    assert saved.governance.intent_map.write()
    assert sections(saved)[0] == "## INT-100 — Auth (IN_PROGRESS)"
    assert sections(saved)[-1] == "## INT-001 (INTENT_ARCHIVED)"
    assert len(row_of(saved, LOGIN)) == 1


def test_records_of_an_earlier_id_belong_to_its_intent(saved: Editor) -> None:
    path = saved.root / INTENTS_FILE
    renamed = INTENTS.replace("id: INT-001\n", "id: INT-100\n    aliases: [INT-001]\n")
    path.write_text(renamed)
    saved.select("INT-100")
    saved.save(LOGIN, "two\n")
    saved.save("src/auth/more.py", "more\n")
    assert saved.governance.intent_map.write()
    assert sections(saved)[0] == "## INT-100 — Auth (IN_PROGRESS)"
    assert not any("ARCHIVED" in each for each in sections(saved))
    (row,) = row_of(saved, LOGIN)
    assert hash_content(b"two\n")[7:19] in row
    assert len(row_of(saved, "src/auth/more.py")) == 1


@pytest.mark.parametrize("inside", [True, False])
def test_nothing_is_written_through_a_link(
    saved: Editor,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
    *,
    inside: bool,
) -> None:
    target = saved.root / "map.md" if inside else tmp_path_factory.mktemp("away") / "map.md"
    target.write_text("somebody's\n")
    (saved.root / INTENT_MAP).symlink_to(target)
    with caplog.at_level(logging.WARNING):
        assert not saved.governance.intent_map.write()
    assert "is a link" in caplog.text
    assert target.read_text() == "somebody's\n"


def test_a_file_that_cannot_be_written_stops_nothing_and_is_tried_again(
    saved: Editor, caplog: pytest.LogCaptureFixture
) -> None:
    path = saved.root / INTENT_MAP
    path.mkdir()
    with caplog.at_level(logging.WARNING):
        assert not saved.governance.intent_map.write()
    assert "the intent map" in caplog.text
    path.rmdir()
    assert saved.governance.intent_map.write()


def test_the_map_is_nobodys_edit(saved: Editor, governed: Repository) -> None:
    saved.governance.intent_map.write()
    state = saved.governance.stores.state
    assert state is not None
    assert state.own_write(INTENT_MAP) == hash_content((governed.root / INTENT_MAP).read_bytes())
