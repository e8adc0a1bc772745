"""Maps line numbers through one edit, in both directions, by arithmetic (ledger section 5).

Invariant: no content is needed. The numbers in a record's ranges say which lines were kept.
Invariant: an edit whose ranges do not fit the number of lines maps none, whoever wrote it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from intent_lsp.core.blame.attribution import Attribution, Attributions, Edit, claimed_runs

MOST_LINES: Final = 5 * 1024 * 1024
"""The highest line number that is mapped. A content that is compared by line has no more lines."""


class Splice(NamedTuple):
    """Lines `old` to `old_end` became lines `new` to `new_end`, from 0, the ends excluded.

    `talk` is the number of the conversation.
    """

    old: int
    old_end: int
    new: int
    new_end: int
    talk: int


def splices(step: Edit, count: float) -> list[Splice] | None:
    """Return what an edit replaced, or None if its ranges do not say or contradict each other.

    `count` is the number of lines after the edit, infinite if unknown.
    """
    if not step.told and step.pre != step.post:
        return None
    found: list[Splice] = []
    old = new = 0
    for talk, run in claimed_runs(step):
        if run.replaced is None:
            return None
        first, removed, added = run.replaced
        kept = first - 1 - old
        if min(kept, removed, added) < 0 or (added and run.start_line - 1 != new + kept):
            return None
        old, new = old + kept, new + kept
        if old + removed > MOST_LINES:
            return None
        found.append(Splice(old, old + removed, new, new + added, talk))
        old, new = old + removed, new + added
    return found if new <= count else None


def turn_back(lines: list[str | None], found: Sequence[Splice]) -> None:
    """Change the known lines after an edit, in place, into those before it. None: line unknown."""
    for each in found:
        # Splice in place: a list moves its tail as fast as memory is copied.
        lines[each.old : each.old + each.new_end - each.new] = [None] * (each.old_end - each.old)


def turn_on(lines: list[str | None], found: Sequence[Splice]) -> None:
    """Change the known lines before an edit, in place, into those after it. None: line unknown."""
    for each in found:
        put_in = [None] * (each.new_end - each.new)
        lines[each.new : each.new + each.old_end - each.old] = put_in


def replay(claims: Attributions, found: Sequence[Splice], order: int) -> None:
    """Change the attributions before an edit, in place, into those after it."""
    for each in found:
        claim = Attribution(order, each.talk, replaced=each.old_end > each.old)
        put_in = [claim] * (each.new_end - each.new)
        claims[each.new : each.new + each.old_end - each.old] = put_in
