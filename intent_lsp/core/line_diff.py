"""Hunks between two texts: made anew while one is edited, and stored as ranges in a record.

Specified in ledger section 1.

Invariant: the hunks turn the reference into the text. They are in order, with at least one
unchanged line between two of them.
Invariant: a text equal to its reference has no hunk.
Invariant: large runs of lines are compared as slices, at the speed of C, so that a large text costs
little.
Invariant: the content hash of compared lines covers their bytes without the last line's line end,
so that a block keeps its hash wherever it moves.
Invariant: the ranges made of hunks ascend, and no line is in two of them. A pure deletion claims no
line, so two deletions may both refer to the first line.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import EMPTY_HASH, hash_content, line_body
from intent_lsp.core.records import Range

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Hunk(Struct, frozen=True, kw_only=True):
    """One change: a run of old lines and the new lines that replace them. Starts count from 0.

    If the count of the old or the new lines is 0, their start is the line that follows the change.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int


def ranges(
    hunks: Iterable[Hunk], new_lines: Sequence[str], *, encoding: str = "utf-8"
) -> tuple[Range, ...]:
    """Return the ranges of changed lines that a record stores for `hunks`, in line order.

    `new_lines` are the lines of the new content with their line ends, and `encoding` is that of its
    bytes. The range of a pure deletion is the line above it, or line 1. Empty new content has one
    range `0`-`0`, also without a hunk; any other content without a hunk has no range.
    """
    found = tuple(_range(hunk, new_lines, encoding) for hunk in hunks)
    return found or (() if new_lines else (_empty(None),))


def whole_file_range(data: bytes, line_count: int) -> Range:
    """Return the one range that stands for a whole content which is not compared line by line.

    `line_count` is the content's number of lines. If it is 0, as for a lone byte order mark, the
    range is `0`-`0` with EMPTY_HASH, and its `fallback` is False.
    """
    if not line_count:
        return _empty(None)
    return Range(start_line=1, end_line=line_count, content_hash=hash_content(data), fallback=True)


def count_lines(data: bytes) -> int:
    """Return the number of lines in raw bytes, which need not be text."""
    ends = len(_LINE_END.findall(data))
    return ends if not data or data.endswith((b"\n", b"\r")) else ends + 1


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
        lines if `hunks` was None. `hunks` becomes None if `diff` cannot compare these lines.
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


def _range(hunk: Hunk, new_lines: Sequence[str], encoding: str) -> Range:
    replaced = (hunk.old_start + 1, hunk.old_count, hunk.new_count)
    if not new_lines:
        return _empty(replaced)
    # A pure deletion refers to the line above it, or to the first line at the top.
    first = hunk.new_start if hunk.new_count else max(hunk.new_start - 1, 0)
    last = first + max(hunk.new_count, 1)
    text = "".join((*new_lines[first : last - 1], line_body(new_lines[last - 1])))
    return Range(
        start_line=first + 1,
        end_line=last,
        content_hash=hash_content(text.encode(encoding)),
        replaced=replaced,
    )


def _empty(replaced: tuple[int, int, int] | None) -> Range:
    return Range(start_line=0, end_line=0, content_hash=EMPTY_HASH, replaced=replaced)


def _touched(hunks: Sequence[Hunk], edit: LineEdit) -> tuple[int, int]:
    """Return which hunks the edited lines overlap or adjoin, as (first index, end index).

    The hunk at the end index is not included.
    """
    first = bisect_left(hunks, edit.start, key=lambda hunk: hunk.new_start + hunk.new_count)
    last = bisect_right(hunks, edit.old_end, key=lambda hunk: hunk.new_start)
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
