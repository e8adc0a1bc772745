r"""Two versions of a text compared line by line, by libgit2's diff as a pure function.

Invariant: a line is any string; bare `\r`, NUL and a missing final newline mean nothing to the
comparison, because lines are numbered before libgit2 sees them.
Invariant: hunks are apart by at least one kept line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import pygit2

from intent_lsp.core.content import Text, decode, split_lines
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.core.ranges import Hunk, count_lines, ranges, whole_file_range
from intent_lsp.core.records import Range

MAX_DIFFED_LINES: Final = 20_000
"""Lines left on each side, on average, above which a comparison is given up (ledger section 1)."""

MAX_DIFFED_BYTES: Final = 5 * 1024 * 1024


def file_ranges(before: bytes | None, after: bytes | None) -> tuple[Range, ...]:
    """Give the ranges of one file's change; None: the file did not or does not exist.

    One range over the whole file where the two cannot be compared line by line: binary, over
    5 MB, another encoding, or too many lines left.
    """
    old, new = before or b"", after or b""
    old_text, new_text = _comparable(old), _comparable(new)
    if old_text is None or new_text is None or not _spelled_alike(old_text, new_text):
        return (whole_range(new),)
    start, old_part, new_part = _apart(old_text.text, new_text.text)
    new_lines = split_lines(new_part)
    hunks = line_hunks(split_lines(old_part), new_lines)
    if hunks is None:
        return (whole_range(new),)
    encoded = [line.encode(new_text.encoding) for line in new_lines]
    found = ranges(hunks, encoded, encoding=new_text.encoding)
    above = _count_lines(new_text.text[:start])
    return tuple(_further(each, above) for each in found) if above else found


def _apart(old: str, new: str) -> tuple[int, str, str]:
    """Give the whole lines in which two texts differ, a line around them, and where they begin.

    Most of a large file is as it was: to take that apart, too, takes longer than to compare it.
    """
    head = common_head(old, new)
    tail = common_tail(old, new, head)
    start = old.rfind("\n", 0, max(old.rfind("\n", 0, head), 0)) + 1
    first_end = new.find("\n", len(new) - tail)
    end = new.find("\n", first_end + 1) + 1 if first_end >= 0 else 0
    left = len(new) - end if end else 0
    return start, old[start : len(old) - left], new[start : len(new) - left]


def _count_lines(text: str) -> int:
    """Count the lines of a text that ends with one, or is empty."""
    return len(split_lines(text)) if "\r" in text else text.count("\n")


def _further(found: Range, lines: int) -> Range:
    """Give a range so many lines further down on both sides."""
    old = found.replaced
    return replace(
        found,
        start_line=found.start_line + lines,
        end_line=found.end_line + lines,
        replaced=None if old is None else (old[0] + lines, *old[1:]),
    )


def line_hunks(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...] | None:
    """Compare two sequences of lines; None when too much is left after common head and tail.

    The hunks are in order, and turn `old` into `new`.
    """
    # Slices of one kind: a list is never equal to a tuple.
    old, new = list(old), list(new)
    head = common_head(old, new)
    tail = common_tail(old, new, head)
    old_left, new_left = len(old) - head - tail, len(new) - head - tail
    if not old_left and not new_left:
        return ()
    if not old_left or not new_left:
        return (Hunk(old_start=head, old_count=old_left, new_start=head, new_count=new_left),)
    if old_left + new_left > 2 * MAX_DIFFED_LINES:
        return None
    return tuple(_compare(old[head : head + old_left], new[head : head + new_left], head))


def _comparable(data: bytes) -> Text | None:
    return decode(data) if len(data) <= MAX_DIFFED_BYTES else None


def _spelled_alike(old: Text, new: Text) -> bool:
    """Find out whether equal lines have equal bytes; an empty text is spelled like any other."""
    return not old.text or not new.text or old.encoding == new.encoding


def whole_range(data: bytes) -> Range:
    """Give the one range of a content that is not compared with anything."""
    text = decode(data)
    count = count_lines(data) if text is None else len(split_lines(text.text))
    return whole_file_range(data, count)


def _compare(old: Sequence[str], new: Sequence[str], shift: int) -> Iterator[Hunk]:
    """Give the hunks of two stretches that begin at line `shift` of their texts."""
    numbers: dict[str, int] = {}
    # git's idea of a line end is not ours; numbers have one line end each, whatever they name.
    before = "".join([f"{numbers.setdefault(line, len(numbers))}\n" for line in old])
    after = "".join([f"{numbers.setdefault(line, len(numbers))}\n" for line in new])
    patch = pygit2.Patch.create_from(before.encode(), after.encode(), context_lines=0)
    for hunk in patch.hunks:
        # git counts from 1, and names the line before where a side is empty.
        yield Hunk(
            old_start=shift + hunk.old_start - (1 if hunk.old_lines else 0),
            old_count=hunk.old_lines,
            new_start=shift + hunk.new_start - (1 if hunk.new_lines else 0),
            new_count=hunk.new_lines,
        )
