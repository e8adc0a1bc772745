"""An incremental diff: the hunks between a reference and a text that is being edited.

Invariant: the hunks turn the reference into the text. They are in order, with at least one
unchanged line between two of them.
Invariant: a text equal to its reference has no hunk.
Invariant: large runs of lines are compared as slices, at the speed of C, so that a large text costs
little.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.ranges import Hunk

Diff = Callable[[Sequence[str], Sequence[str]], tuple[Hunk, ...] | None]
"""A function that returns the hunks which turn its first sequence of lines into its second.

It returns None if the two are too large or too different to compare.
"""


class LineEdit(Struct, frozen=True, kw_only=True):
    """One edit of a text: the lines `start` to `old_end` became the lines `start` to `new_end`.

    Lines count from 0; the ends are not included.
    """

    start: int
    old_end: int
    new_end: int


class LineDiff:
    """The hunks that turn a reference, such as a committed text, into a text that is being edited.

    `hunks` is None while the two are too large or too different to be compared line by line.
    """

    def __init__(self, reference: Sequence[str], text: Sequence[str], diff: Diff) -> None:
        self._reference = reference
        self._diff = diff
        self.hunks = diff(reference, text)

    def compare(self, text: Sequence[str]) -> None:
        """Set `hunks` by comparing all lines of the present `text` with the reference."""
        self.hunks = self._diff(self._reference, text)

    def edited(self, edit: LineEdit, text: Sequence[str]) -> None:
        """Update `hunks` after one edit. `text` are all lines of the text after the edit.

        Only the edited lines and the hunks that they overlap or adjoin are compared again, or all
        lines if `hunks` was None. `hunks` becomes None if `diff` cannot compare what is compared.
        """
        if self.hunks is None or len(text) == len(self._reference):
            if text == self._reference:
                self.hunks = ()
                return
            if self.hunks is None:
                self.compare(text)
                return
        self._follow(edit, text)

    def _follow(self, edit: LineEdit, text: Sequence[str]) -> None:
        hunks = self.hunks or ()
        first, last = _touched(hunks, edit)
        low, high = edit.start, edit.old_end
        if first < last:
            low = min(low, hunks[first].new_start)
            high = max(high, hunks[last - 1].new_start + hunks[last - 1].new_count)
        before = _shift(hunks[first - 1]) if first else 0
        through = _shift(hunks[last - 1]) if last else 0
        moved = edit.new_end - edit.old_end
        fresh = self._diff(self._reference[low - before : high - through], text[low : high + moved])
        if fresh is None:
            self.hunks = None
            return
        self.hunks = (
            *hunks[:first],
            *(_moved(hunk, old=low - before, new=low) for hunk in fresh),
            *(_moved(hunk, old=0, new=moved) for hunk in hunks[last:]),
        )


def _touched(hunks: Sequence[Hunk], edit: LineEdit) -> tuple[int, int]:
    """Return which hunks the edited lines overlap or adjoin, as (first index, end index).

    The hunk at the end index is not included.
    """
    first = 0
    while first < len(hunks) and hunks[first].new_start + hunks[first].new_count < edit.start:
        first += 1
    last = first
    while last < len(hunks) and hunks[last].new_start <= edit.old_end:
        last += 1
    return first, last


def _shift(hunk: Hunk) -> int:
    """Return by how many lines the lines below a hunk have moved down, negative if up."""
    return hunk.new_start + hunk.new_count - hunk.old_start - hunk.old_count


def _moved(hunk: Hunk, *, old: int, new: int) -> Hunk:
    return replace(hunk, old_start=hunk.old_start + old, new_start=hunk.new_start + new)


def common_head(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the number of equal items at the start of both sequences.

    Both must be of the same type: texts, bytes, or lists. Slices are compared in a binary search.
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_tail(one: Sequence[object], other: Sequence[object], head: int) -> int:
    """Return the number of equal items at the end of two sequences.

    The first `head` items of both, which are equal, are not compared.
    """
    low, high = 0, min(len(one), len(other)) - head
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low
