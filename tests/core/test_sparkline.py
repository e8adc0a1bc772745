"""Counts drawn in one line."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent_lsp.core.report.timeline import ASCII, BLOCKS, sparkline, spread


@pytest.mark.parametrize(
    ("counts", "top", "drawn"),
    [
        ([], 1, ""),
        ([0, 1, 8], 8, "·▁█"),
        ([0, 0], 5, "··"),
        ([1, 2, 3, 4, 5, 6, 7, 8], 8, "▁▂▃▄▅▆▇█"),
        ([1, 1000], 1000, "▁█"),
        ([3], 1000, "▁"),
    ],
)
def test_counts_become_steps(counts: list[int], top: int, drawn: str) -> None:
    assert sparkline(counts, top, BLOCKS) == drawn


@given(st.lists(st.integers(0, 10**6), min_size=1), st.sampled_from([BLOCKS, ASCII]))
def test_nothing_is_never_something_and_more_is_never_lower(counts: list[int], steps: str) -> None:
    top = max(*counts, 1)
    drawn = sparkline(counts, top, steps)
    assert [mark == steps[0] for mark in drawn] == [count == 0 for count in counts]
    heights = [steps.index(mark) for mark in drawn]
    assert sorted(zip(counts, heights, strict=True)) == sorted(
        zip(sorted(counts), sorted(heights), strict=True)
    )
    assert steps[-1] in drawn or not any(counts)


def test_both_kinds_have_as_many_steps() -> None:
    assert len(BLOCKS) == len(ASCII) == len(set(BLOCKS)) == len(set(ASCII))


DAYS = st.dates(min_value=date(2000, 1, 1), max_value=date(2030, 1, 1)).map(date.isoformat)


@given(st.dictionaries(DAYS, st.integers(1, 9), min_size=1), st.integers(1, 40))
def test_days_are_spread_over_equal_parts(days: dict[str, int], most: int) -> None:
    counts, size = spread(days, min(days), max(days), most)
    assert len(counts) <= most
    assert sum(counts) == sum(days.values())
    assert counts[0] >= days[min(days)]
    assert counts[-1] >= days[max(days)]
    length = (date.fromisoformat(max(days)) - date.fromisoformat(min(days))).days + 1
    assert (len(counts) - 1) * size < length <= len(counts) * size


def test_a_part_may_be_several_days() -> None:
    days = {"2026-11-01": 1, "2026-11-02": 2, "2026-11-05": 4}
    assert spread(days, "2026-11-01", "2026-11-05", 9) == ([1, 2, 0, 0, 4], 1)
    assert spread(days, "2026-11-01", "2026-11-05", 3) == ([3, 0, 4], 2)
