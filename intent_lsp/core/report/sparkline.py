"""Draws counts as a sparkline, one character for each.

Invariant: zero never looks like a positive count, and the largest count has the highest step.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

BLOCKS: Final = "·▁▂▃▄▅▆▇█"
ASCII: Final = ".:-=+*#%@"
"""The steps for terminals without block characters. The first step of each set stands for zero."""


def sparkline(counts: Sequence[int], top: int, steps: str) -> str:
    """Draw counts in steps of equal height. `top` is the largest count, or more."""
    # Round up below, so that a positive count never looks like zero.
    heights = len(steps) - 1
    return "".join(steps[-(-count * heights // top)] if count > 0 else steps[0] for count in counts)


def spread(days: Mapping[str, int], first: str, last: str, most: int) -> tuple[Sequence[int], int]:
    """Return the sums of the days from `first` to `last` in at most `most` equal parts.

    The second result is the number of days in a part; the last part may have fewer. Days are
    `YYYY-MM-DD`.
    """
    start, end = date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal()
    size = -(-(end - start + 1) // most)
    counts = [0] * -(-(end - start + 1) // size)
    for day, count in days.items():
        counts[(date.fromisoformat(day).toordinal() - start) // size] += count
    return counts, size
