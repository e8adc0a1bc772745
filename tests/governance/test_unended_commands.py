"""Commands whose end no host reports, and what they leave running."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import GOOD_FOR, TreeSnapshot
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.governance.calls.admission import CallDecision, Outcome, goes_on
from intent_lsp.governance.disk.tree_snapshots import TreeLooks
from intent_lsp.governance.disk.work_tree import WorkTree
from tests.governance.editor import Editor
from tests.governance.work import BASH, Work, paths

LOGIN, DB, GUIDE = "src/auth/login.py", "src/db.py", "docs/guide.md"


def asks(work: Work, name: str = "builder", command: str = BASH) -> CallDecision:
    return work.governance.calls.admit(name, "", ToolCall(tool_name="Bash", command=command))


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
    newest = work.governance.stores.ledger.index.newest_for_path(LOGIN)
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
    row, ended = work.governance.begin_turn("builder", "")
    assert row.turn == 2
    assert files(ended) == [[LOGIN]]
    # Whoever tells of its end later is given what there was.
    work.root.write(LOGIN, "in the second turn\n")
    again = work.ends(ticket)
    assert (again.again, again.recorded.record_id) == (True, ended[0].recorded.record_id)
    assert work.governance.begin_turn("builder", "")[1] == ()


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
        ("bash -c 'serve & sleep 1'", True),
        ("cd web && nohup npm start", True),
        ("sed 's/x/[&]/' a", False),
        ("curl 'http://localhost/?a=1&b=2'", False),
        ('git commit -m "R&D"', False),
        ("grep -rn nohup docs", False),
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
    _, ended = work.governance.begin_turn("builder", "")
    assert files(ended) == [[DB], [LOGIN]]
    record = ended[0].record
    assert record is not None
    assert (record.assumed, record.scope_validation) == (True, ScopeValidation.FAIL)
    # Once, and no more.
    work.root.write(DB, "by somebody else\n")
    assert work.governance.begin_turn("builder", "")[1] == ()


def test_a_watcher_need_not_wait_for_what_was_left_running(work: Work) -> None:
    ticket = work.begins("builder", command=f"{BASH} &")
    work.ends(ticket)
    work.root.write(LOGIN, "later\n")
    (record,) = work.noticed()
    assert (paths(record), record.session_id, record.assumed) == ([LOGIN], "builder", True)
    assert work.governance.begin_turn("builder", "")[1] == ()


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
    asked = work.governance.calls.admit("builder", "", call)
    assert asked.ticket is not None
    work.ends(asked.ticket.id)
    work.root.write(LOGIN, "later\n")
    assert files(work.governance.begin_turn("builder", "")[1]) == [[LOGIN]]


def test_equal_trees_are_kept_once_and_not_longer_than_needed(work: Work) -> None:
    state = work.governance.stores.state
    assert state is not None
    tickets = [work.begins("builder") for _ in range(3)]
    assert (
        len(
            {
                id(each.tree)
                for each in state.tickets.commands.of("builder", "", work.governance.stores.clock())
            }
        )
        == 1
    )
    for ticket in tickets:
        work.ends(ticket)
    assert state.tickets.commands.of("builder", "", work.governance.stores.clock()) == ()
    with closing(sqlite3.connect(state.path)) as kept:
        assert kept.execute("SELECT count(*) FROM tree").fetchall() == [(0,)]


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


def test_one_whose_end_is_never_told_hides_no_violation_of_the_next(work: Work) -> None:
    work.begins("builder")
    second = asks(work)
    # Its session has gone on once more: the first has very likely ended.
    third = asks(work)
    assert second.ticket is not None
    assert third.ticket is not None
    work.ends(second.ticket.id)
    work.root.write(DB, "out of bounds\n")
    outcome = work.ends(third.ticket.id)
    assert outcome.violating == (DB,)
    assert outcome.record is not None
    assert (outcome.record.assumed, outcome.record.concurrent_modification) == (False, False)


def test_what_changes_long_after_it_is_only_assumed_to_be_its(work: Work) -> None:
    work.begins("builder")
    work.root.write(LOGIN, "by the command\n")
    assert files(asks(work).before) == [[LOGIN]]
    work.root.write(DB, "by a person in another editor\n")
    _, ended = work.governance.begin_turn("builder", "")
    records = [each.record for each in ended if each.record is not None]
    assert [(paths(each), each.assumed) for each in records] == [([DB], True)]


def test_a_ticket_that_is_too_old_is_no_sign_of_a_deleted_memory(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = work.begins("builder")
    real = work.governance.stores.clock
    later = replace(work.governance.stores, clock=lambda: real() + GOOD_FOR + timedelta(hours=1))
    monkeypatch.setattr(work.governance.commands.recording, "stores", later)
    unended = replace(work.governance.commands, stores=later)
    monkeypatch.setattr(work.governance, "commands", unended)
    assert work.governance.begin_turn("builder", "")[1] == ()
    assert work.governance.calls.record(ticket) is None


def test_what_goes_wrong_with_one_of_them_stops_neither_call_nor_turn(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.begins("builder")
    work.root.write(LOGIN, "by the command\n")

    def broken(*_given: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(WorkTree, "changes_until", broken)
    monkeypatch.setattr(WorkTree, "changes", broken)
    assert isinstance(asks(work).decision, Allowed)
    row, ended = work.governance.begin_turn("builder", "")
    assert (row.turn, ended) == (2, ())


def test_a_second_look_begins_with_the_tree_that_it_says(work: Work) -> None:
    """Between a command's last look and its record, others may record."""
    work.agent("other", "INT-002")
    ticket = work.begins("builder", command=f"{BASH} &")
    compared = work.governance.commands.recording.compare(ticket)
    write = work.begins("other", GUIDE, "by the other\n")
    work.root.write(GUIDE, "by the other\n")
    assert paths(work.ends(write).record) == [GUIDE]
    work.governance.commands.recording.record(ticket, compared=compared)
    assert work.governance.begin_turn("builder", "")[1] == ()


@pytest.mark.parametrize("told", ["before the edit", "never"])
def test_a_late_end_does_not_make_known_what_another_program_wrote_since_the_read(
    work: Work, told: str
) -> None:
    """Some hosts report a command's end after the next calls, or not at all."""
    command = work.begins("builder")
    work.governance.calls.read_now("builder", "", LOGIN)
    work.root.write(LOGIN, "by somebody else\n")
    if told != "never":
        work.ends(command)
    edit = ToolCall(tool_name="Write", paths=(LOGIN,), new_text="by the agent\n")
    denied = work.governance.calls.admit("builder", "", edit).decision
    assert isinstance(denied, Denied)
    assert denied.code is GateCode.STALE_FILE
    work.governance.calls.read_now("builder", "", LOGIN)
    assert isinstance(work.governance.calls.admit("builder", "", edit).decision, Allowed)


def test_what_a_command_wrote_is_known_to_its_agent(work: Work) -> None:
    work.governance.calls.read_now("builder", "", LOGIN)
    command = work.begins("builder")
    work.root.write(LOGIN, "by the command\n")
    work.ends(command)
    edit = ToolCall(tool_name="Write", paths=(LOGIN,), new_text="by the agent\n")
    assert isinstance(work.governance.calls.admit("builder", "", edit).decision, Allowed)


def test_reading_pays_for_nothing(work: Work) -> None:
    work.begins("builder")
    work.root.write(LOGIN, "by the command\n")
    read = ToolCall(tool_name="Read", paths=(LOGIN,))
    assert work.governance.calls.admit("builder", "", read).before == ()


def test_the_end_of_an_agents_own_connection_ends_its_commands(
    work: Work, open_editor: Callable[..., Editor]
) -> None:
    own = open_editor(work.root.root, "agents-own")
    own.select("INT-001")
    call = ToolCall(tool_name="Bash", command=BASH)
    assert own.governance.calls.admit("agents-own", "", call).ticket is not None
    work.root.write(DB, "out of bounds\n")
    own.close()
    newest = work.governance.stores.ledger.index.newest_for_path(DB)
    assert newest is not None
    assert (newest.session_id, newest.scope_validation) == ("agents-own", ScopeValidation.FAIL)
