"""What the state knows of a call's files: reads, own writes and claims, all of one moment."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import CLAIMED_FOR, Ticket, TicketFile
from intent_lsp.core.content import EMPTY_HASH, ContentHash, hash_content
from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.core.gate.request import Unread
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.store.state.judging_state import FileMemory
from intent_lsp.store.state.sessions_db import ReadHash, SessionDb

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
LATER = NOW + CLAIMED_FOR + timedelta(seconds=1)
A, B = hash_content(b"a"), hash_content(b"b")
PATH = WorkspacePath("src/a.py")
ODD = WorkspacePath("src/\udcff\n [x]/" + "y" * 4000)
TICKET = Ticket(
    id="t-1",
    session_id="builder",
    turn=2,
    issued_at=timestamp(NOW),
    tool_name="Write",
    tool_use_id=None,
    intent_id="INT-001",
    mutation_class=MutationClass.BUG_FIX,
    inferred=False,
    verdict=ScopeValidation.PASS,
    files=(TicketFile(path=PATH, pre_hash=A),),
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SessionDb]:
    opened = SessionDb(tmp_path)
    yield opened
    opened.close()


def known(
    state: SessionDb,
    path: WorkspacePath = PATH,
    asker: tuple[str, str] = ("one", ""),
    at: datetime = NOW,
) -> FileMemory:
    return state.judging.for_call([path], asker, at)[path]


def test_of_what_nobody_touched_nothing_is_known(state: SessionDb) -> None:
    assert state.judging.for_call([PATH, ODD], ("one", ""), NOW) == {
        PATH: FileMemory(own_write=None, read=Unread.NEVER, turn=None, claimed_by=None),
        ODD: FileMemory(),
    }
    assert state.judging.for_call([], ("one", ""), NOW) == {}


def test_reads_are_kept_for_each_session_and_subagent(state: SessionDb) -> None:
    state.put_read("one", "", PATH, ReadHash(A, 1))
    state.put_read("one", "sub", PATH, ReadHash(B, 2))
    state.put_read("one", "", ODD, ReadHash(None, 1))
    state.put_read("one", "", PATH, ReadHash(EMPTY_HASH, 3))
    assert known(state) == FileMemory(read=EMPTY_HASH, turn=3)
    assert known(state, asker=("one", "sub")) == FileMemory(read=B, turn=2)
    # That there was no file is not the same as not to have looked.
    assert known(state, ODD) == FileMemory(read=None, turn=1)
    assert known(state, asker=("two", "")) == FileMemory()


def test_our_own_last_write_is_known_to_everybody(state: SessionDb) -> None:
    state.note_own_write(PATH, A)
    state.note_own_write(PATH, B)
    for asker in (("one", ""), ("two", "sub")):
        assert known(state, asker=asker) == FileMemory(own_write=B)


def test_an_open_ticket_claims_its_files_against_others(state: SessionDb) -> None:
    state.tickets.issue(TICKET, NOW)
    assert known(state).claimed_by == "builder"
    assert known(state, asker=("builder", "")).claimed_by is None
    # A subagent is somebody else.
    assert known(state, asker=("builder", "sub")).claimed_by == "builder"
    assert known(state, ODD).claimed_by is None
    assert known(state, at=NOW + CLAIMED_FOR).claimed_by == "builder"
    assert known(state, at=LATER).claimed_by is None


def test_of_two_claims_one_is_told(state: SessionDb) -> None:
    state.tickets.issue(TICKET, NOW)
    state.tickets.issue(replace(TICKET, id="t-2", session_id="one"), NOW)
    state.tickets.issue(replace(TICKET, id="t-3", session_id="other"), NOW)
    assert known(state).claimed_by == "other"
    assert known(state, asker=("other", "")).claimed_by == "one"


def test_everything_is_told_of_each_path_at_once(state: SessionDb) -> None:
    state.tickets.issue(TICKET, NOW)
    state.put_read("one", "", PATH, ReadHash(A, 4))
    state.note_own_write(PATH, B)
    state.note_own_write(ODD, A)
    assert state.judging.for_call([PATH, ODD], ("one", ""), NOW) == {
        PATH: FileMemory(own_write=B, read=A, turn=4, claimed_by="builder"),
        ODD: FileMemory(own_write=A),
    }


def test_a_state_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StateUnavailableError):
        SessionDb(tmp_path / "nowhere").judging.for_call([PATH], ("one", ""), NOW)


@given(
    st.dictionaries(st.text(), st.none() | st.sampled_from([A, B]), max_size=4),
    st.text(),
    st.text(),
)
def test_every_name_is_found_again(
    tmp_path_factory: pytest.TempPathFactory,
    reads: dict[str, ContentHash | None],
    session: str,
    agent: str,
) -> None:
    state = SessionDb(tmp_path_factory.mktemp("state"))
    listed = {WorkspacePath(path): read for path, read in reads.items()}
    for path, read in listed.items():
        state.put_read(session, agent, path, ReadHash(read, 1))
    found = state.judging.for_call(listed, (session, agent), NOW)
    assert {path: memory.read for path, memory in found.items()} == listed
    state.close()
