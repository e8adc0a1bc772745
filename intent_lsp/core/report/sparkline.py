"""A row of counts drawn in one line of characters.

Invariant: nothing and something never look alike, and the largest count is the highest step.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

BLOCKS: Final = "·▁▂▃▄▅▆▇█"
ASCII: Final = ".:-=+*#%@"
"""The steps where blocks cannot be shown; the first of each stands for nothing."""


def sparkline(counts: Sequence[int], top: int, steps: str) -> str:
    """Draw counts, of which none is larger than `top`, in steps of equal height."""
    heights = len(steps) - 1
    return "".join(steps[-(-count * heights // top)] if count > 0 else steps[0] for count in counts)


def spread(days: Mapping[str, int], first: str, last: str, most: int) -> tuple[Sequence[int], int]:
    """Give the counts of the days from `first` to `last` in at most `most` equal parts.

    The second number is the days in a part, all but perhaps the last. Days are `YYYY-MM-DD`.
    """
    start, end = date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal()
    size = -(-(end - start + 1) // most)
    counts = [0] * -(-(end - start + 1) // size)
    for day, count in days.items():
        counts[(date.fromisoformat(day).toordinal() - start) // size] += count
    return counts, size
