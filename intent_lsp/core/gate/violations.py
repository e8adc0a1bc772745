"""Selects the changed lines of a file that a violation marks (requirements section 8).

Invariant: a file equal to HEAD has no violation. Lines from before the session, or covered by a
passing record, are not marked, unless the file's newest record is a violation that still stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from intent_lsp.core.ranges import Hunk

SHOWN_A_FILE = 100
SHOWN_A_ROOT = 1_000


@dataclass(frozen=True, slots=True)
class MarkedRun:
    """The lines that one diagnostic marks, from 0, both ends included.

    `hunk` is the change behind it, or None if only the whole file or a record is known.
    """

    first_line: int
    last_line: int
    hunk: Hunk | None = None


def marked_runs(head: Sequence[Hunk], narrowing: Sequence[Sequence[Hunk]]) -> tuple[MarkedRun, ...]:
    """Return the runs changed against HEAD that have a line that is new against every reference.

    `narrowing` holds the same text's hunks against each reference: the baseline and the newest
    passing content.
    """
    return tuple(
        _mark(hunk) for hunk in head if _has_new_line(hunk, [_near(hunk, n) for n in narrowing])
    )


def _mark(hunk: Hunk) -> MarkedRun:
    if hunk.new_count:
        return MarkedRun(hunk.new_start, hunk.new_start + hunk.new_count - 1, hunk)
    # A pure deletion marks the line above it, or line 0 at the top.
    above = max(hunk.new_start - 1, 0)
    return MarkedRun(above, above, hunk)


def _near(hunk: Hunk, others: Sequence[Hunk]) -> list[Hunk]:
    end = hunk.new_start + hunk.new_count
    return [
        other
        for other in others
        if other.new_start <= end and other.new_start + other.new_count >= hunk.new_start
    ]


def _has_new_line(hunk: Hunk, narrowing: Sequence[Sequence[Hunk]]) -> bool:
    if not hunk.new_count:
        return all(others for others in narrowing)
    lines = [(hunk.new_start, hunk.new_start + hunk.new_count)]
    for others in narrowing:
        spans = [(other.new_start, other.new_start + other.new_count) for other in others]
        lines = _common(lines, spans)
    return bool(lines)


def _common(
    left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the intersection of two ascending lists of half-open runs of lines."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low < high:
            found.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return found
