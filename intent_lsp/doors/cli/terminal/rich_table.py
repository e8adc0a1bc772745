"""A table drawn by rich: colours, and columns that give way where the window is narrow.

Invariant: what stands in a cell is text, never rich's markup.
Invariant: nothing is cut off: a column is shown whole, folded, or not at all, and what a terminal
is to wrap is one line.
"""

from collections.abc import Sequence
from typing import Final, TextIO

from rich import table as rich_tables
from rich.console import Console
from rich.text import Text

from intent_lsp.doors.cli.terminal.escape import spoken, width
from intent_lsp.doors.cli.terminal.table import GAP, Column, TextTable

_FOLDED: Final = 16
"""Columns of a terminal below which a folded text is hard to read."""


def draw(table: TextTable, out: TextIO) -> None:
    """Draw on a terminal; NO_COLOR, COLUMNS and TERM are honoured."""
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
        # Where even this is too wide, all of them fold.
        drawn.add_column(column.heading, no_wrap=fits and not column.fold, overflow="fold")
    for row in table.rows:
        cells = [row[place] for place in places]
        drawn.add_row(*[Text(spoken(cell.text), style=cell.style) for cell in cells])
    console.print(drawn)


def _draw_free(table: TextTable, places: Sequence[int], console: Console) -> None:
    """Draw each row as one line, however wide the window is."""
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
    """Choose the columns: all, or without as many spare ones as it takes, the last first."""
    places = list(range(len(table.columns)))
    for place in reversed(range(len(table.columns))):
        if table.columns[place].spare and _needed(table, places) > wide:
            places.remove(place)
    return places


def _needed(table: TextTable, places: Sequence[int]) -> int:
    """Count the columns of a terminal that some columns of the table need to be read."""
    needs = [_need(table.columns[place], table, place) for place in places]
    return sum(needs) + len(GAP) * (len(needs) - 1)


def _need(column: Column, table: TextTable, place: int) -> int:
    texts = [column.heading, *(spoken(row[place].text) for row in table.rows)]
    longest = max(map(width, texts))
    return min(longest, _FOLDED) if column.fold or column.free else longest
