"""File snapshots: what a file's diagnostics are computed from (requirements section 8)."""

from collections.abc import Callable

import pytest

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ABSENT, content_of, hash_content
from intent_lsp.core.control_plane import FileClass
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.governance.contents.contents import KEPT_AT_MOST
from intent_lsp.governance.judging.file_snapshot import OpenFileState
from tests.governance.editor import INTENTS, Editor
from tests.support.repository import Repository

Open = Callable[..., Editor]
SEGMENT = ".orchestration/trace/2026-11-21-0123456789ab.jsonl"


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _code(look: OpenFileState) -> GateCode | None:
    return None if look.judgement.denied is None else look.judgement.denied.code


def test_a_file_in_scope_shows_nothing(editor: Editor) -> None:
    editor.select("INT-001")
    look = editor.look("src/auth/login.py")
    assert not look.shown
    assert look.judgement.denied is None


def test_a_file_out_of_scope_is_held_against_head_and_the_baseline(
    governed: Repository, open_editor: Open
) -> None:
    governed.write("src/db.py", "alpha\nunfinished\n")
    editor = open_editor(governed.root)
    editor.select("INT-001")
    look = editor.look("src/db.py")
    assert look.shown
    assert _code(look) is GateCode.SCOPE_VIOLATION
    assert look.head.committed
    assert look.head.lines == _lines("alpha\nbeta\ngamma\n")
    assert look.baseline is not None
    assert look.baseline.lines == look.disk.lines == _lines("alpha\nunfinished\n")
    assert look.disk.data == b"alpha\nunfinished\n"
    assert look.passed is None
    assert look.refused is None


def test_without_an_intent_changes_are_shown_too(editor: Editor) -> None:
    assert _code(editor.look("src/auth/login.py")) is GateCode.NO_ACTIVE_INTENT


def fine(editor: Editor, path: str) -> bool:
    return editor.governance.looks.is_fine(editor.session, editor.place(path))


def test_a_file_in_scope_is_fine_whatever_it_holds(editor: Editor) -> None:
    editor.select("INT-001")
    assert fine(editor, "src/auth/login.py")
    assert fine(editor, "src/auth/not_there.py")


def test_a_file_out_of_scope_is_fine_as_it_was_let_pass_and_not_otherwise(
    governed: Repository, open_editor: Open
) -> None:
    writer = open_editor(governed.root)
    assert not fine(writer, "src/auth/login.py")
    writer.select("INT-001")
    writer.save("src/auth/login.py", "let pass\n")
    watcher = open_editor(governed.root)
    assert _code(watcher.look("src/auth/login.py")) is GateCode.NO_ACTIVE_INTENT
    assert fine(watcher, "src/auth/login.py")
    governed.write("src/auth/login.py", "by somebody\n")
    assert not fine(watcher, "src/auth/login.py")


def test_a_refused_content_is_not_fine_although_another_was_let_pass(
    governed: Repository, open_editor: Open
) -> None:
    editor = open_editor(governed.root)
    editor.select("INT-001")
    editor.save("src/auth/login.py", "let pass\n")
    editor.select("INT-002")
    editor.save("src/auth/login.py", "refused\n")
    assert not fine(editor, "src/auth/login.py")
    # Put back as it was, it is nobody's change.
    editor.save("src/auth/login.py", "let pass\n")
    assert fine(editor, "src/auth/login.py")


def test_where_the_team_only_observes_nothing_is_shown(editor: Editor) -> None:
    editor.policy("  enforcement: observe\n")
    assert not editor.look("src/db.py").shown


def test_while_governance_is_off_nothing_is_shown(editor: Editor) -> None:
    (editor.root / ".orchestration/active_intents.yaml").write_text("active_intents: [\n")
    assert not editor.look("src/db.py").shown
    assert not editor.look(".orchestration/intent_map.md").shown


def test_the_servers_own_files_are_shown(editor: Editor) -> None:
    look = editor.look(".orchestration/intent_map.md")
    assert look.shown
    assert look.server_only
    assert look.judgement.standing is FileClass.SERVER_ONLY


def test_only_a_text_that_is_edited_can_be_stale(editor: Editor) -> None:
    editor.select("INT-001")
    path = "src/auth/login.py"
    editor.show(path)
    (editor.root / path).write_text("someone else\n")
    assert not editor.look(path).stale
    look = editor.look(path, "mine\n")
    assert look.stale
    assert look.shown


def test_selecting_again_keeps_the_baseline_and_another_intent_moves_it(editor: Editor) -> None:
    def baseline() -> list[str] | None:
        look = editor.look("src/db.py")
        return None if look.baseline is None else look.baseline.lines

    editor.select("INT-001")
    assert baseline() == _lines("alpha\nbeta\ngamma\n")
    (editor.root / "src/db.py").write_text("changed\n")
    editor.select("INT-001")
    assert baseline() == _lines("alpha\nbeta\ngamma\n")
    editor.select("INT-004")
    assert baseline() == ["changed\n"]
    # By an earlier id it is the same intent.
    (editor.root / "src/db.py").write_text("changed again\n")
    editor.select("INT-OLD")
    assert baseline() == ["changed\n"]


def test_a_file_that_was_absent_is_absent_in_the_baseline(editor: Editor) -> None:
    (editor.root / "src/new.py").write_text("x\n")
    look = editor.look("src/new.py")
    assert look.baseline == ABSENT
    assert look.head.hash is None


def test_a_file_deleted_before_the_session_is_absent_in_the_baseline(
    governed: Repository, open_editor: Open
) -> None:
    (governed.root / "src/db.py").unlink()
    editor = open_editor(governed.root)
    (governed.root / "src/db.py").write_text("back\n")
    assert editor.look("src/db.py").baseline == ABSENT


def test_a_large_file_of_the_baseline_is_known_by_its_hash(
    governed: Repository, open_editor: Open
) -> None:
    large = "x" * KEPT_AT_MOST + "\n"
    governed.write("src/db.py", large)
    editor = open_editor(governed.root)
    look = editor.look("src/db.py")
    assert look.baseline == look.disk
    (governed.root / "src/db.py").write_text("small\n")
    baseline = editor.look("src/db.py").baseline
    assert baseline is not None
    assert baseline.hash == hash_content(large.encode())
    assert baseline.lines is None


def test_the_ledger_is_part_of_no_baseline(governed: Repository, open_editor: Open) -> None:
    texts = {name: f"{name}\n" for name in (LEDGER_FILE, SEGMENT, "src/db.py")}
    for name, text in texts.items():
        governed.write(name, text)
    snapshots = open_editor(governed.root).governance.stores.snapshots
    kept = {name: snapshots.get(hash_content(text.encode())) for name, text in texts.items()}
    assert kept == {LEDGER_FILE: None, SEGMENT: None, "src/db.py": b"src/db.py\n"}


def test_what_a_passing_record_left_is_held_against_the_text(editor: Editor) -> None:
    editor.select("INT-002")
    editor.save("docs/guide.md", "# Passed\n")
    editor.select("INT-001")
    look = editor.look("docs/guide.md")
    assert look.shown
    assert look.passed is not None
    assert look.passed.lines == ["# Passed\n"]


def test_what_was_saved_while_governance_was_off_is_excused(editor: Editor) -> None:
    editor.select("INT-001")
    intents = editor.root / ".orchestration/active_intents.yaml"
    intents.write_text("active_intents: [\n")
    editor.save("src/db.py", "free\n")
    intents.write_text(INTENTS)
    look = editor.look("src/db.py")
    assert look.shown
    assert look.passed is not None
    assert look.passed.lines == ["free\n"]


def test_a_refusal_stands_after_a_restart_under_the_same_intent(
    governed: Repository, open_editor: Open
) -> None:
    first = open_editor(governed.root)
    first.select("INT-001")
    record = first.save("src/db.py", "bad\n").record
    first.close()
    second = open_editor(governed.root)
    assert second.session.continued == "INT-001"
    look = second.look("src/db.py")
    assert look.refused == record
    assert look.baseline == look.disk
    second.select("INT-004")
    assert second.look("src/db.py").refused is None


@pytest.mark.parametrize("how", ["changed", "put back", "passed"])
def test_a_refusal_stands_no_more_once_the_file_moves_on(editor: Editor, how: str) -> None:
    editor.select("INT-001")
    editor.save("src/db.py", "bad\n")
    assert editor.look("src/db.py").refused is not None
    match how:
        case "changed":
            (editor.root / "src/db.py").write_text("other\n")
        case "put back":
            editor.save("src/db.py", "alpha\nbeta\ngamma\n")
        case "passed":
            intents = editor.root / ".orchestration/active_intents.yaml"
            intents.write_text(INTENTS.replace('"src/auth/**"', '"src/**"'))
            editor.save("src/db.py", "good\n")
            intents.write_text(INTENTS)
    assert editor.look("src/db.py").refused is None


def test_a_refusal_without_an_intent_stands_without_one(editor: Editor) -> None:
    record = editor.save("src/db.py", "bad\n").record
    assert editor.look("src/db.py").refused == record
    editor.select("INT-001")
    assert editor.look("src/db.py").refused is None


def test_a_refusal_under_an_earlier_id_stands(editor: Editor) -> None:
    intents = editor.root / ".orchestration/active_intents.yaml"
    intents.write_text(INTENTS.replace(", aliases: [INT-OLD]", "").replace("INT-004", "INT-OLD"))
    editor.select("INT-OLD")
    record = editor.save("src/db.py", "bad\n").record
    intents.write_text(INTENTS)
    assert editor.look("src/db.py").refused == record


def _uncommitted(root: Repository, kind: str) -> Repository:
    """Give a governed root without a commit to hold files against."""
    if kind == "no git":
        (root.root / ".git").rename(root.root.parent / "not-git")
    root.write(".orchestration/active_intents.yaml", INTENTS)
    root.write("src/db.py", "first\n")
    return root


@pytest.mark.parametrize("kind", ["no git", "unborn"])
def test_without_a_commit_a_file_is_held_against_its_first_sight(
    repository: Repository, open_editor: Open, kind: str
) -> None:
    editor = open_editor(_uncommitted(repository, kind).root)
    editor.select("INT-001")
    editor.show("src/db.py")
    (editor.root / "src/db.py").write_text("second\n")
    look = editor.look("src/db.py")
    assert look.shown
    assert not look.head.committed
    assert look.head.lines == ["first\n"]
    assert look.baseline == look.head
    # A different intent takes what is there now.
    editor.select("INT-002")
    look = editor.look("src/db.py")
    assert look.head.lines == ["first\n"]
    assert look.baseline is not None
    assert look.baseline.lines == ["second\n"]


def test_a_first_commit_moves_head_and_leaves_the_baseline(
    repository: Repository, open_editor: Open
) -> None:
    editor = open_editor(_uncommitted(repository, "unborn").root)
    editor.select("INT-001")
    editor.show("src/db.py")
    repository.git("add", ".orchestration/active_intents.yaml")
    repository.git("commit", "--quiet", "--message", "first")
    look = editor.look("src/db.py")
    assert look.head.committed
    assert look.head.hash is None
    # What stood there before the session is none of its changes.
    assert look.baseline is not None
    assert look.baseline.lines == ["first\n"]
    repository.write("src/later.py", "x\n")
    later = editor.look("src/later.py")
    assert later.baseline == ABSENT


def test_without_a_place_to_remember_nothing_is_new_on_opening(
    governed: Repository, open_editor: Open
) -> None:
    (governed.root / ".orchestration/.local").write_text("in the way\n")
    governed.write("src/db.py", "unfinished\n")
    editor = open_editor(governed.root)
    editor.show("src/db.py")
    look = editor.look("src/db.py")
    assert look.head.committed
    assert look.baseline == look.disk


def test_a_file_nobody_opened_has_heads_content_where_nothing_is_remembered(
    governed: Repository, open_editor: Open
) -> None:
    (governed.root / ".orchestration/.local").write_text("in the way\n")
    editor = open_editor(governed.root)
    baseline = editor.governance.contents.baseline(
        editor.session.id, editor.place("src/db.py").path
    )
    assert baseline.lines == _lines("alpha\nbeta\ngamma\n")


def test_a_content_is_its_hash_and_its_lines() -> None:
    assert content_of(None) == ABSENT
    assert content_of(b"a\r\nb").lines == ["a\r\n", "b"]
    assert content_of(b"\xff").lines is None
    assert content_of(b"\xff").hash == hash_content(b"\xff")
    assert content_of(b"").lines == []
    assert content_of(b"") != ABSENT


def test_a_link_that_led_out_of_the_root_before_the_session_began_is_part_of_the_baseline(
    governed: Repository, open_editor: Open
) -> None:
    outside = governed.root.parent / "outside.txt"
    outside.write_text("outside\n")
    (governed.root / "out.txt").symlink_to(outside)
    look = open_editor(governed.root).look("out.txt")
    assert _code(look) is GateCode.OUTSIDE_WORKSPACE
    assert look.baseline == content_of(b"outside\n")
