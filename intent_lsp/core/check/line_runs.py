"""Runs of lines that a hunk left in a file, and where they are in a later version of the file.

Invariant: a run in a later version begins and ends with lines that the earlier version has in it.
"""

from collections.abc import Sequence

from intent_lsp.core.check.report import LineRun
from intent_lsp.core.ranges import Hunk


def run_of_hunk(hunk: Hunk) -> LineRun:
    """Return the lines that a hunk wrote; if it only deleted, the line above the deleted ones.

    That is line 1 if there is none above.
    """
    if hunk.new_count:
        return LineRun(hunk.new_start + 1, hunk.new_start + hunk.new_count)
    line = max(hunk.new_start, 1)
    return LineRun(line, line)


def later_run(run: LineRun, hunks: Sequence[Hunk]) -> LineRun | None:
    """Return where a run of lines is after `hunks`, or None if none of its lines is left.

    The result goes from the first line that is left to the last, new lines between them included.
    """
    kept = [
        line + shift
        for line in range(run.first - 1, run.last)
        if (shift := _shift(line, hunks)) is not None
    ]
    return LineRun(kept[0] + 1, kept[-1] + 1) if kept else None


def _shift(line: int, hunks: Sequence[Hunk]) -> int | None:
    """Return how far down (negative: up) hunks move a line, from 0, or None if one removes it."""
    shift = 0
    for hunk in hunks:
        if line < hunk.old_start:
            break
        if line < hunk.old_start + hunk.old_count:
            return None
        shift = hunk.new_start + hunk.new_count - hunk.old_start - hunk.old_count
    return shift
