"""Lines carried over an edit: by the line numbers in its ranges, or by a diff of two contents.

Specified in ledger section 5.

Invariant: a line of the old content is carried at most once.
Invariant: a trivial line, without letters and digits, is never carried as a moved block of its own.
Invariant: an edit whose ranges contradict each other maps no line at all.
"""

from collections.abc import Iterator, Sequence
from itertools import compress, takewhile
from typing import Final, NamedTuple

from intent_lsp.core.blame.attribution import (
    Attribution,
    Attributions,
    Confidence,
    Edit,
    claimed_runs,
)
from intent_lsp.core.content import line_body
from intent_lsp.core.line_diff import Diff

MOVED_LETTERS: Final = 20
"""The fewest letters and digits with which a block is recognised elsewhere in its file."""

_TRIED: Final = 8
"""The most places in the old text that are tried for a block that starts at one new line."""

Carried = list[tuple[int, Confidence] | None]
"""For each new line, the old line (from 0) that it was and how certainly, or None if it is new."""


MOST_LINES: Final = 5 * 1024 * 1024
"""The highest line number that is mapped. No content that is compared by line has more lines."""


class Splice(NamedTuple):
    """One replacement by an edit: the lines `old` to `old_end` became the lines `new` to `new_end`.

    Lines count from 0; the ends are excluded. `talk` is the number of the edit's conversation.
    """

    old: int
    old_end: int
    new: int
    new_end: int
    talk: int


def carried(old: Sequence[str], new: Sequence[str], diff: Diff) -> Carried:
    """Return, for each line of `new`, its line in `old` and how certain that is; None if it is new.

    Lines that `diff` finds unchanged are EXACT. Of the others, those that it finds unchanged
    without their white space are NORMALIZED. Of the rest, blocks of at least MOVED_LETTERS letters
    and digits that `take_moved` finds in `old`, white space aside, are MOVED.
    """
    found: Carried = [None] * len(new)
    left = [True] * len(old)
    _take(found, left, kept_lines(old, new, diff), Confidence.EXACT)
    if any(left) and None in found:
        old_bare, new_bare = bare(old), bare(new)
        _take(found, left, kept_lines(old_bare, new_bare, diff), Confidence.NORMALIZED)
        take_moved(found, left, old_bare, new_bare, at_least=MOVED_LETTERS)
    return found


def letters(line: str) -> int:
    """Count the letters and digits of a line. A trivial line has none."""
    return sum(map(str.isalnum, line))


def bare(lines: Sequence[str]) -> list[str]:
    """Return each line with all its white space removed."""
    return ["".join(line_body(line).split()) for line in lines]


def kept_lines(old: Sequence[str], new: Sequence[str], diff: Diff) -> Iterator[tuple[int, int]]:
    """Yield pairs (old line, new line), from 0, of the lines that `diff` reports as unchanged.

    Yield nothing if the texts are too large or too different to compare.
    """
    hunks = diff(old, new)
    if hunks is None:
        return
    at_old = at_new = 0
    for hunk in hunks:
        yield from zip(range(at_old, hunk.old_start), range(at_new, hunk.new_start), strict=False)
        at_old, at_new = hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count
    yield from zip(range(at_old, len(old)), range(at_new, len(new)), strict=False)


def take_moved(
    found: Carried, left: list[bool], old: Sequence[str], new: Sequence[str], *, at_least: int
) -> None:
    """Match blocks of unmatched lines, as MOVED, that are equal in `old` and `new` at any places.

    `found` gets the match of each new line, `left` is True for old lines that are not matched yet;
    both are changed. Blocks with fewer than `at_least` letters and digits are skipped. For each new
    line that may begin a block, at most _TRIED old lines are tried.
    """
    places: dict[str, list[int]] = {}
    for before in compress(range(len(old)), left):
        if letters(old[before]):
            places.setdefault(old[before], []).append(before)
    now = 0
    while now < len(new):
        length = 0
        if found[now] is None:
            starts = [place for place in places.get(new[now], ()) if left[place]]
            lengths = {
                start: _length(found, left, (old, start), (new, now)) for start in starts[:_TRIED]
            }
            # Prefer the longest block, among equals the first.
            start = max(lengths, key=lengths.__getitem__, default=0)
            length = lengths.get(start, 0)
            if sum(map(letters, new[now : now + length])) >= at_least:
                moved = zip(range(start, start + length), range(now, now + length), strict=True)
                _take(found, left, moved, Confidence.MOVED)
        now += max(length, 1)


def splices(step: Edit, count: float) -> list[Splice] | None:
    """Return an edit's replacements from top to bottom.

    Return None if its ranges are incomplete or contradict each other, replace old lines beyond line
    MOST_LINES, or need more lines than `count`, the number of lines after the edit (infinite if
    unknown).
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
    """Change the lines after an edit into the lines before it, in place.

    `found` are the replacements that the edit made. The lines that they took out are not known:
    they become None.
    """
    for each in found:
        # Splice in place: a list moves its tail as fast as memory is copied.
        lines[each.old : each.old + each.new_end - each.new] = [None] * (each.old_end - each.old)


def turn_on(lines: list[str | None], found: Sequence[Splice]) -> None:
    """Change the lines before an edit into the lines after it, in place.

    `found` are the replacements that the edit made. The lines that they put in are not known: they
    become None.
    """
    for each in found:
        put_in = [None] * (each.new_end - each.new)
        lines[each.new : each.new + each.old_end - each.old] = put_in


def replay(claims: Attributions, found: Sequence[Splice], order: int) -> None:
    """Change the attributions before an edit into those after it, in place.

    `found` are the replacements that the edit made, `order` is the edit's number.
    """
    for each in found:
        claim = Attribution(order, each.talk, replaced=each.old_end > each.old)
        put_in = [claim] * (each.new_end - each.new)
        claims[each.new : each.new + each.old_end - each.old] = put_in


def _take(
    found: Carried, left: list[bool], pairs: Iterator[tuple[int, int]], confidence: Confidence
) -> None:
    for before, now in pairs:
        if left[before] and found[now] is None:
            found[now] = before, confidence
            left[before] = False


def _length(
    found: Carried,
    left: Sequence[bool],
    before: tuple[Sequence[str], int],
    after: tuple[Sequence[str], int],
) -> int:
    """Return how many lines, from a place in each of two texts on, are equal and unmatched.

    `before` holds the old text and the index of the place, `after` the new text and its index. A
    new line is unmatched if `found` has None for it, an old line if `left` has True.
    """
    (old, start), (new, now) = before, after
    pairs = zip(range(start, len(old)), range(now, len(new)), strict=False)
    equal = (left[at] and found[to] is None and old[at] == new[to] for at, to in pairs)
    return sum(1 for _ in takewhile(bool, equal))
