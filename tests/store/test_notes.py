"""What a root notes for later: the newest events, a few lessons, voices, moments.

Specified in requirements section 9.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent_lsp.core.errors import StateUnavailableError
from intent_lsp.store.state.notes import EVENTS_KEPT, AgentInfo, Noted, Notes
from intent_lsp.store.state.sessions_db import SessionDb

ONE, TWO = "INT-001", "INT-002"
ODD = "\udcff\ud800 \U0001f642\0'"


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SessionDb]:
    opened = SessionDb(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def notes(state: SessionDb) -> Notes:
    return state.notes


def texts(noted: tuple[Noted, ...]) -> list[str]:
    return [each.event for each in noted]


def unreported(notes: Notes, *names: str) -> list[str]:
    return [each.event for each in notes.events(*names) if not each.in_file]


def test_nothing_was_noted_at_first(notes: Notes) -> None:
    assert notes.events(ONE) == notes.events() == ()
    assert notes.unwritten() == ()
    assert notes.voice("s", "") == notes.voice("s", "a") == AgentInfo()


def test_the_newest_twenty_events_of_each_intent_are_kept(notes: Notes, tmp_path: Path) -> None:
    for number in range(EVENTS_KEPT + 5):
        notes.add_event(ONE, f"event {number}")
        notes.add_event(TWO, f"other {number}")
    assert EVENTS_KEPT == 20
    assert texts(notes.events(ONE)) == [f"event {number}" for number in range(24, 4, -1)]
    assert texts(notes.events(TWO)) == [f"other {number}" for number in range(24, 4, -1)]
    another = SessionDb(tmp_path)
    assert another.notes.events(ONE) == notes.events(ONE)
    another.close()


def test_an_intents_events_by_all_of_its_names_stand_in_their_order(notes: Notes) -> None:
    for number in range(4):
        notes.add_event((ONE, TWO)[number % 2], f"event {number}")
    assert texts(notes.events(ONE, TWO)) == ["event 3", "event 2", "event 1", "event 0"]
    assert texts(notes.events(TWO, "INT-003")) == ["event 3", "event 1"]


@pytest.mark.parametrize("name", [ONE, ODD, ""])
def test_foreign_words_come_back_as_they_were(notes: Notes, name: str) -> None:
    notes.add_event(name, ODD)
    assert texts(notes.events(name)) == [ODD]
    assert notes.unwritten() == (name,)
    assert notes.count_lesson(name, at_most=1)
    notes.put_voice(name, ODD, AgentInfo(ODD, ODD))
    assert notes.voice(name, ODD) == AgentInfo(ODD, ODD)


def test_what_the_file_tells_is_told_of_what_was_seen_alone(notes: Notes) -> None:
    notes.add_event(TWO, "other")
    for number in range(3):
        notes.add_event(ONE, f"event {number}")
    seen = notes.events(ONE)
    notes.add_event(ONE, "newer")
    notes.written(seen, ONE)
    assert unreported(notes, ONE) == ["newer"]
    assert [each.in_file for each in notes.events(ONE)] == [False, True, True, True]
    assert unreported(notes, TWO) == ["other"]
    assert notes.unwritten() == (ONE, TWO)
    notes.written(notes.events(ONE, TWO), ONE, TWO)
    assert notes.unwritten() == ()


def test_nothing_seen_is_nothing_told(notes: Notes) -> None:
    notes.add_event(ONE, "event")
    notes.written((), ONE)
    notes.written(notes.events(ONE))
    assert unreported(notes, ONE) == ["event"]


def test_events_that_pushed_the_seen_ones_out_are_not_taken_for_them(notes: Notes) -> None:
    notes.add_event(ONE, "seen")
    seen = notes.events(ONE)
    for number in range(EVENTS_KEPT):
        notes.add_event(ONE, f"newer {number}")
    notes.written(seen, ONE)
    assert len(unreported(notes, ONE)) == EVENTS_KEPT


# Each example is a file of its own.
@settings(max_examples=25)
@given(before=st.integers(0, 25), meanwhile=st.integers(0, 25), others=st.lists(st.booleans()))
def test_an_event_is_told_exactly_if_it_was_seen(
    tmp_path_factory: pytest.TempPathFactory, before: int, meanwhile: int, others: list[bool]
) -> None:
    state = SessionDb(tmp_path_factory.mktemp("room"))
    notes = state.notes
    for number, other in enumerate(others):
        notes.add_event(TWO if other else "INT-003", str(number))
    for number in range(before):
        notes.add_event(ONE, f"seen {number}")
    seen = notes.events(ONE)
    for number in range(meanwhile):
        notes.add_event(ONE, f"new {number}")
    notes.written(seen, ONE)
    kept = [f"new {number}" for number in reversed(range(meanwhile))][:EVENTS_KEPT]
    assert unreported(notes, ONE) == kept
    assert notes.events(ONE) == notes.events(ONE)[:EVENTS_KEPT]
    assert len(unreported(notes, TWO, "INT-003")) == min(20, sum(others)) + min(
        20, len(others) - sum(others)
    )
    state.close()


def test_a_session_gives_so_many_lessons_and_no_more(notes: Notes, tmp_path: Path) -> None:
    assert [notes.count_lesson("one", at_most=3) for _ in range(5)] == [True] * 3 + [False] * 2
    assert notes.count_lesson("two", at_most=3)
    another = SessionDb(tmp_path)
    assert not another.notes.count_lesson("one", at_most=3)
    assert another.notes.count_lesson("one", at_most=4)
    another.close()


def test_lessons_that_come_at_once_are_counted_each(notes: Notes) -> None:
    with ThreadPoolExecutor(4) as pool:
        counted = list(pool.map(lambda _: notes.count_lesson("s", at_most=10), range(30)))
    assert sum(counted) == 10


def test_a_subagents_words_come_before_its_sessions(notes: Notes) -> None:
    notes.put_voice("s", "", AgentInfo("model", "url"))
    assert notes.voice("s", "") == notes.voice("s", "sub") == AgentInfo("model", "url")
    notes.put_voice("s", "sub", AgentInfo("its own"))
    assert notes.voice("s", "sub") == AgentInfo("its own", "url")
    assert notes.voice("s", "") == notes.voice("s", "other") == AgentInfo("model", "url")
    assert notes.voice("another", "sub") == AgentInfo()


def test_what_a_voice_leaves_out_stays(notes: Notes) -> None:
    notes.put_voice("s", "", AgentInfo("model", "url"))
    notes.put_voice("s", "", AgentInfo(url="newer"))
    assert notes.voice("s", "") == AgentInfo("model", "newer")
    notes.put_voice("s", "", AgentInfo("better"))
    notes.put_voice("s", "", AgentInfo())
    assert notes.voice("s", "") == AgentInfo("better", "newer")


@pytest.mark.parametrize(
    ("last", "taken"),
    [
        (None, True),
        ("2026-01-01T00:00:00.000Z", True),
        ("2026-01-01T00:01:00.000Z", True),
        ("2026-01-01T00:01:00.001Z", False),
        ("2026-01-01T00:02:00.000Z", False),
        ("2026-01-01T00:02:00.001Z", True),  # The clock was put back.
    ],
)
def test_a_moment_is_taken_where_the_last_is_long_ago(
    notes: Notes, last: str | None, *, taken: bool
) -> None:
    if last is not None:
        assert notes.take_moment("m", last, last_at_most="")
    assert notes.take_moment("other", "2026-01-01T00:02:00.000Z", last_at_most="")
    now, before = "2026-01-01T00:02:00.000Z", "2026-01-01T00:01:00.000Z"
    assert notes.take_moment("m", now, last_at_most=before) is taken
    again = "2026-01-01T00:02:00.500Z"
    assert not notes.take_moment("m", again, last_at_most=before)


def test_one_of_those_who_ask_at_once_takes_the_moment(notes: Notes) -> None:
    with ThreadPoolExecutor(4) as pool:
        taken = list(pool.map(lambda _: notes.take_moment("m", "2", last_at_most="1"), range(20)))
    assert sum(taken) == 1


def test_without_a_place_to_write_every_note_says_so(tmp_path: Path) -> None:
    state = SessionDb(tmp_path / "missing")
    notes = state.notes
    for each in (
        lambda: notes.add_event(ONE, "event"),
        lambda: notes.events(ONE),
        notes.unwritten,
        lambda: notes.written((), ONE),
        lambda: notes.count_lesson("s", at_most=1),
        lambda: notes.put_voice("s", "", AgentInfo()),
        lambda: notes.voice("s", ""),
        lambda: notes.take_moment("m", "2", last_at_most="1"),
    ):
        with pytest.raises(StateUnavailableError):
            each()
