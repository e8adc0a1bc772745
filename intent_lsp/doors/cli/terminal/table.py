"""Tables of cells: their plain form, aligned with blanks for a pipe, and the escaping of text.

Invariant: a cell is written as one line of printable characters: nothing moves the cursor.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.text import escape_unseen

GAP = "  "

_WIDE: Final = ("F", "W")
_SHORT: Final = str.maketrans({"\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. `style` is a rich style such as `bold red`, used only on a terminal."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    If the terminal is narrow, a column with `fold` is wrapped, and a column with `spare` is
    dropped. A last column with `free` is left for the terminal to wrap, so that selecting its text
    with a mouse gives the original line.
    """

    heading: str
    fold: bool = False
    spare: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: its columns, and its rows of cells.

    If no column has a heading, only the rows are shown.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]

    @property
    def headed(self) -> bool:
        """True if any column has a heading."""
        return any(column.heading for column in self.columns)

    def aligned(self) -> list[str]:
        """Return the table as lines with columns aligned by blanks, without trailing blanks."""
        rows = [[spoken(cell.text) for cell in row] for row in self.rows]
        if self.headed:
            rows.insert(0, [column.heading for column in self.columns])
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        return [_aligned(row, widths) for row in rows]


LabelledCell = tuple[str, Cell]
"""A label and its cell. An empty label continues the row above."""


def facts_table(facts: Iterable[LabelledCell]) -> TextTable:
    """Return labelled cells as a table of two columns without headings: labels and cells."""
    rows = [(Cell(name, "dim"), cell) for name, cell in facts]
    return TextTable((Column(""), Column("", fold=True)), rows)


def spoken(text: str) -> str:
    r"""Return text with its control, format and line characters escaped: `\x1b`, `\u202e`, `\n`."""
    return escape_unseen(text.translate(_SHORT))


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes. It must have no control characters."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [text + " " * (wanted - width(text)) for text, wanted in zip(row, widths, strict=True)]
    return GAP.join(padded).rstrip()


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1
