"""The definitions in the rows of the intent map: found once, and the same for all who draw it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from intent_lsp.core.content import content_of, hash_content
from intent_lsp.core.intents import Intent, IntentId, Intents
from intent_lsp.core.paths import INTENT_MAP, LOCAL_ROOM
from intent_lsp.core.records import HUMAN, Conversation, Range, RecordFile
from intent_lsp.formats.markdown.intent_map import MAX_READ
from intent_lsp.governance.root.syntax_tree_cache import MAX_TREES
from intent_lsp.governance.views.intent_map import LOOKED_AT, MapRows
from tests.governance.editor import INTENTS, Editor
from tests.support.ledgers import edit
from tests.support.repository import Repository

LOGIN = "src/auth/login.py"
MORE = "src/auth/more.py"
ONE = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
TWO = ONE.replace("return 2", "return 3")

Open = Callable[..., Editor]


def text(editor: Editor) -> str:
    return (editor.disk(INTENT_MAP) or b"").decode()


def put(editor: Editor, text: str) -> None:
    (editor.root / INTENT_MAP).write_text(text, newline="")


def named(editor: Editor, path: str = LOGIN) -> str:
    (line,) = [line for line in text(editor).splitlines() if line.startswith(f"| `{path}` |")]
    return line.split(" | ")[1]


@pytest.fixture
def saved(editor: Editor) -> Editor:
    """Give an editor that has saved a change of one function, and has not drawn the map."""
    editor.select("INT-001")
    editor.save(LOGIN, ONE)
    editor.save(LOGIN, TWO)
    return editor


@pytest.fixture
def drawn(saved: Editor) -> Editor:
    """Give an editor that has drawn the map of its change."""
    assert saved.governance.intent_map.write()
    return saved


def lose(editor: Editor, path: str = LOGIN) -> None:
    """Let nothing hold what the last record of a file left."""
    (editor.root / path).write_text("gone = 1\n")
    shutil.rmtree(editor.root / LOCAL_ROOM / "snapshots", ignore_errors=True)
    for number in range(MAX_TREES):
        editor.governance.stores.trees.tree(f"{number}.py", content_of(b"x = 1\n"))


def test_a_row_names_what_its_record_touched(drawn: Editor) -> None:
    assert named(drawn) == "`g`"
    drawn.save(LOGIN, "def h():\n    return 4\n\n" + TWO.replace("3", "4"))
    assert drawn.governance.intent_map.write()
    assert named(drawn) == "`h`, `g`"


def test_a_content_that_the_disk_holds_no_more_is_known_from_what_is_kept(saved: Editor) -> None:
    (saved.root / LOGIN).write_text("gone = 1\n")
    assert saved.governance.intent_map.write()
    assert named(saved) == "`g`"


def test_of_many_definitions_some_are_named(editor: Editor) -> None:
    editor.select("INT-001")
    editor.save(MORE, "".join(f"def f{number}(): pass\n" for number in range(20)))
    assert editor.governance.intent_map.write()
    assert named(editor, MORE).endswith("`f7` and 12 more")


@pytest.mark.parametrize("path", ["src/auth/notes.txt", "src/auth/none.py"])
def test_a_file_without_definitions_names_none(editor: Editor, path: str) -> None:
    editor.select("INT-001")
    editor.save(path, "x = 1\n")
    assert editor.governance.intent_map.write()
    assert named(editor, path) == "-"


def test_a_content_that_nobody_has_names_nothing_and_is_not_looked_for_again(
    saved: Editor,
) -> None:
    lose(saved)
    assert saved.governance.intent_map.write()
    assert named(saved) == "-"
    (saved.root / LOGIN).write_text(TWO)
    assert not saved.governance.intent_map.write()
    saved.save(MORE, ONE)
    assert saved.governance.intent_map.write()
    assert named(saved) == "-"
    assert named(saved, MORE) == "`f`, `g`"


def test_two_desks_of_a_root_agree(saved: Editor, open_editor: Open) -> None:
    other = open_editor(saved.root)
    assert saved.governance.intent_map.write()
    for _ in range(2):
        assert not other.governance.intent_map.write()
        assert not saved.governance.intent_map.write()
    other.select("INT-001")
    other.save(MORE, ONE)
    assert saved.governance.intent_map.write()
    lose(saved, MORE)
    assert not other.governance.intent_map.write()
    assert (named(saved), named(saved, MORE)) == ("`g`", "`f`, `g`")


def test_a_later_desk_that_cannot_know_follows_the_file(drawn: Editor, open_editor: Open) -> None:
    lose(drawn)
    assert not open_editor(drawn.root).governance.intent_map.write()
    # It has drawn the map anew with what it took over.
    other = open_editor(drawn.root)
    other.select("INT-001")
    other.save(MORE, ONE)
    assert other.governance.intent_map.write()
    assert named(drawn) == "`g`"


@pytest.mark.parametrize("cell", ["`other`, `f` and 3 more", "-"])
def test_what_another_has_drawn_is_not_drawn_over(
    drawn: Editor, open_editor: Open, cell: str
) -> None:
    put(drawn, text(drawn).replace("`g`", cell))
    for each in (drawn, open_editor(drawn.root)):
        assert not each.governance.intent_map.write()
    assert named(drawn) == cell
    drawn.save(MORE, ONE)
    assert drawn.governance.intent_map.write()
    assert named(drawn) == cell


def test_news_of_which_another_named_nothing_is_looked_for(
    editor: Editor, open_editor: Open
) -> None:
    before = open_editor(editor.root)
    editor.select("INT-001")
    editor.save(LOGIN, ONE)
    editor.save(LOGIN, TWO)
    editor.governance.intent_map.write()
    put(editor, text(editor).replace("`g`", "-"))
    # Of old records it is final.
    assert not open_editor(editor.root).governance.intent_map.write()
    assert before.governance.intent_map.write()
    assert named(editor) == "`g`"
    assert not editor.governance.intent_map.write()


@pytest.mark.parametrize("spoilt", ["<<<<<<< ours\n", "", "| `a` | `b`"])
def test_what_is_no_map_changes_no_row(drawn: Editor, spoilt: str) -> None:
    whole = text(drawn)
    lose(drawn)
    put(drawn, spoilt)
    assert drawn.governance.intent_map.write()
    assert text(drawn) == whole


def test_other_line_ends_lose_no_name(drawn: Editor, open_editor: Open) -> None:
    whole = text(drawn)
    lose(drawn)
    put(drawn, whole.replace("\n", "\r\n"))
    assert open_editor(drawn.root).governance.intent_map.write()
    assert text(drawn) == whole


def test_a_map_too_large_to_be_read_ends_all_names(drawn: Editor, open_editor: Open) -> None:
    put(drawn, text(drawn) + " " * MAX_READ)
    assert drawn.governance.intent_map.write()
    assert named(drawn) == "-"
    assert not open_editor(drawn.root).governance.intent_map.write()


def test_a_ledger_told_anew_leaves_the_names(drawn: Editor) -> None:
    lose(drawn)
    drawn.select("INT-002")
    drawn.save("docs/new.py", ONE)
    ledger = drawn.root / ".orchestration/agent_trace.jsonl"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[1:]))
    drawn.governance.intent_map.write()
    assert named(drawn) == "`g`"
    assert named(drawn, "docs/new.py") == "`f`, `g`"


def test_an_intent_of_another_id_keeps_the_names(drawn: Editor) -> None:
    lose(drawn)
    path = drawn.root / ".orchestration/active_intents.yaml"
    path.write_text(INTENTS.replace("id: INT-001\n", "id: INT-100\n    aliases: [INT-001]\n"))
    assert drawn.governance.intent_map.write()
    assert named(drawn) == "`g`"
    path.write_text(INTENTS.replace("INT-001", "INT-300"))
    assert drawn.governance.intent_map.write()
    assert "INT-001 (INTENT_ARCHIVED)" in text(drawn)
    assert named(drawn) == "`g`"


def clone(editor: Editor, to: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", editor.root, to], check=True)
    assert not (to / LOCAL_ROOM).exists()
    return to


def test_a_clone_keeps_the_names_that_it_was_given(
    drawn: Editor, governed: Repository, open_editor: Open, tmp_path: Path
) -> None:
    whole = text(drawn)
    lose(drawn)
    governed.commit()
    other = open_editor(clone(drawn, tmp_path / "clone"))
    assert not other.governance.intent_map.write()
    assert text(other) == whole


def test_a_clone_without_a_map_knows_what_its_commit_holds(
    saved: Editor, governed: Repository, open_editor: Open, tmp_path: Path
) -> None:
    governed.commit()
    other = open_editor(clone(saved, tmp_path / "clone"))
    assert not other.governance.intent_map.write()
    (other.root / LOGIN).write_text("gone = 1\n")
    other.select("INT-001")
    other.save(MORE, ONE)
    assert other.governance.intent_map.write()
    assert (named(other), named(other, MORE)) == ("`g`", "`f`, `g`")


def put_many(editor: Editor, count: int) -> None:
    """Append one record of many files, all of which are there."""
    data = b"def f(): pass\n"
    range_ = Range(start_line=1, end_line=1, content_hash=hash_content(data[:-1]))
    talk = Conversation(url="s1", contributor=HUMAN, ranges=(range_,))
    paths = [f"many/m{number}.py" for number in range(count)]
    (editor.root / "many").mkdir()
    for path in paths:
        (editor.root / path).write_bytes(data)
    found = tuple(
        RecordFile(
            relative_path=path, pre_hash=None, post_hash=hash_content(data), conversations=(talk,)
        )
        for path in paths
    )
    editor.governance.stores.ledger.append(edit(intent_id="INT-001", files=found))


def test_of_very_many_files_some_are_looked_at_and_no_others_ever(
    drawn: Editor, open_editor: Open
) -> None:
    put_many(drawn, LOOKED_AT + 5)
    assert drawn.governance.intent_map.write()
    assert text(drawn).count(" `f` ") == LOOKED_AT
    # Neither by this governance, nor by one that is opened later.
    for each in (drawn, open_editor(drawn.root)):
        each.select("INT-001")
        each.save(LOGIN, f"def f(): return {id(each)}\n")
        assert each.governance.intent_map.write()
        assert text(drawn).count(" `f` ") == LOOKED_AT + 1


def rows_of(editor: Editor) -> MapRows:
    found = editor.governance.stores.past.touched_files(None)
    assert found is not None
    rows = MapRows(editor.governance.stores)
    rows.follow(found)
    return rows


def test_without_time_the_rest_is_not_looked_at(saved: Editor) -> None:
    put_many(saved, 4)
    rows, asked = rows_of(saved), 0

    def late() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    rows.take_over(b"", Intents())
    rows.look(late)
    found = [row for row in rows.of(["INT-001"]) if row.definitions]
    assert 1 <= len(found) <= 2
    assert rows.look(lambda: False) == set()


def test_a_row_that_is_not_drawn_is_not_looked_at(saved: Editor) -> None:
    saved.select("INT-002", unsaved_file=True)
    saved.governance.stores.ledger.append(
        edit(LOGIN, intent_id="INT-NEW", files=_of(saved.root / LOGIN, ONE))
    )
    rows = rows_of(saved)
    both = Intent(id=IntentId("INT-NEW"), aliases=("INT-001",))
    rows.take_over(b"", Intents((both,)))
    assert rows.look(lambda: False) == {"INT-NEW"}
    (row,) = rows.of(["INT-NEW", "INT-001"])
    assert row.definitions == ("f", "g")
    assert [_.definitions for _ in rows.of(["INT-001"])] == [()]


def _of(path: Path, content: str) -> tuple[RecordFile, ...]:
    path.write_text(content)
    last = len(content.splitlines())
    range_ = Range(start_line=1, end_line=last, content_hash=hash_content(content.encode()))
    talk = Conversation(url="s1", contributor=HUMAN, ranges=(range_,))
    hash_ = hash_content(content.encode())
    return (RecordFile(relative_path=LOGIN, pre_hash=None, post_hash=hash_, conversations=(talk,)),)


def test_a_file_that_is_gone_names_nothing(drawn: Editor) -> None:
    (drawn.root / LOGIN).unlink()
    drawn.governance.stores.ledger.append(edit(files=(_gone(),)))
    assert drawn.governance.intent_map.write()
    assert named(drawn) == "-"


def _gone() -> RecordFile:
    return RecordFile(relative_path=LOGIN, pre_hash=hash_content(TWO.encode()), post_hash=None)
