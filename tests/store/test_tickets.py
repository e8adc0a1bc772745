"""Tickets and claims: kept across processes, ended once (requirements section 6)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import (
    CLAIMED_FOR,
    GOOD_FOR,
    Recorded,
    Ticket,
    TicketFile,
    TreeSnapshot,
)
from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import hash_content
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.sessions_db import SessionDb
from intent_lsp.store.state.tickets import HeldSave, Refused, Tickets

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
A = WorkspacePath("src/a.py")
ODD = WorkspacePath("src/\udcff \U0001f642.py")
TICKET = Ticket(
    id="t-1",
    session_id="builder",
    turn=2,
    issued_at=timestamp(NOW),
    tool_name="Write",
    tool_use_id="use-1",
    intent_id="INT-001",
    mutation_class=MutationClass.BUG_FIX,
    inferred=False,
    verdict=ScopeValidation.PASS,
    warnings=("careful",),
    files=(TicketFile(path=A, pre_hash=hash_content(b"a")), TicketFile(path=ODD, pre_hash=None)),
)
DONE = Recorded(record_id="r-1", files=((A, hash_content(b"a"), hash_content(b"b")),))


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SessionDb]:
    opened = SessionDb(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def tickets(state: SessionDb) -> Tickets:
    return state.tickets


def test_a_ticket_is_there_for_every_process(tickets: Tickets, tmp_path: Path) -> None:
    tickets.issue(TICKET, NOW)
    other = SessionDb(tmp_path)
    assert other.tickets.ticket("t-1", NOW) == (TICKET, None)
    assert other.tickets.of_use("builder", "", "use-1") == TICKET
    other.close()
    assert tickets.ticket("t-2", NOW) is None
    assert tickets.of_use("builder", "sub", "use-1") is None
    assert tickets.of_use("architect", "", "use-1") is None


def test_the_first_outcome_stands(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    assert tickets.end("t-1", DONE) == DONE
    assert tickets.end("t-1", Recorded(record_id="r-2")) == DONE
    assert tickets.ticket("t-1", NOW) == (TICKET, DONE)
    assert tickets.end("unknown", DONE) == DONE


def test_a_command_that_has_ended_is_not_begun_again(state: SessionDb) -> None:
    command = replace(TICKET, tree=TreeSnapshot(git=None, files={}, inner={}))
    state.tickets.issue(TICKET, NOW)
    state.tickets.end("t-1", DONE)
    state.tickets.begin_command(command)
    assert state.tickets.commands.remembered("t-1", NOW) is None
    state.tickets.issue(replace(TICKET, id="t-2"), NOW)
    state.tickets.begin_command(replace(command, id="t-2"))
    assert state.tickets.commands.remembered("t-2", NOW) is not None


def test_a_command_whose_session_goes_on_is_remembered_so(state: SessionDb) -> None:
    before = TreeSnapshot(git=None, files={}, inner={})
    later = TreeSnapshot(git=None, files={}, inner={A: before})
    command = replace(TICKET, tree=before)
    state.tickets.issue(command, NOW)
    state.tickets.commands.go_on("t-1", later)
    went_on = replace(command, tree=later, gone_on=True)
    assert state.tickets.ticket("t-1", NOW) == (went_on, None)
    assert state.tickets.commands.remembered("t-1", NOW) == went_on


def _claimed(state: SessionDb, asker: tuple[str, str], at: datetime = NOW) -> list[str | None]:
    memory = state.judging.for_call([A, ODD, WorkspacePath("b")], asker, at)
    return [each.claimed_by for each in memory.values()]


def test_an_open_ticket_claims_its_files_against_others(state: SessionDb) -> None:
    state.tickets.issue(TICKET, NOW)
    architect = ("architect", "")
    assert _claimed(state, architect) == ["builder", "builder", None]
    assert _claimed(state, ("builder", "")) == [None, None, None]
    # A subagent is somebody else.
    assert _claimed(state, ("builder", "sub")) == ["builder", "builder", None]
    assert _claimed(state, architect, NOW + CLAIMED_FOR) != [None] * 3
    assert _claimed(state, architect, NOW + CLAIMED_FOR + SECOND) == [None] * 3
    # Lapsed, it is good for recording all the same.
    assert state.tickets.ticket("t-1", NOW + CLAIMED_FOR + SECOND) == (TICKET, None)


def test_a_claim_ends_with_its_record_or_with_the_turn(state: SessionDb) -> None:
    for number in (1, 2):
        state.tickets.issue(replace(TICKET, id=f"t-{number}", tool_use_id=None), NOW)
    architect = ("architect", "")
    state.tickets.end("t-1", DONE)
    assert _claimed(state, architect) == ["builder", "builder", None]
    state.tickets.end_claims("builder", "sub")
    assert _claimed(state, architect) == ["builder", "builder", None]
    state.tickets.end_claims("builder", "")
    assert _claimed(state, architect) == [None] * 3


def test_a_save_is_an_open_tickets_or_nobodys(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    later = NOW + CLAIMED_FOR + SECOND
    assert tickets.over(A, NOW) == TICKET
    assert tickets.over(WorkspacePath("b"), NOW) is None
    assert tickets.over(A, later) is None
    by_save = replace(TICKET, id="t-2", tool_use_id=None, by_save=True)
    tickets.issue(by_save, NOW)
    # A person may take their time to save what an agent had their editor change.
    assert tickets.over(A, later) == by_save
    assert not tickets.saved(A, "t-2")
    assert tickets.over(A, later) is None
    assert tickets.saved(ODD, "t-2")
    tickets.end("t-2", DONE)
    assert tickets.over(ODD, NOW) == TICKET
    tickets.end("t-1", DONE)
    assert tickets.over(ODD, NOW) is None


def test_a_held_save_is_given_back_once_when_its_claim_has_lapsed(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    save = HeldSave(path=ODD, ticket_id="t-1", session_id="window", hash=hash_content(b"new"))
    tickets.hold(save)
    assert tickets.held("t-1") == (ODD,)
    assert tickets.lapsed(NOW) == ()
    later = NOW + CLAIMED_FOR + SECOND
    assert tickets.lapsed(later) == ((save, TICKET),)
    assert tickets.lapsed(later) == ()
    # Recorded by its agent it is nobody's to give back.
    tickets.hold(save)
    tickets.end("t-1", DONE)
    assert tickets.lapsed(later) == ()
    tickets.hold(save)
    assert tickets.lapsed(later) == ()
    assert tickets.held("t-1") == ()


def test_a_refusal_is_given_again_for_a_day(tickets: Tickets) -> None:
    denied = Denied(code=GateCode.SCOPE_VIOLATION, message="no", details={"paths": [A]}, paths=(A,))
    refused = Refused(denied=denied, intent_id="INT-001", files=TICKET.files)
    tickets.refuse("builder", "", "use-1", refused, NOW)
    assert tickets.refused_use("builder", "", "use-1", NOW + GOOD_FOR) == refused
    assert tickets.refused_use("builder", "", "use-1", NOW + GOOD_FOR + SECOND) is None
    assert tickets.refused_use("builder", "sub", "use-1", NOW) is None
    tickets.refuse("builder", "", "use-2", refused, NOW + GOOD_FOR + SECOND)
    assert tickets.refused_use("builder", "", "use-1", NOW) is None


def test_tickets_are_forgotten_after_a_day(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    late = NOW + GOOD_FOR
    assert tickets.ticket("t-1", late) is not None
    assert tickets.ticket("t-1", late + SECOND) is None
    after = replace(TICKET, id="t-2", issued_at=timestamp(late + SECOND))
    # The same call named again long after is a new one.
    tickets.issue(after, late + SECOND)
    assert tickets.of_use("builder", "", "use-1") == after


def test_one_name_of_a_call_has_one_answer_and_the_newest(tickets: Tickets) -> None:
    denied = Denied(code=GateCode.SCOPE_VIOLATION, message="no", details={}, paths=(A,))
    refused = Refused(denied=denied, intent_id=None, fingerprint=hash_content(b"other"))
    tickets.issue(TICKET, NOW)
    tickets.refuse("builder", "", "use-1", refused, NOW)
    assert tickets.of_use("builder", "", "use-1") is None
    assert tickets.refused_use("builder", "", "use-1", NOW) == refused
    # Its call may have been made: it can be recorded still.
    assert tickets.ticket("t-1", NOW) == (TICKET, None)
    again = replace(TICKET, id="t-2", fingerprint=hash_content(b"again"))
    tickets.issue(again, NOW)
    assert tickets.of_use("builder", "", "use-1") == again
    assert tickets.refused_use("builder", "", "use-1", NOW) is None
    tickets.issue(replace(TICKET, id="t-3", agent_id="sub"), NOW)
    assert tickets.of_use("builder", "", "use-1") == again
