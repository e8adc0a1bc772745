r"""Converts offsets in a text to lines and characters, and back. Characters are code points.

Invariant: a line ends at `\r\n`, `\n` or `\r` and nowhere else, whatever YAML takes for a line
break.
"""

import re
from bisect import bisect_right

from intent_lsp.core.findings import Position, Span

LINE_END = re.compile(r"\r\n|\n|\r")


class TextPositions:
    """Converts offsets in one text to lines and characters, and back.

    An offset before the text's start counts as the start, one behind its end as the end.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._starts = [0, *(found.end() for found in LINE_END.finditer(text))]

    def position(self, offset: int) -> Position:
        """Return the line and character, both from 0, of an offset in code points."""
        kept = min(max(offset, 0), self._length)
        line = bisect_right(self._starts, kept) - 1
        return Position(line, kept - self._starts[line])

    def span(self, start: int, end: int) -> Span:
        """Return the span between two offsets. It is empty if `end` is before `start`."""
        return Span(self.position(start), self.position(max(start, end)))

    def offset(self, position: Position) -> int:
        """Return the offset of a position, or the text's end if it is below the last line.

        A character beyond the end of its line is counted on into the lines below.
        """
        if position.line >= len(self._starts):
            return self._length
        return min(self._starts[position.line] + position.character, self._length)

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of `offset` starts."""
        return self._starts[self.position(offset).line]

    def next_line(self, offset: int) -> int:
        """Return the offset of the start of the line below that of `offset`, or the text's end."""
        following = self.position(offset).line + 1
        return self._starts[following] if following < len(self._starts) else self._length


def count_line_ends(text: str) -> int:
    r"""Return the number of line ends in a text. A `\r\n` is one."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def line_end_of(text: str, otherwise: str = "\n") -> str:
    """Return the line end of the text's first line, or `otherwise` if the text has no line end."""
    found = LINE_END.search(text)
    return found.group() if found else otherwise
