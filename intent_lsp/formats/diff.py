r"""Compares two versions of a text line by line, with libgit2's diff as a pure function.

Invariant: a line is any string. A bare `\r`, a NUL or a missing final newline does not disturb the
comparison, because lines are replaced by numbers before libgit2 sees them.
Invariant: at least one kept line is between two hunks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import pygit2

from intent_lsp.core.content import FileContent, Text, decode, split_lines
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.core.ranges import Hunk, count_lines, ranges, whole_file_range
from intent_lsp.core.records import Range

MAX_DIFFED_LINES: Final = 20_000
"""The most lines, on average for both sides, that are compared (ledger section 1).

Lines that both texts begin or end with do not count.
"""

MAX_DIFFED_BYTES: Final = 5 * 1024 * 1024


def file_ranges(before: FileContent, after: FileContent) -> tuple[Range, ...]:
    """Return the ranges of one file's change.

    The result is one range over the whole file if the two cannot be compared line by line: binary,
    over 5 MB, different encodings, or too many different lines.
    """
    old_text, new_text = _comparable(before), _comparable(after)
    if old_text is None or new_text is None or not _spelled_alike(old_text, new_text):
        return (whole_range(after),)
    start, old_part, new_part = _apart(old_text.text, new_text.text)
    new_lines = split_lines(new_part)
    hunks = line_hunks(split_lines(old_part), new_lines)
    if hunks is None:
        return (whole_range(after),)
    encoded = [line.encode(new_text.encoding) for line in new_lines]
    found = ranges(hunks, encoded, encoding=new_text.encoding)
    above = _count_lines(new_text.text[:start])
    return tuple(_further(each, above) for each in found) if above else found


def _apart(old: str, new: str) -> tuple[int, str, str]:
    """Return where two texts first differ, and the differing lines of each with a line around them.

    Splitting all of a large, mostly equal text into lines would take longer than comparing the
    rest.
    """
    head = common_head(old, new)
    tail = common_tail(old, new, head)
    start = old.rfind("\n", 0, max(old.rfind("\n", 0, head), 0)) + 1
    first_end = new.find("\n", len(new) - tail)
    end = new.find("\n", first_end + 1) + 1 if first_end >= 0 else 0
    left = len(new) - end if end else 0
    return start, old[start : len(old) - left], new[start : len(new) - left]


def _count_lines(text: str) -> int:
    """Return the number of lines of a text that is empty or ends with a line end."""
    return len(split_lines(text)) if "\r" in text else text.count("\n")


def _further(found: Range, lines: int) -> Range:
    """Return a range moved down by `lines` lines, in the old and the new text."""
    old = found.replaced
    return replace(
        found,
        start_line=found.start_line + lines,
        end_line=found.end_line + lines,
        replaced=None if old is None else (old[0] + lines, *old[1:]),
    )


def line_hunks(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...] | None:
    """Return the hunks that turn `old` into `new`, in order, or None if too many lines differ."""
    # Make both lists, because slices of a list and of a tuple are never equal.
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


def _comparable(content: FileContent) -> Text | None:
    if content.absent:
        return decode(b"")
    return content.decoded if len(content.data or b"") <= MAX_DIFFED_BYTES else None


def _spelled_alike(old: Text, new: Text) -> bool:
    """Return whether equal lines have equal bytes. An empty text fits any encoding."""
    return not old.text or not new.text or old.encoding == new.encoding


def whole_range(content: FileContent) -> Range:
    """Return the single range of a content that is not compared line by line."""
    data, lines = content.data or b"", content.lines
    return whole_file_range(data, count_lines(data) if lines is None else len(lines))


def _compare(old: Sequence[str], new: Sequence[str], shift: int) -> Iterator[Hunk]:
    """Yield the hunks of two runs of lines that both start at line `shift` of their texts."""
    numbers: dict[str, int] = {}
    # git recognises other line ends than we do, so each distinct line becomes a number on a line of
    # its own.
    before = "".join([f"{numbers.setdefault(line, len(numbers))}\n" for line in old])
    after = "".join([f"{numbers.setdefault(line, len(numbers))}\n" for line in new])
    patch = pygit2.Patch.create_from(before.encode(), after.encode(), context_lines=0)
    for hunk in patch.hunks:
        # git counts from 1, and for an empty side gives the line before it.
        yield Hunk(
            old_start=shift + hunk.old_start - (1 if hunk.old_lines else 0),
            old_count=hunk.old_lines,
            new_start=shift + hunk.new_start - (1 if hunk.new_lines else 0),
            new_count=hunk.new_lines,
        )
