"""Lines carried over from one content to another by comparing them (ledger section 5).

Invariant: a line of the old content is carried once at most.
Invariant: a trivial line, which holds no letter and no digit, is never carried by a move alone.
"""

from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Final

from intent_lsp.core.blame.attribution import Confidence
from intent_lsp.core.content import line_body
from intent_lsp.core.line_diff import Diff

MOVED_LETTERS: Final = 20
"""Letters and digits that a block must have to be known again at another place of its file."""

_TRIED: Final = 8

Carried = list[tuple[int, Confidence] | None]
"""For each new line the old one (from 0) that it is, and how surely; None: it is a new line."""


def carried(old: Sequence[str], new: Sequence[str], diff: Diff) -> Carried:
    """Find the old line that each new line is: kept, with other white space, or moved."""
    found: Carried = [None] * len(new)
    left = [True] * len(old)
    _take(found, left, kept_lines(old, new, diff), Confidence.EXACT)
    if any(left) and None in found:
        old_bare, new_bare = bare(old), bare(new)
        _take(found, left, kept_lines(old_bare, new_bare, diff), Confidence.NORMALIZED)
        take_moved(found, left, old_bare, new_bare, at_least=MOVED_LETTERS)
    return found


def letters(line: str) -> int:
    """Count the letters and digits of a line; a trivial line has none."""
    return sum(map(str.isalnum, line))


def bare(lines: Sequence[str]) -> list[str]:
    """Give lines without any white space."""
    return ["".join(line_body(line).split()) for line in lines]


def kept_lines(old: Sequence[str], new: Sequence[str], diff: Diff) -> Iterator[tuple[int, int]]:
    """Give the pairs of lines that a comparison keeps; none where the two are too different."""
    hunks = diff(old, new)
    if hunks is None:
        return
    at_old = at_new = 0
    for hunk in hunks:
        yield from zip(range(at_old, hunk.old_start), range(at_new, hunk.new_start), strict=False)
        at_old, at_new = hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count
    yield from zip(range(at_old, len(old)), range(at_new, len(new)), strict=False)


def _take(
    found: Carried, left: list[bool], pairs: Iterator[tuple[int, int]], confidence: Confidence
) -> None:
    for before, now in pairs:
        if left[before] and found[now] is None:
            found[now] = before, confidence
            left[before] = False


def take_moved(
    found: Carried, left: list[bool], old: Sequence[str], new: Sequence[str], *, at_least: int
) -> None:
    """Carry the blocks that are gone in one place and come again in another.

    `left` are the old lines that may be carried. A block needs `at_least` so many letters and
    digits.
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
            # The longest, among equals the first.
            start = max(lengths, key=lengths.__getitem__, default=0)
            length = lengths.get(start, 0)
            if sum(map(letters, new[now : now + length])) >= at_least:
                moved = zip(range(start, start + length), range(now, now + length), strict=True)
                _take(found, left, moved, Confidence.MOVED)
        now += max(length, 1)


def _length(
    found: Carried,
    left: Sequence[bool],
    before: tuple[Sequence[str], int],
    after: tuple[Sequence[str], int],
) -> int:
    """Count the lines of the block that begins at two places; none of them is carried yet."""
    (old, start), (new, now) = before, after
    length = 0
    while (
        start + length < len(old)
        and now + length < len(new)
        and left[start + length]
        and found[now + length] is None
        and old[start + length] == new[now + length]
    ):
        length += 1
    return length
