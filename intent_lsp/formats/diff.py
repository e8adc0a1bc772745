r"""Compares two versions of a text line by line, with libgit2's diff as a pure function.

Invariant: a line is any string. A bare `\r`, a NUL or a missing final newline does not disturb the
comparison, because lines are replaced by numbers before libgit2 sees them.
Invariant: at least one unchanged line is between two hunks.
Invariant: in a unified diff, the kept and the removed lines together are lines of the old content
in order, and the kept and the added lines together are lines of the new content in order.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import FileContent, Text, decode, line_body, split_lines
from intent_lsp.core.line_diff import (
    Hunk,
    common_head,
    common_tail,
    count_lines,
    ranges,
    whole_file_range,
)
from intent_lsp.core.records import Range

MAX_DIFFED_LINES: Final = 20_000
"""The most lines, on average for both sides, that are compared (ledger section 1).

Lines that both texts begin or end with do not count.
"""

MAX_DIFFED_BYTES: Final = 5 * 1024 * 1024
"""The most bytes of a content that is compared line by line."""

_NO_FILE: Final = "/dev/null"

CONTEXT: Final = 3
"""How many kept lines are shown before and after a change."""


class DiffMark(StrEnum):
    """The kind of a line in a unified diff. The value is the character that begins such a line."""

    PLACE = "@"
    KEPT = " "
    REMOVED = "-"
    ADDED = "+"
    REMARK = "\\"


class DiffLine(Struct, frozen=True):
    """One line of a unified diff: its kind, and its text without the mark.

    The text has no line end, except that of a removed or added line in a hunk that changes nothing
    but line ends.
    """

    mark: DiffMark
    text: str


def file_ranges(before: FileContent, after: FileContent) -> tuple[Range, ...]:
    """Return the changed ranges between two contents of one file, as a record stores them.

    An absent file counts as an empty one. If the contents can be compared and are equal, return no
    range. If they cannot be compared line by line, return one range over the whole file. Contents
    cannot be compared in these cases:
    - one of them is not text, is known by its hash only, or is over 5 MiB,
    - neither is empty and their encodings differ,
    - too many lines differ.
    """
    old_text, new_text = _comparable(before), _comparable(after)
    if old_text is None or new_text is None or not _spelled_alike(old_text, new_text):
        return (whole_range(after),)
    new_lines = after.lines or []
    hunks = line_hunks(before.lines or [], new_lines)
    if hunks is None:
        return (whole_range(after),)
    return ranges(hunks, new_lines, encoding=new_text.encoding)


def line_hunks(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...] | None:
    """Return the hunks that turn the lines `old` into `new`, in order; empty if they are equal.

    Return None if too many lines differ.
    """
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


def whole_range(content: FileContent) -> Range:
    """Return one range over all lines of a content, for a change not compared line by line.

    Lines count from 1. A content without lines, or known by its hash only, has the lines 0 to 0.
    """
    data, lines = content.data or b"", content.lines
    return whole_file_range(data, count_lines(data) if lines is None else len(lines))


def text_lines(data: bytes) -> list[str] | None:
    """Return the lines of a content, each with its line end.

    Return None if the content is not text or is over 5 MiB.
    """
    text = decode(data) if len(data) <= MAX_DIFFED_BYTES else None
    return None if text is None else split_lines(text.text)


def unified(old: bytes, new: bytes) -> Sequence[DiffLine] | None:
    """Return the lines of a unified diff; there are none if both contents have the same text.

    Return None if a content is not text or is over 5 MiB, or if too many lines differ.
    """
    before, after = text_lines(old), text_lines(new)
    if before is None or after is None:
        return None
    hunks = line_hunks(before, after)
    if hunks is None:
        return None
    return [line for group in _groups(hunks) for line in _written(group, before, after)]


def edit_lines(name: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    """Yield the lines of a unified diff of an edit of the file `name`; None stands for no file.

    If `unified` returns None for the contents, a remark takes the place of the changes.
    """
    yield f"--- {_NO_FILE if old is None else name}"
    yield f"+++ {_NO_FILE if new is None else name}"
    found = unified(old or b"", new or b"")
    if found is None:
        said = "The contents are not text or too large, or too much of them differs."
        yield f"{DiffMark.REMARK.value} {said}"
        return
    for line in found:
        yield f"{line.mark.value}{line.text}"


def place(first_old: int, old_count: int, first_new: int, new_count: int) -> DiffLine:
    """Return the `@@` line of a diff, which says which old and new lines a hunk covers.

    Line numbers count from 1. For a side without lines, the number is that of the line before the
    hunk.
    """
    return DiffLine(DiffMark.PLACE, f"@ -{first_old},{old_count} +{first_new},{new_count} @@")


def _comparable(content: FileContent) -> Text | None:
    if content.absent:
        return decode(b"")
    return content.decoded if len(content.data or b"") <= MAX_DIFFED_BYTES else None


def _spelled_alike(old: Text, new: Text) -> bool:
    """Return whether the encodings of two texts are the same, or one text is empty.

    Only then have lines that are equal as text the same bytes.
    """
    return not old.text or not new.text or old.encoding == new.encoding


def _compare(old: Sequence[str], new: Sequence[str], shift: int) -> Iterator[Hunk]:
    """Yield the hunks that turn the lines `old` into `new`.

    `old` and `new` are parts of two whole texts, and begin at line `shift` of these, counted from
    0. The hunks have the line numbers of the whole texts.
    """
    import pygit2  # noqa: PLC0415 - slow to import, and not always needed

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


def _groups(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Yield the hunks in groups. Hunks whose context lines touch or overlap are in one group."""
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
