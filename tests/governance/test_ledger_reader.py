"""Tracing: what happened, and what has become of its intents (requirements section 9)."""

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.store.ledger.index.queries import Query
from tests.governance.editor import INTENTS, Editor


def _saved(editor: Editor, path: str) -> Record:
    record = editor.save(path, "x\n").record
    assert record is not None
    return record


def test_records_are_told_newest_first_and_narrowed(editor: Editor) -> None:
    editor.select("INT-001")
    first = _saved(editor, "src/auth/login.py")
    editor.select("INT-002")
    second = _saved(editor, "docs/guide.md")
    trace = editor.governance.tracing

    def records(query: Query) -> tuple[Record, ...]:
        return trace.page(query, limit=20).records

    assert records(Query()) == (second, first)
    assert records(Query(intent_ids=["INT-001"])) == (first,)
    assert records(Query(intent_ids=["INT-009"])) == ()
    assert records(Query(path=WorkspacePath("docs/guide.md"))) == (second,)
    assert records(Query(session_ids=("nobody",))) == ()
    assert records(Query(since="9999-01-01T00:00:00.000Z")) == ()
    assert records(Query(since=first.timestamp)) == (second, first)
    page = trace.page(Query(), limit=1)
    assert page.records == (second,)
    assert trace.page(Query(), limit=1, cursor=page.cursor).records == (first,)
    assert trace.ledger.index.starting_with(first.id[:8], limit=5) == (first,)
    assert trace.verify().ok


def test_an_earlier_id_is_followed(editor: Editor) -> None:
    editor.select("INT-004")
    record = _saved(editor, "lib/a.py")
    page = editor.governance.tracing.page(Query(intent_ids=["INT-OLD"]), limit=20)
    assert page.records == (record,)


def test_a_ledger_is_asked_without_a_session(editor: Editor) -> None:
    record = _saved(editor, "src/db.py")
    with tracing(editor.root) as trace:
        assert trace.page(Query(), limit=20).records == (record,)


def test_a_record_tells_what_became_of_its_intent(editor: Editor) -> None:
    intents = editor.root / ".orchestration/active_intents.yaml"
    free = _saved(editor, "src/db.py")
    editor.select("INT-001")
    record = _saved(editor, "src/auth/login.py")
    trace = editor.governance.tracing
    assert trace.flags(free) == trace.flags(record) == ()
    intents.write_text(INTENTS.replace("src/auth/**", "src/**"))
    assert trace.flags(record) == ("INTENT_CHANGED",)
    intents.write_text(INTENTS.replace("INT-001", "INT-100"))
    assert trace.flags(record) == ("INTENT_ARCHIVED",)
    assert trace.flags(free) == ()
    # A file that cannot be read says nothing of any intent.
    intents.write_text("active_intents: [\n")
    assert trace.flags(record) == ()
    intents.write_text(INTENTS)
    assert trace.flags(record) == ()
