"""Edits counted by what they have in common, and along the time."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from intent_lsp.core.ledger.chain import UNSEALED
from intent_lsp.core.records import (
    Contributor,
    Conversation,
    EntityType,
    Event,
    Integrity,
    Range,
    Record,
    RecordFile,
    ScopeValidation,
)
from intent_lsp.core.report.aggregates import (
    NEWEST_KEPT,
    VIOLATIONS_KEPT,
    By,
    Groups,
    LineCount,
    ReportSurvey,
    Tally,
    contributor_name,
    count_of_files,
    count_of_runs,
    shares,
)
from intent_lsp.core.report.timeline import timeline
from tests.support.ledgers import HASH, edit, events

DAY = "2026-11-21"
CLAUDE = Contributor(EntityType.AI, "claude")


def recorded(event: Event, at: str = f"{DAY}T20:27:33.123Z", number: int = 0) -> Record:
    place = Integrity(prev_record_hash=None, record_hash=UNSEALED)
    name = f"00000000-0000-4000-8000-{number:012x}"
    return Record.of(event, id=name, timestamp=at, integrity=place)


def run_of(start: int, end: int, replaced: tuple[int, int, int] | None = None) -> Range:
    return Range(start_line=start, end_line=end, content_hash=HASH, replaced=replaced)


def file_of(path: str, *talks: tuple[Contributor, Range]) -> RecordFile:
    told = tuple(
        Conversation(url="s", contributor=author, ranges=(run,), related=())
        for author, run in talks
    )
    return RecordFile(relative_path=path, pre_hash=None, post_hash=HASH, conversations=told)


WHOLE = replace(run_of(1, 9), fallback=True)
HUMAN = Contributor(EntityType.HUMAN, "human")


@pytest.mark.parametrize(
    ("runs", "count"),
    [
        ((), LineCount()),
        ((run_of(1, 3, (1, 1, 3)), run_of(9, 9, (9, 4, 0))), LineCount(3, 5)),
        ((run_of(2, 4),), LineCount(3)),
        ((run_of(0, 0),), LineCount()),
        ((WHOLE,), LineCount(whole=1)),
        ((run_of(2, 4), WHOLE), LineCount(whole=1)),
    ],
)
def test_lines_are_counted_from_ranges(runs: tuple[Range, ...], count: LineCount) -> None:
    assert count_of_runs(runs) == count


def test_the_files_of_an_edit_are_counted_together() -> None:
    files = (file_of("a", (CLAUDE, run_of(1, 2))), file_of("b", (CLAUDE, WHOLE)), file_of("c"))
    assert count_of_files(files) == LineCount(2, 0, 1)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (By.INTENT, [("INT-001", LineCount(6, 1))]),
        (By.PATH, [("a", LineCount(5, 1)), ("b", LineCount(1))]),
        (By.SESSION, [("s1", LineCount(6, 1))]),
        (By.CONTRIBUTOR, [("AI claude", LineCount(3)), ("HUMAN", LineCount(3, 1))]),
        (By.TOOL, [("editor/save", LineCount(6, 1))]),
        (By.DAY, [(DAY, LineCount(6, 1))]),
        (By.VERDICT, [("PASS", LineCount(6, 1))]),
    ],
)
def test_an_edit_belongs_to_each_of_its_groups_once(
    by: By, expected: list[tuple[str, LineCount]]
) -> None:
    first = file_of("a", (CLAUDE, run_of(1, 2)), (HUMAN, run_of(5, 7, (5, 1, 3))))
    record = recorded(edit(files=(first, file_of("b", (CLAUDE, run_of(1, 1))))))
    assert list(shares(record, by, count_of_files(record.files), DAY)) == expected


@pytest.mark.parametrize("by", [By.PATH, By.CONTRIBUTOR, By.INTENT])
def test_what_has_no_file_no_author_or_no_intent_is_counted_too(by: By) -> None:
    record = recorded(edit(files=(), intent_id=None))
    assert list(shares(record, by, LineCount(), DAY)) == [(None, LineCount())]


def test_a_file_that_is_named_twice_is_one_edit_of_it() -> None:
    twice = (file_of("a", (CLAUDE, run_of(1, 2))), file_of("a", (CLAUDE, run_of(5, 5))))
    record = recorded(edit(files=twice))
    assert list(shares(record, By.PATH, LineCount(), DAY)) == [("a", LineCount(3))]


@pytest.mark.parametrize(
    ("kind", "model", "name"),
    [
        (EntityType.AI, "claude", "AI claude"),
        (EntityType.AI, "unknown", "AI"),
        (EntityType.HUMAN, "human", "HUMAN"),
        (EntityType.HUMAN, "ada", "HUMAN ada"),
        (EntityType.UNKNOWN, "unknown", "UNKNOWN"),
    ],
)
def test_a_contributor_has_a_short_name(kind: EntityType, model: str, name: str) -> None:
    assert contributor_name(Contributor(kind, model)) == name


def test_a_tally_knows_what_went_wrong_and_when() -> None:
    tally = Tally()
    verdicts = (ScopeValidation.FAIL, ScopeValidation.PASS, ScopeValidation.EXEMPT)
    for number, verdict in enumerate(verdicts):
        event = edit(scope_validation=verdict, success=number != 1)
        record = recorded(event, at=f"2026-11-2{3 - number}T00:00:00.000Z")
        tally.count(record, LineCount(1, 2, 3), f"day {number}")
    assert tally.lines == LineCount(3, 6, 9)
    assert (tally.edits, tally.violations, tally.failed) == (3, 1, 1)
    assert (tally.first, tally.last) == ("2026-11-21T00:00:00.000Z", "2026-11-23T00:00:00.000Z")
    assert tally.days == {"day 0": 1, "day 1": 1, "day 2": 1}


def test_groups_come_by_size_and_days_in_their_order() -> None:
    by_intent, by_day = Groups(By.INTENT), Groups(By.DAY)
    for intent, day in [("b", "2"), ("a", "1"), ("c", "3"), ("c", "1"), (None, "1"), ("a", "1")]:
        record = recorded(edit(intent_id=intent))
        by_intent.count(record, LineCount(), day)
        by_day.count(record, LineCount(), day)
    assert [name for name, _ in by_intent.largest()] == ["a", "c", "b", None]
    assert [name for name, _ in by_day.largest()] == ["1", "2", "3"]


@given(st.lists(events, max_size=6))
def test_groups_that_share_no_edit_come_to_the_total(found: list[Event]) -> None:
    for by in (By.INTENT, By.SESSION, By.TOOL, By.DAY, By.VERDICT):
        total, groups = Tally(), Groups(by)
        for event in found:
            record, lines = recorded(event), count_of_files(event.files)
            total.count(record, lines, DAY)
            groups.count(record, lines, DAY)
        tallies = [tally for _, tally in groups.largest()]
        assert sum(tally.edits for tally in tallies) == len(found) == total.edits
        assert sum((tally.lines for tally in tallies), LineCount()) == total.lines
        assert sum(tally.violations for tally in tallies) == total.violations


HOURS = st.datetimes().map(lambda moment: moment.isoformat()[:13])


@given(
    st.dictionaries(st.tuples(HOURS, st.sampled_from(ScopeValidation)), st.integers(1, 9)),
    st.integers(8, 80),
)
def test_a_timeline_holds_every_edit_in_a_bounded_number_of_parts(
    counts: dict[tuple[str, ScopeValidation], int], most: int
) -> None:
    line = timeline(counts, most)
    assert len(line.parts) <= most
    assert sum(part.edits for part in line.parts) == sum(counts.values())
    assert [part.start for part in line.parts] == sorted(part.start for part in line.parts)
    if counts:
        assert line.parts[0].start[:13].replace(" ", "T") <= min(hour for hour, _ in counts)
        assert line.parts[0].edits
        assert line.parts[-1].edits


@pytest.mark.parametrize(
    ("first", "last", "most", "hours", "starts"),
    [
        ("2026-11-21T20", "2026-11-21T22", 3, 1, "2026-11-21 20:00"),
        ("2026-11-21T20", "2026-11-21T22", 2, 2, "2026-11-21 20:00"),
        ("2026-11-21T07", "2026-11-22T22", 24, 2, "2026-11-21 06:00"),
        ("2026-11-18T20", "2026-11-22T22", 5, 24, "2026-11-18 00:00"),
        ("2026-11-04T20", "2026-11-22T22", 3, 7 * 24, "2026-11-02 00:00"),
        ("2026-01-04T20", "2026-11-22T22", 9, 6 * 7 * 24, "2025-11-24 00:00"),
    ],
)
def test_parts_begin_where_people_begin_to_count(
    first: str, last: str, most: int, hours: int, starts: str
) -> None:
    line = timeline({(first, ScopeValidation.PASS): 1, (last, ScopeValidation.FAIL): 2}, most)
    assert (line.hours, line.parts[0].start) == (hours, starts)
    assert (line.parts[0].edits, line.parts[-1].edits) == (1, 2)


def test_a_survey_keeps_the_newest_and_counts_all() -> None:
    survey = ReportSurvey()
    stray = edit(scope_validation=ScopeValidation.FAIL)
    records = [recorded(stray, number=number) for number in range(NEWEST_KEPT + 3)]
    for record in records:
        survey.count(record)
    assert survey.total.edits == survey.total.violations == NEWEST_KEPT + 3
    assert survey.newest == records[:NEWEST_KEPT]
    assert survey.violations == records[:VIOLATIONS_KEPT]
    assert survey.hours == {(f"{DAY}T20", ScopeValidation.FAIL): NEWEST_KEPT + 3}
    assert survey.pairs == survey.violating == Counter({("INT-001", "src/a.py"): NEWEST_KEPT + 3})
    assert {by: len(found.tallies) for by, found in survey.groups.items()} == dict.fromkeys(
        (By.INTENT, By.PATH, By.SESSION, By.CONTRIBUTOR), 1
    )
