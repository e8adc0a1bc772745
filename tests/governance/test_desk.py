"""The desk: how a root stands, who owns a path, what was recorded (protocol section 2)."""

from intent_lsp import __version__
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.desk import TraceQuestion
from intent_lsp.governance.rules import FileState
from tests.governance.editor import INTENTS, Editor


def test_a_root_tells_how_it_stands(editor: Editor) -> None:
    status = editor.desk.status(editor.session.id)
    assert status.root == str(editor.root)
    assert (status.enabled, status.file_state, status.reason) == (True, FileState.OK, None)
    assert (status.session_id, status.active_intent_id) == (editor.session.id, None)
    assert (status.stage, status.turn, status.enforcement) == ("checkout_required", 1, "warn")
    assert (status.records, status.heads, status.version) == (0, (), __version__)
    editor.select("INT-001")
    record = editor.save("src/db.py", "x\n").record
    assert record is not None
    status = editor.desk.status(editor.session.id)
    assert (status.active_intent_id, status.stage) == ("INT-001", "execution_authorized")
    assert (status.records, status.heads) == (1, (record.integrity.record_hash,))


def test_a_broken_root_tells_why(editor: Editor) -> None:
    (editor.root / ".orchestration/active_intents.yaml").unlink()
    status = editor.desk.status("nobody")
    assert (status.enabled, status.file_state) == (False, FileState.MISSING)
    assert status.reason == ".orchestration/active_intents.yaml is gone"
    assert (status.active_intent_id, status.stage, status.turn) == (None, "checkout_required", 1)
    assert editor.desk.owners(WorkspacePath("src/auth/a.py")) == ()


def test_whoever_owns_a_path_is_told(editor: Editor) -> None:
    owners = editor.desk.owners(WorkspacePath("old/a.py"))
    assert [owner.intent_id for owner in owners] == ["INT-003"]
    assert editor.desk.owners(WorkspacePath("src/db.py")) == ()


def test_intents_to_choose_from_are_open_and_the_last_used_first(editor: Editor) -> None:
    (editor.root / ".intentignore").write_text("INT-002\n")
    assert [intent.id for intent in editor.desk.open_intents()] == ["INT-001", "INT-004"]
    editor.select("INT-004")
    assert [intent.id for intent in editor.desk.open_intents()] == ["INT-004", "INT-001"]


def test_records_are_told_newest_first_and_narrowed(editor: Editor) -> None:
    editor.select("INT-001")
    first = editor.save("src/auth/login.py", "x\n").record
    editor.select("INT-002")
    second = editor.save("docs/guide.md", "x\n").record
    assert first is not None
    assert second is not None
    desk = editor.desk
    assert desk.trace(TraceQuestion()).records == (second, first)
    assert desk.trace(TraceQuestion(intent_id="INT-001")).records == (first,)
    assert desk.trace(TraceQuestion(path=WorkspacePath("docs/guide.md"))).records == (second,)
    assert desk.trace(TraceQuestion(session_id="nobody")).records == ()
    assert desk.trace(TraceQuestion(since="9999-01-01T00:00:00.000Z")).records == ()
    now = timestamp(desk.stores.clock())
    assert desk.trace(TraceQuestion(since=now[:4])).records == (second, first)
    page = desk.trace(TraceQuestion(limit=1))
    assert page.records == (second,)
    assert desk.trace(TraceQuestion(limit=1, cursor=page.cursor)).records == (first,)


def test_a_record_tells_what_became_of_its_intent(editor: Editor) -> None:
    intents = editor.root / ".orchestration/active_intents.yaml"
    free = editor.save("src/db.py", "x\n").record
    editor.select("INT-001")
    record = editor.save("src/auth/login.py", "x\n").record
    assert free is not None
    assert record is not None
    desk = editor.desk
    assert desk.flags(free) == desk.flags(record) == ()
    intents.write_text(
        INTENTS.replace("INT-001", "INT-100").replace("name: Auth", "aliases: [INT-001]")
    )
    assert desk.flags(record) == ("INTENT_CHANGED",)
    intents.write_text(INTENTS.replace("src/auth/**", "src/**"))
    assert desk.flags(record) == ("INTENT_CHANGED",)
    intents.write_text(INTENTS.replace("INT-001", "INT-100"))
    assert desk.flags(record) == ("INTENT_ARCHIVED",)
    assert desk.flags(free) == ()
    intents.write_text(INTENTS)
    assert desk.flags(record) == ()
