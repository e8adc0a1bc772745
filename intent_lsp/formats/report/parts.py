"""The small parts that a report's sections share: names, moments, numbers, verdicts, tables.

Invariant: a foreign name stands in a `bdi`, so that its direction ends where it ends.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.report.aggregates import LineCount, Tally
from intent_lsp.formats.report.html_text import Html, Inside, joined, tag

LONGEST: Final = 400
"""Characters of a foreign text that are shown."""

NUMBERED: Final = ("Edits", "Lines", "Out of scope")
"""Headings of columns of numbers, the first three that `tally_cells` gives."""

_SECONDS: Final = len("2026-11-21T20:27:33")


def named(text: str) -> Html:
    """Write a foreign name or sentence, its end cut off where it is very long."""
    return tag("bdi", text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def coded(text: str) -> Html:
    """Write a hash, an id or a path."""
    return tag("code", named(text))


def intent_named(intent: str | None) -> Html:
    """Write an intent's id."""
    return tag("span", "no intent", class_="soft") if intent is None else named(intent)


def moment(timestamp: str) -> str:
    """Spell a ledger's time, which is UTC, to the second."""
    return timestamp[:_SECONDS].replace("T", " ")


def number(count: int) -> str:
    """Spell a count with its thousands apart."""
    return f"{count:,}"


def lines_changed(lines: LineCount) -> str:
    """Say how many lines came and went, and how many files were not compared."""
    told = f"+{lines.added:,} −{lines.removed:,}"  # noqa: RUF001 -- a minus, as print has it
    return told if not lines.whole else f"{told}, {lines.whole:,} whole"


def badge(record: Record) -> Html:
    """Write the verdict of a record."""
    verdict = record.scope_validation.value
    return tag("span", verdict, class_=verdict)


def table(caption: str, headings: Sequence[Inside], rows: Iterable[Html], class_: str) -> Html:
    """Write a table that scrolls by itself where the window is narrow."""
    head = tag("thead", tag("tr", *(_heading(heading) for heading in headings)))
    body = tag("tbody", joined(rows))
    return tag(
        "div", tag("table", tag("caption", caption), head, body, class_=class_), class_="wide"
    )


def tally_cells(tally: Tally) -> Sequence[Html]:
    """Write edits, lines, violations and the last moment of a group."""
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
