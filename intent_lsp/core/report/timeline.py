"""Edits over time: a timeline of periods of equal length, and a sparkline of one character each.

Invariant: the periods follow each other without a gap, and every edit is in one of them.
Invariant: in a sparkline, zero never looks like a positive count, and `top` has the highest step.
"""

import itertools
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final

from msgspec import Struct

from intent_lsp.core.records import ScopeValidation

Hour = str
"""The first characters of an RFC 3339 time: `2026-11-21T20`."""

_HOURS: Final = (1, 2, 3, 6, 12, 24, 48)
_WEEK: Final = 7 * 24
# Day 1 of the calendar is a Monday, so that weeks counted from it begin on a Monday.
_MONDAY: Final = datetime(1, 1, 1)  # noqa: DTZ001 -- UTC throughout, as the ledger's times are


class TimelinePart(Struct, frozen=True):
    """One period: its `start` in UTC, as `2026-11-21 20:00`, and its counts of edits by verdict."""

    start: str
    counts: Mapping[ScopeValidation, int]

    @property
    def edits(self) -> int:
        """The number of edits in the period, whatever their verdict."""
        return sum(self.counts.values())


class Timeline(Struct, frozen=True):
    """Consecutive periods of `hours` hours each, oldest first."""

    parts: Sequence[TimelinePart]
    hours: int


BLOCKS: Final = "·▁▂▃▄▅▆▇█"
ASCII: Final = ".:-=+*#%@"
"""Characters for terminals without block characters. The first of each set stands for zero."""


def timeline(counts: Mapping[tuple[Hour, ScopeValidation], int], most: int) -> Timeline:
    """Divide the time of all edits into at most `most` periods of equal length, and count edits.

    The length is the shortest that suffices: 1, 2, 3, 6, 12, 24 or 48 hours or whole weeks. A
    period starts at a multiple of that length, counted from a Monday in the year 1. Without edits
    there are no periods. `counts` has the number of edits for each hour and verdict.
    """
    if not counts:
        return Timeline((), 1)
    numbered = {hour: _number(hour) for hour, _ in counts}
    first, last = min(numbered.values()), max(numbered.values())
    size = _size(first, last, most)
    base = first // size
    parts: list[dict[ScopeValidation, int]] = [{} for _ in range(last // size - base + 1)]
    for (hour, verdict), count in counts.items():
        part = parts[numbered[hour] // size - base]
        part[verdict] = part.get(verdict, 0) + count
    return Timeline(
        [TimelinePart(_start((base + place) * size), part) for place, part in enumerate(parts)],
        size,
    )


def sparkline(counts: Sequence[int], top: int, steps: str) -> str:
    """Return a bar chart in text: for each count one of the characters `steps`, lowest first.

    The first character stands for 0. Each of the others stands for an equal part of the counts from
    1 to `top`, which no count exceeds.
    """
    # Round up below, so that a positive count never looks like zero.
    heights = len(steps) - 1
    return "".join(steps[-(-count * heights // top)] if count > 0 else steps[0] for count in counts)


def spread(days: Mapping[str, int], first: str, last: str, most: int) -> tuple[Sequence[int], int]:
    """Divide the days from `first` to `last` into at most `most` equal parts, and count in each.

    `days` maps a day between the two, `YYYY-MM-DD`, to its count. Return the sum of each part, and
    the number of days in a part; the last part may have fewer.
    """
    start, end = date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal()
    size = -(-(end - start + 1) // most)
    counts = [0] * -(-(end - start + 1) // size)
    for day, count in days.items():
        counts[(date.fromisoformat(day).toordinal() - start) // size] += count
    return counts, size


def _number(hour: Hour) -> int:
    return (datetime.fromisoformat(f"{hour}:00") - _MONDAY) // timedelta(hours=1)


def _start(number: int) -> str:
    return (_MONDAY + timedelta(hours=number)).isoformat(" ", "minutes")


def _size(first: int, last: int, most: int) -> int:
    sizes = itertools.chain(_HOURS, itertools.count(_WEEK, _WEEK))
    return next(size for size in sizes if last // size - first // size < most)
