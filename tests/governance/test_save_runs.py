"""Runs of automatic saves: one record for what was saved while somebody typed.

Specified in requirements section 7.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.file_operations import FileOperation, OperationEnds
from intent_lsp.core.paths import LOCAL_ROOM, POLICY_FILE, WorkspacePath
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.governance.disk.pending_changes import ABANDONED_AFTER
from intent_lsp.governance.ledger.blame import ALL_LINES
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.store.ledger.index.queries import Query
from intent_lsp.store.ledger.ledger import Ledger
from tests.governance.editor import Editor
from tests.governance.watcher import Watcher
from tests.governance.work import Work
from tests.support.repository import Repository

PATH = "src/auth/a.py"
OTHER = "src/auth/b.py"


@pytest.fixture
def typing(editor: Editor) -> Editor:
    """Give an editor that has selected an intent."""
    editor.select("INT-001")
    return editor


def auto(editor: Editor, *texts: str, path: str = PATH) -> AfterSave:
    """Save texts one after the other, as an editor does by itself."""
    saves = [editor.save(path, text, manual=False) for text in texts]
    return saves[-1]


def records(editor: Editor, path: str = PATH) -> Sequence[Record]:
    """Give a file's records, the oldest first."""
    query = Query(path=WorkspacePath(path))
    return editor.governance.stores.ledger.index.query(query, limit=100).records[::-1]


def steps(editor: Editor, path: str = PATH) -> list[tuple[str | None, str | None]]:
    """Give what each record found and left, by the texts of these tests."""
    names: dict[str | None, str | None] = {hash_content(line(n).encode()): n for n in "abcdz"}
    names[None] = None
    return [
        (names.get(file.pre_hash, "?"), names.get(file.post_hash, "?"))
        for record in records(editor, path)
        for file in record.files
    ]


def line(name: str) -> str:
    return f"{name}\n"


def ended(editor: Editor) -> list[Record | None]:
    return [after.record for after in editor.governance.saves.end_runs()]


def test_consecutive_automatic_saves_are_one_record(typing: Editor) -> None:
    after = auto(typing, line("a"), line("b"), line("c"))
    assert (after.record, bool(after.run)) == (None, True)
    assert records(typing) == ()
    (record,) = ended(typing)
    assert record is not None
    assert steps(typing) == [(None, "c")]
    assert records(typing) == (record,)
    assert record.scope_validation is ScopeValidation.PASS
    assert ended(typing) == []


def test_a_manual_save_ends_the_run_and_is_a_record_of_its_own(typing: Editor) -> None:
    auto(typing, line("a"), line("b"))
    after = typing.save(PATH, line("c"))
    assert steps(typing) == [(None, "b"), ("b", "c")]
    assert after.record == records(typing)[-1]
    auto(typing, line("d"))
    # One that changes nothing ends it, too.
    typing.save(PATH, line("d"))
    assert steps(typing)[2:] == [("c", "d")]


def test_another_intent_or_verdict_begins_another_run(typing: Editor) -> None:
    auto(typing, line("a"), line("b"))
    typing.select("INT-002")
    auto(typing, line("c"), line("d"))
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "b"), ("b", "d")]
    verdicts = [record.scope_validation.value for record in records(typing)]
    assert verdicts == ["PASS", "FAIL"]


def test_each_file_has_its_run(typing: Editor) -> None:
    auto(typing, line("a"))
    auto(typing, line("c"), path=OTHER)
    auto(typing, line("b"))
    typing.governance.saves.end_runs([WorkspacePath(OTHER)])
    assert (steps(typing), steps(typing, OTHER)) == ([], [(None, "c")])
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "b")]


def test_what_is_taken_back_within_a_run_has_no_record(typing: Editor) -> None:
    typing.save(PATH, line("a"))
    auto(typing, line("b"), line("a"))
    assert ended(typing) == []
    auto(typing, line("c"))
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "a"), ("a", "c")]


def test_a_run_rests_where_nothing_was_added_since(typing: Editor) -> None:
    first = auto(typing, line("a"))
    second = auto(typing, line("b"))
    assert typing.governance.saves.end_run_at_rest(first) == ()
    (after,) = typing.governance.saves.end_run_at_rest(second)
    assert after.record is not None
    assert typing.governance.saves.end_run_at_rest(second) == ()
    assert steps(typing) == [(None, "b")]


def test_a_team_may_want_a_record_of_each(typing: Editor) -> None:
    auto(typing, line("a"))
    (typing.root / POLICY_FILE).write_text("record_saves: each\n")
    after = auto(typing, line("b"), line("c"))
    assert after.record is not None
    assert steps(typing) == [(None, "a"), ("a", "b"), ("b", "c")]


def test_the_end_of_a_server_ends_its_runs(typing: Editor) -> None:
    auto(typing, line("a"))
    typing.close()
    again = Editor.open(typing.root)
    assert steps(again) == [(None, "a")]
    again.close()


def test_what_a_killed_server_left_open_is_recorded_by_the_next(typing: Editor) -> None:
    auto(typing, line("a"), line("b"))
    # Nothing of it is closed.
    other = Editor.open(typing.root)
    assert steps(other) == [(None, "b")]
    other.close()
    # The first one lives after all, and goes on.
    auto(typing, line("c"), line("d"))
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "b"), ("b", "d")]


def test_whatever_else_becomes_of_the_file_comes_after_its_run(typing: Editor) -> None:
    auto(typing, line("a"))
    work = Work(typing, Repository(typing.root))
    work.agent("builder", "INT-001")
    ticket = work.begins("builder", PATH, line("b"))
    (typing.root / PATH).write_text(line("b"))
    work.ends(ticket)
    assert steps(typing) == [(None, "a"), ("a", "b")]
    assert [record.tool_name for record in records(typing)] == ["editor/save", "Write"]


def test_a_comparison_ends_every_run(typing: Editor) -> None:
    auto(typing, line("a"))
    work = Work(typing, Repository(typing.root))
    work.agent("builder", "INT-001")
    ticket = work.begins("builder")
    assert steps(typing) == [(None, "a")]
    auto(typing, line("b"))
    (typing.root / OTHER).write_text(line("c"))
    work.ends(ticket)
    # What the editor saved meanwhile is not the command's.
    assert [record.tool_name for record in records(typing)] == ["editor/save"] * 2
    assert [record.tool_name for record in records(typing, OTHER)] == ["Bash"]


def test_what_is_taken_back_after_somebody_ended_the_run_is_recorded(typing: Editor) -> None:
    typing.save(PATH, line("a"))
    auto(typing, line("b"))
    typing.governance.stores.ledger.end_runs()
    auto(typing, line("a"))
    (before, after) = ended(typing)
    assert steps(typing) == [(None, "a"), ("a", "b"), ("b", "a")]
    assert [before, after] == list(records(typing)[1:])


@pytest.mark.parametrize("next_text", ["c", "a", None])
def test_a_run_whose_file_is_gone_is_recorded_as_its_server_knows_it(
    typing: Editor, next_text: str | None
) -> None:
    typing.save(PATH, line("a"))
    auto(typing, line("b"))
    for file in (typing.root / LOCAL_ROOM / "runs").iterdir():
        file.unlink()
    if next_text is not None:
        auto(typing, line(next_text))
    assert None not in ended(typing)
    follows = [] if next_text is None else [("b", next_text)]
    assert steps(typing) == [(None, "a"), ("a", "b"), *follows]


def test_a_run_that_another_process_has_queued_is_recorded_by_whoever_ends_runs(
    typing: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> int:
        raise LedgerUnavailableError(path="x", problem="killed", cure="")

    auto(typing, line("a"))
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "drain", die)
        typing.governance.stores.end_runs()
    assert steps(typing) == []
    typing.governance.stores.end_runs()
    assert steps(typing) == [(None, "a")]


def test_a_save_is_not_told_again_by_a_command_that_goes_on(typing: Editor) -> None:
    work = Work(typing, Repository(typing.root))
    work.agent("builder", "INT-002")
    work.begins("builder")
    auto(typing, line("a"))
    # The next call compares what the open one has changed so far.
    work.begins("builder")
    assert [record.tool_name for record in records(typing)] == ["editor/save"]


def test_a_deletion_comes_after_what_was_saved(typing: Editor) -> None:
    auto(typing, line("a"), line("b"))
    (typing.root / PATH).unlink()
    operation = FileOperation.DELETE
    typing.governance.file_operations.after(
        typing.session, operation, [OperationEnds(WorkspacePath(PATH), None)]
    )
    assert steps(typing) == [(None, "b"), ("b", None)]


def test_a_look_leaves_a_run_to_the_save_that_goes_on_with_it(typing: Editor) -> None:
    watcher = Watcher(typing.governance, typing.session)
    auto(typing, line("a"))
    before = typing.will_save(PATH, line("b"), manual=False)
    (typing.root / PATH).write_text(line("b"))
    watcher.changes.look()
    watcher.changes.record(typing.session, [WorkspacePath(PATH)])
    typing.did_save(PATH, before.disk, automatic=True)
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "b")]


def test_a_look_at_the_disk_waits_for_an_open_run(typing: Editor) -> None:
    watcher = Watcher(typing.governance, typing.session)
    auto(typing, line("a"))
    news = watcher.news()
    assert (news.recorded, news.waiting) == ((), True)
    typing.governance.saves.end_runs()
    assert watcher.recorded() == []
    assert steps(typing) == [(None, "a")]


def test_a_look_that_is_older_than_the_last_save_ends_no_run(typing: Editor) -> None:
    changes, nobody = typing.governance.disk_changes, frozenset[WorkspacePath]()
    changes.look()
    auto(typing, line("a"))
    changes.look()
    auto(typing, line("b"))
    # What was seen is not what the run has left: it was seen before that.
    assert changes.record(typing.session, nobody).recorded == ()
    auto(typing, line("c"))
    assert records(typing) == ()
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "c")]


def test_somebody_elses_change_ends_the_run(typing: Editor) -> None:
    watcher = Watcher(typing.governance, typing.session)
    auto(typing, line("a"))
    watcher.news()
    (typing.root / PATH).write_text(line("z"))
    watcher.recorded()
    assert steps(typing) == [(None, "a"), ("a", "z")]
    assert [record.is_assumed for record in records(typing)] == [False, True]


def test_a_run_of_a_server_long_gone_is_ended_by_whoever_looks(typing: Editor) -> None:
    watcher = Watcher(typing.governance, typing.session)
    auto(typing, line("a"))
    assert watcher.recorded() == []
    watcher.at = datetime.now(UTC) + ABANDONED_AFTER * 2
    assert watcher.recorded() == []
    assert steps(typing) == [(None, "a")]


def test_a_run_that_cannot_be_kept_is_a_record_at_once(
    typing: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise LedgerUnavailableError(path="x", problem="no room", cure="")

    auto(typing, line("a"))
    monkeypatch.setattr(Ledger, "put_run", fail)
    after = auto(typing, line("b"))
    assert after.record is not None
    assert steps(typing) == [(None, "a"), ("a", "b")]


def test_a_run_waits_for_a_ledger_that_cannot_be_written(
    typing: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise LedgerUnavailableError(path="x", problem="no room", cure="")

    auto(typing, line("a"))
    drain = Ledger.drain
    monkeypatch.setattr(Ledger, "drain", fail)
    (after,) = typing.governance.saves.end_runs()
    assert (after.record, after.queued) == (None, "x: no room")
    monkeypatch.setattr(Ledger, "drain", drain)
    typing.save(OTHER, line("b"))
    assert steps(typing) == [(None, "a")]


def test_a_damaged_run_is_passed_over(typing: Editor) -> None:
    auto(typing, line("a"))
    (kept,) = (typing.root / LOCAL_ROOM / "runs").glob("*.json")
    kept.write_bytes(b"{")
    typing.save(OTHER, line("b"))
    assert steps(typing, OTHER) == [(None, "b")]
    typing.governance.saves.end_runs()
    assert steps(typing) == [(None, "a")]


def test_lines_of_an_open_run_are_nobodys_until_it_ends(typing: Editor) -> None:
    auto(typing, line("a"))
    blamed = typing.governance.blaming.blame(WorkspacePath(PATH))
    assert blamed is not None
    assert [run.record for run in blamed.runs(*ALL_LINES)] == [None]
    typing.governance.saves.end_runs()
    blamed = typing.governance.blaming.blame(WorkspacePath(PATH))
    assert blamed is not None
    assert [run.record for run in blamed.runs(*ALL_LINES)] == list(records(typing))
    assert not list(Path(typing.root / LOCAL_ROOM / "runs").iterdir())
