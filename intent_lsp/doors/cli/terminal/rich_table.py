"""Draws a table on a terminal with rich: colours, and columns that fit the window.

Invariant: a cell's text is never read as rich's markup.
Invariant: no text is cut off. A column is shown whole, folded, or not at all. If the last column is
`free` (see Column), each row is written as one line, and the terminal wraps it.
"""

from collections.abc import Sequence
from typing import Final, TextIO

from rich import table as rich_tables
from rich.console import Console
from rich.text import Text

from intent_lsp.doors.cli.terminal.table import GAP, Column, TextTable, spoken, width

_FOLDED: Final = 16
"""The narrowest width, in characters, at which folded text is still readable."""


def draw(table: TextTable, out: TextIO) -> None:
    """Draw a table on the terminal `out` with rich. Respect NO_COLOR, COLUMNS and TERM."""
    console = Console(file=out, highlight=False)
    places = _fitting(table, console.width)
    if table.columns[places[-1]].free:
        _draw_free(table, places, console)
        return
    fits = _needed(table, places) <= console.width
    drawn = rich_tables.Table(
        box=None, show_header=table.headed, pad_edge=False, padding=(0, len(GAP), 0, 0)
    )
    for column in (table.columns[place] for place in places):
        # If the table is too wide even so, every column folds.
        drawn.add_column(column.heading, no_wrap=fits and not column.fold, overflow="fold")
    for row in table.rows:
        cells = [row[place] for place in places]
        drawn.add_row(*[Text(spoken(cell.text), style=cell.style) for cell in cells])
    console.print(drawn)


def _draw_free(table: TextTable, places: Sequence[int], console: Console) -> None:
    """Draw each row of a table as one line, which the terminal wraps.

    `places` are the indexes of the columns to show.
    """
    rows = [[row[place] for place in places] for row in table.rows]
    widths = [
        max(width(spoken(cell.text)) for cell in column) for column in zip(*rows, strict=True)
    ]
    for row in rows:
        line = Text()
        for cell, wanted in zip(row[:-1], widths, strict=False):
            text = spoken(cell.text)
            line.append(text, style=cell.style)
            line.append(" " * (wanted - width(text)) + GAP)
        line.append(spoken(row[-1].text), style=row[-1].style)
        line.rstrip()
        console.print(line, soft_wrap=True)


def _fitting(table: TextTable, wide: int) -> Sequence[int]:
    """Return the indexes of the columns to show on a terminal of `wide` characters.

    Spare columns are dropped, the last one first, until the rest fits or no spare column is left.
    """
    places = list(range(len(table.columns)))
    for place in reversed(range(len(table.columns))):
        if table.columns[place].spare and _needed(table, places) > wide:
            places.remove(place)
    return places


def _needed(table: TextTable, places: Sequence[int]) -> int:
    """Return how many characters the columns with the indexes `places` need to be readable."""
    needs = [_need(table.columns[place], table, place) for place in places]
    return sum(needs) + len(GAP) * (len(needs) - 1)


def _need(column: Column, table: TextTable, place: int) -> int:
    texts = [column.heading, *(spoken(row[place].text) for row in table.rows)]
    longest = max(map(width, texts))
    return min(longest, _FOLDED) if column.fold or column.free else longest
