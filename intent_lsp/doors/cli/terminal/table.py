"""A table: headings and rows of cells, aligned for a pipe.

Invariant: a cell is one line, and nothing in it moves a terminal's cursor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from intent_lsp.doors.cli.terminal.escape import spoken, width

GAP = "  "


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell; `style` is one of rich's, seen on a terminal alone."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A column. Where a terminal is narrow one that may `fold` folds, and a `spare` one goes.

    A last one that is `free` goes on to the window's edge, where the terminal wraps it: what is
    selected with a mouse is then the line itself.
    """

    heading: str
    fold: bool = False
    spare: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class TextTable:
    """Rows below their columns; without any heading, the rows alone are shown."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]

    @property
    def headed(self) -> bool:
        """Whether any column has a heading."""
        return any(column.heading for column in self.columns)

    def aligned(self) -> list[str]:
        """Give the table as lines of aligned text, without blanks at their ends."""
        rows = [[spoken(cell.text) for cell in row] for row in self.rows]
        if self.headed:
            rows.insert(0, [column.heading for column in self.columns])
        widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
        return [_aligned(row, widths) for row in rows]


LabelledCell = tuple[str, Cell]
"""What is told of something, below a name; the empty name: more of the one before."""


def facts_table(facts: Iterable[LabelledCell]) -> TextTable:
    """Give facts as a table without headings, each behind its name."""
    rows = [(Cell(name, "dim"), cell) for name, cell in facts]
    return TextTable((Column(""), Column("", fold=True)), rows)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [text + " " * (wanted - width(text)) for text, wanted in zip(row, widths, strict=True)]
    return GAP.join(padded).rstrip()
