"""Tickets and claims: kept across processes, ended once (requirements section 6)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from intent_lsp.core.content import hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.tickets import CLAIMED_FOR, GOOD_FOR, Claim, Recorded, Ticket, TicketFile
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state import State
from intent_lsp.store.tickets import Tickets

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
def state(tmp_path: Path) -> Iterator[State]:
    opened = State(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def tickets(state: State) -> Tickets:
    return state.tickets


def test_a_ticket_is_there_for_every_process(tickets: Tickets, tmp_path: Path) -> None:
    tickets.issue(TICKET, NOW)
    other = State(tmp_path)
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


def _others(tickets: Tickets, at: datetime = NOW) -> tuple[Claim, ...]:
    return tickets.claims([A, WorkspacePath("b")], at, but_of=("architect", ""))


def test_an_open_ticket_claims_its_files_against_others(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    assert _others(tickets) == (Claim(A, "builder", ""),)
    assert tickets.claims([A, ODD], NOW, but_of=("builder", "")) == ()
    # A subagent is somebody else.
    assert len(tickets.claims([A, ODD], NOW, but_of=("builder", "sub"))) == 2
    assert _others(tickets, NOW + CLAIMED_FOR) != ()
    assert _others(tickets, NOW + CLAIMED_FOR + SECOND) == ()
    # Lapsed, it is good for recording all the same.
    assert tickets.ticket("t-1", NOW + CLAIMED_FOR + SECOND) == (TICKET, None)


def test_a_claim_ends_with_its_record_or_with_the_turn(tickets: Tickets) -> None:
    for number in (1, 2):
        tickets.issue(replace(TICKET, id=f"t-{number}", tool_use_id=None), NOW)
    tickets.end("t-1", DONE)
    assert len(_others(tickets)) == 1
    tickets.end_claims("builder", "sub")
    assert len(_others(tickets)) == 1
    tickets.end_claims("builder", "")
    assert _others(tickets) == ()


def test_tickets_are_forgotten_after_a_day(tickets: Tickets) -> None:
    tickets.issue(TICKET, NOW)
    late = NOW + GOOD_FOR
    assert tickets.ticket("t-1", late) is not None
    assert tickets.ticket("t-1", late + SECOND) is None
    after = replace(TICKET, id="t-2", issued_at=timestamp(late + SECOND))
    # The same call named again long after is a new one.
    tickets.issue(after, late + SECOND)
    assert tickets.of_use("builder", "", "use-1") == after
