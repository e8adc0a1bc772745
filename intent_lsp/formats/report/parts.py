"""HTML parts that the report's sections share: names, times, numbers, verdicts, tables.

Invariant: text from records is inside a `bdi`, so that its writing direction affects nothing else.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.report.aggregates import LineCount, Tally
from intent_lsp.formats.report.html_text import Html, Inside, joined, tag

LONGEST: Final = 400
"""Characters of a text from a record that are shown."""

NUMBERED: Final = ("Edits", "Lines", "Out of scope")
"""Headings of numeric columns: the first three that `tally_cells` fills."""

_SECONDS: Final = len("2026-11-21T20:27:33")


def named(text: str) -> Html:
    """Return a name or sentence from a record as HTML, cut off if it is very long."""
    return tag("bdi", text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def coded(text: str) -> Html:
    """Return a hash, an id or a path as HTML."""
    return tag("code", named(text))


def intent_named(intent: str | None) -> Html:
    """Return an intent's id as HTML. None: no intent was selected."""
    return tag("span", "no intent", class_="soft") if intent is None else named(intent)


def moment(timestamp: str) -> str:
    """Return a UTC timestamp to the second, without the `T`."""
    return timestamp[:_SECONDS].replace("T", " ")


def number(count: int) -> str:
    """Return a count with thousands separators."""
    return f"{count:,}"


def lines_changed(lines: LineCount) -> str:
    """Return the added and removed lines, and the number of files not compared by line, as text."""
    told = f"+{lines.added:,} −{lines.removed:,}"  # noqa: RUF001 -- a minus, as print has it
    return told if not lines.whole else f"{told}, {lines.whole:,} whole"


def badge(record: Record) -> Html:
    """Return the verdict of a record as HTML."""
    verdict = record.scope_validation.value
    return tag("span", verdict, class_=verdict)


def table(caption: str, headings: Sequence[Inside], rows: Iterable[Html], class_: str) -> Html:
    """Return a table that scrolls on its own in a narrow window."""
    head = tag("thead", tag("tr", *(_heading(heading) for heading in headings)))
    body = tag("tbody", joined(rows))
    return tag(
        "div", tag("table", tag("caption", caption), head, body, class_=class_), class_="wide"
    )


def tally_cells(tally: Tally) -> Sequence[Html]:
    """Return the cells of a group: edits, lines, violations and the time of the last edit."""
    alarm = tag("span", number(tally.violations), class_="mark") if tally.violations else "0"
    return (
        tag("td", number(tally.edits), class_="number"),
        tag("td", lines_changed(tally.lines), class_="number"),
        tag("td", alarm, class_="number"),
        tag("td", moment(tally.last), class_="when"),
    )


def _heading(heading: Inside) -> Html:
    if heading in NUMBERED:
        return tag("th", heading, scope="col", class_="number")
    return tag("th", heading, scope="col")
