"""Commands of which no host tells the end, and what they leave running."""

import pytest

from intent_lsp.core.background import goes_on
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.core.tools import ToolCall
from intent_lsp.core.tree_snapshot import TreeSnapshot
from intent_lsp.governance.admission import Admission
from intent_lsp.governance.disk.tree_looks import TreeLooks
from intent_lsp.governance.recording import Outcome
from tests.governance.work import BASH, Work, paths

LOGIN, DB, GUIDE = "src/auth/login.py", "src/db.py", "docs/guide.md"


def asks(work: Work, name: str = "builder", command: str = BASH) -> Admission:
    return work.desk.calls.admit(name, "", ToolCall(tool_name="Bash", command=command))


def files(outcomes: tuple[Outcome, ...]) -> list[list[str]]:
    return [paths(record) for each in outcomes for record in (each.record, *each.beside)]


@pytest.fixture
def work(work: Work) -> Work:
    work.agent("builder", "INT-001")
    return work


def test_what_a_command_changed_is_recorded_when_its_session_makes_its_next_call(
    work: Work,
) -> None:
    work.begins("builder")
    work.root.write(LOGIN, "by the first\n")
    work.root.write(DB, "by the first\n")
    second = asks(work)
    assert files(second.before) == [[DB], [LOGIN]]
    (first,) = second.before
    assert first.violating == (DB,)
    record = first.record
    assert record is not None
    assert (record.session_id, record.tool_name, record.assumed) == ("builder", "Bash", False)
    # What comes now is the second command's.
    assert second.ticket is not None
    work.root.write(LOGIN, "by the second\n")
    assert paths(work.ends(second.ticket.id).record) == [LOGIN]
    assert work.noticed() == []


def test_a_command_that_is_still_under_way_goes_on_from_what_was_recorded(work: Work) -> None:
    first = work.begins("builder")
    work.root.write(LOGIN, "once\n")
    other = asks(work)
    assert files(other.before) == [[LOGIN]]
    work.root.write(LOGIN, "once\ntwice\n")
    assert other.ticket is not None
    work.ends(other.ticket.id)
    newest = work.desk.stores.ledger.index.newest_for_path(LOGIN)
    assert newest is not None
    assert _replaced(newest) == [(2, 0, 1)]
    assert work.ends(first).recorded.files == ()
    assert work.noticed() == []


def _replaced(record: Record) -> list[tuple[int, int, int] | None]:
    return [run.replaced for file in record.files for run in file.conversations[0].ranges]


def test_where_nothing_changed_nothing_is_recorded_and_the_end_is_as_ever(work: Work) -> None:
    first = work.begins("builder")
    assert asks(work).before == ()
    work.root.write(LOGIN, "late\n")
    outcome = work.ends(first)
    assert outcome.recorded.files


def test_another_session_ends_nothing(work: Work) -> None:
    work.agent("other", "INT-002")
    work.begins("builder")
    work.root.write(LOGIN, "by the first\n")
    assert asks(work, "other").before == ()


def test_a_turn_that_begins_ends_what_was_open(work: Work) -> None:
    ticket = work.begins("builder")
    work.root.write(LOGIN, "in the first turn\n")
    row, ended = work.desk.begin_turn("builder", "")
    assert row.turn == 2
    assert files(ended) == [[LOGIN]]
    # Whoever tells of its end later is given what there was.
    work.root.write(LOGIN, "in the second turn\n")
    again = work.ends(ticket)
    assert (again.again, again.recorded.record_id) == (True, ended[0].recorded.record_id)
    assert work.desk.begin_turn("builder", "")[1] == ()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("npm run dev &", True),
        ("(sleep 1; make) & echo started", True),
        ("nohup ./serve.sh > log 2>&1", True),
        ("setsid -f make", True),
        ("make && make test 2>&1 | tee log", False),
        ("make &> log", False),
        ("make |& tee log", False),
    ],
)
def test_a_command_says_whether_it_leaves_something_running(command: str, *, told: bool) -> None:
    assert goes_on(command) is told


def test_what_a_command_left_running_is_looked_for_once_more_and_assumed(work: Work) -> None:
    ticket = work.begins("builder", command=f"{BASH} &")
    work.root.write(LOGIN, "at once\n")
    assert paths(work.ends(ticket).record) == [LOGIN]
    work.root.write(DB, "later\n")
    work.root.write(LOGIN, "later\n")
    _, ended = work.desk.begin_turn("builder", "")
    assert files(ended) == [[DB], [LOGIN]]
    record = ended[0].record
    assert record is not None
    assert (record.assumed, record.scope_validation) == (True, ScopeValidation.FAIL)
    # Once, and no more.
    work.root.write(DB, "by somebody else\n")
    assert work.desk.begin_turn("builder", "")[1] == ()


def test_a_watcher_need_not_wait_for_what_was_left_running(work: Work) -> None:
    ticket = work.begins("builder", command=f"{BASH} &")
    work.ends(ticket)
    work.root.write(LOGIN, "later\n")
    (record,) = work.noticed()
    assert (paths(record), record.session_id, record.assumed) == ([LOGIN], "builder", True)
    assert work.desk.begin_turn("builder", "")[1] == ()


def test_what_was_left_running_takes_nothing_from_other_commands(work: Work) -> None:
    work.ends(work.begins("builder", command=f"{BASH} &"))
    ticket = work.begins("builder")
    work.root.write(LOGIN, "by the second\n")
    work.root.write(DB, "by the second\n")
    outcome = work.ends(ticket)
    assert outcome.violating == (DB,)
    record = outcome.record
    assert record is not None
    assert (record.assumed, record.concurrent_modification) == (False, False)


def test_the_host_may_say_that_a_command_goes_on(work: Work) -> None:
    call = ToolCall(tool_name="Bash", command=BASH, background=True)
    asked = work.desk.calls.admit("builder", "", call)
    assert asked.ticket is not None
    work.ends(asked.ticket.id)
    work.root.write(LOGIN, "later\n")
    assert files(work.desk.begin_turn("builder", "")[1]) == [[LOGIN]]


def test_equal_trees_are_kept_once_and_not_longer_than_needed(work: Work) -> None:
    state = work.desk.stores.state
    assert state is not None
    tickets = [work.begins("builder") for _ in range(3)]
    assert len({id(each.tree) for each in state.tickets.commands.of("builder", "")}) == 1
    for ticket in tickets:
        work.ends(ticket)
    assert state.tickets.commands.of("builder", "") == ()
    assert state._rows("SELECT count(*) FROM tree") == [(0,)]  # noqa: SLF001 - nothing else tells


def test_a_host_that_never_tells_of_an_end_costs_one_look_a_call(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        asks(work)
    work.root.write(LOGIN, "by one of them\n")
    assert files(asks(work).before) == [[LOGIN]]
    looked = []
    real = TreeLooks.look

    def look(self: TreeLooks, *, soon: bool = False) -> TreeSnapshot | None:
        looked.append(soon)
        return real(self, soon=soon)

    monkeypatch.setattr(TreeLooks, "look", look)
    assert asks(work).before == ()
    # One for those that are open, and one for the new one.
    assert len(looked) == 2


def test_what_a_command_did_to_gits_own_files_is_told_once(work: Work) -> None:
    ticket = work.begins("builder")
    (work.root.root / ".git/hooks/pre-commit").write_text("exit 0\n")
    assert [files(asks(work).before) for _ in range(2)] == [[], []]
    assert work.ends(ticket).violating == (".git/hooks/pre-commit",)


def test_of_two_commands_the_first_tells_what_was_done_to_gits_own_files(work: Work) -> None:
    work.agent("other", "INT-002")
    first, second = work.begins("builder"), work.begins("other")
    (work.root.root / ".git/hooks/pre-commit").write_text("exit 0\n")
    assert work.ends(second).violating == (".git/hooks/pre-commit",)
    assert work.ends(first).violating == ()
