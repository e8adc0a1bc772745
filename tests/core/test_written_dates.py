"""A written date means all its days, also at the ends of the calendar."""

from datetime import UTC, datetime

import pytest

from intent_lsp.core.written_dates import date_range


@pytest.mark.parametrize("text", ["0001", "0001-01", "0001-01-01", "9999", "9999-12", "9999-12-31"])
def test_a_date_at_an_end_of_the_calendar_may_be_any_time(text: str) -> None:
    found = date_range(text)
    assert found is not None
    assert (found.first.year, found.last.year) == (1, 9999)


@pytest.mark.parametrize(
    ("text", "following"),
    [("2026", (2027, 1)), ("2026-12", (2027, 1)), ("2026-02", (2026, 3)), ("2024-02", (2024, 3))],
)
def test_a_year_or_a_month_ends_with_its_last_day(text: str, following: tuple[int, int]) -> None:
    found = date_range(text)
    assert found is not None
    assert found.last == datetime(*following, 1, 14, tzinfo=UTC)
