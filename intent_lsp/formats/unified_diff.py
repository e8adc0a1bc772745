"""Formats two contents of a file as a unified diff, for people to read.

Invariant: never raises. The result is None for what is not text or too large to compare.
Invariant: the lines of one side, joined without their marks, are parts of that side's content, in
order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from intent_lsp.core.content import decode, line_body, split_lines
from intent_lsp.core.ranges import Hunk
from intent_lsp.formats.diff import MAX_DIFFED_BYTES, line_hunks

CONTEXT: Final = 3
"""How many kept lines are shown before and after a change."""


class DiffMark(StrEnum):
    """What a line of a diff is. The value is the first character of the line."""

    PLACE = "@"
    KEPT = " "
    REMOVED = "-"
    ADDED = "+"
    REMARK = "\\"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line without its mark. It has its line end only if nothing but line ends differs."""

    mark: DiffMark
    text: str


def text_lines(data: bytes) -> list[str] | None:
    """Split a content into lines with their line ends.

    Return None if it is no text, or over 5 MB.
    """
    text = decode(data) if len(data) <= MAX_DIFFED_BYTES else None
    return None if text is None else split_lines(text.text)


def unified(old: bytes, new: bytes) -> Sequence[DiffLine] | None:
    """Return the diff of two contents, or None. It is empty if they have the same text."""
    before, after = text_lines(old), text_lines(new)
    if before is None or after is None:
        return None
    hunks = line_hunks(before, after)
    if hunks is None:
        return None
    return [line for group in _groups(hunks) for line in _written(group, before, after)]


def place(first_old: int, old_count: int, first_new: int, new_count: int) -> DiffLine:
    """Return the `@@` line of a change, as git writes it. Lines count from 1."""
    return DiffLine(DiffMark.PLACE, f"@ -{first_old},{old_count} +{first_new},{new_count} @@")


def _groups(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Yield the hunks in groups whose contexts touch."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.old_start - _old_end(group[-1]) > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _old_end(hunk: Hunk) -> int:
    return hunk.old_start + hunk.old_count


def _written(group: Sequence[Hunk], old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    first, last = group[0], group[-1]
    head = min(first.old_start, CONTEXT)
    tail = min(len(old) - _old_end(last), CONTEXT)
    old_count = _old_end(last) + tail - first.old_start + head
    new_count = last.new_start + last.new_count + tail - first.new_start + head
    yield place(
        _numbered(first.old_start - head, old_count),
        old_count,
        _numbered(first.new_start - head, new_count),
        new_count,
    )
    at = first.old_start - head
    for hunk in group:
        yield from _kept(old[at : hunk.old_start])
        yield from _changed(
            old[hunk.old_start : _old_end(hunk)],
            new[hunk.new_start : hunk.new_start + hunk.new_count],
        )
        at = _old_end(hunk)
    yield from _kept(old[at : at + tail])


def _numbered(start: int, count: int) -> int:
    # For an empty side, git gives the line before it.
    return start + 1 if count else start


def _kept(lines: Sequence[str]) -> Iterator[DiffLine]:
    return (DiffLine(DiffMark.KEPT, line_body(line)) for line in lines)


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    bodies = [line_body(line) for line in old], [line_body(line) for line in new]
    # If only the line ends differ, show them.
    before, after = (old, new) if bodies[0] == bodies[1] else bodies
    yield from (DiffLine(DiffMark.REMOVED, line) for line in before)
    yield from (DiffLine(DiffMark.ADDED, line) for line in after)
