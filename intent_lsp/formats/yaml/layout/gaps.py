"""White space and comments between two tokens of a YAML text, and how they are set in order.

Invariant: a comment keeps its text. Only white space between its sign and its text is added, and
white space at its end removed.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from intent_lsp.formats.text_positions import LINE_END, line_end_of

SpaceEdit: TypeAlias = tuple[int, int, str]
"""Start and end offset of a part of a text, and the white space to put in its place."""

_UNSPACED = re.compile(r"#(?=\w)")


class GapLine(Struct, frozen=True, kw_only=True):
    """A line, or the part of one, that is between two tokens: white space, then perhaps a comment.

    `start` is its offset. `comment` is the offset of the comment's `#`, or None without a comment.
    `end` is the offset of the line end, and `following` is the offset of the next line. Of the last
    line of a gap, both are the end of the gap.
    """

    start: int
    comment: int | None
    end: int
    following: int


def gap_lines(text: str, start: int, end: int) -> tuple[GapLine, ...]:
    """Return the lines of the gap between two offsets: one more than the line ends in the gap.

    The first one is the rest of the line at `start`, the last one is the beginning of the line at
    `end`.
    """
    lines: list[GapLine] = []
    for found in LINE_END.finditer(text, start, end):
        lines.append(_line(text, start, found.start(), found.end()))
        start = found.end()
    return (*lines, _line(text, start, end, end))


def _line(text: str, start: int, end: int, following: int) -> GapLine:
    at = text.find("#", start, end)
    return GapLine(start=start, comment=None if at < 0 else at, end=end, following=following)


class GapEditor:
    """Collects in `edits` the changes that tidy the gaps between the tokens of one text.

    Edits must be added in order of position, and must not overlap.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.edits: list[SpaceEdit] = []

    def put(self, start: int, end: int, text: str) -> None:
        """Add the edit that puts `text` between two offsets, unless that is there already."""
        if self._text[start:end] != text:
            self.edits.append((start, end, text))

    def between(self, start: int, end: int, *, space: bool | None) -> None:
        """Set the gap between two tokens on one line.

        `space`: True for one space, False for none, None for one space if there is any.
        """
        kept = end > start if space is None else space
        self.put(start, end, " " if kept else "")

    def trailing(self, line: GapLine) -> None:
        """Set what follows a token on its line: nothing, or a comment behind one space."""
        if line.comment is None:
            self.put(line.start, line.end, "")
            return
        self.put(line.start, line.comment, " ")
        self._comment(line.comment, line.end)

    def whole(
        self, lines: tuple[GapLine, ...], column: Callable[[int], int], *, blank: bool
    ) -> None:
        """Set whole lines in order.

        `column` returns the new column of a comment for its old one. Of several blank lines in a
        row one stays. `blank`: the line above `lines` counts as blank, so that blank lines directly
        below it go.
        """
        for line in lines:
            if line.comment is not None:
                at = column(line.comment - line.start)
                self.put(line.start, line.comment, " " * at)
                self._comment(line.comment, line.end)
            elif blank:
                self.put(line.start, line.following, "")
            else:
                self.put(line.start, line.end, "")
            blank = line.comment is None

    def last(
        self, lines: tuple[GapLine, ...], column: Callable[[int], int], *, blank: bool
    ) -> None:
        """Do as `whole` for the last lines of the text, but leave no blank line at its end."""
        kept = len(lines)
        while kept and lines[kept - 1].comment is None:
            kept -= 1
        self.whole(lines[:kept], column, blank=blank)
        for line in lines[kept:]:
            self.put(line.start, line.following, "")

    def end_line(self, at: int) -> None:
        """Add a line end like that of the text's first line. `at` is the end of the text."""
        self.put(at, at, line_end_of(self._text))

    def _comment(self, start: int, end: int) -> None:
        if _UNSPACED.match(self._text, start, end):
            self.put(start + 1, start + 1, " ")
        body = self._text[start:end].rstrip()
        self.put(start + len(body), end, "")
