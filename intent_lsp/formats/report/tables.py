"""The tables of a report: intents and files, contributors, and edits out of scope.

Invariant: each table says how many of all rows it shows.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.report.aggregates import By, contributor_name
from intent_lsp.core.report.report_data import ReportSurvey
from intent_lsp.formats.report.html_text import Html, Inside, joined, tag
from intent_lsp.formats.report.parts import (
    NUMBERED,
    coded,
    intent_named,
    moment,
    named,
    number,
    table,
    tally_cells,
)

FILES_SHOWN: Final = 40
INTENTS_SHOWN: Final = 8
ROWS_SHOWN: Final = 50
_HEATS: Final = 5
"""Shades of the heat table."""
_TALLIED: Final = (*NUMBERED, "Last edit (UTC)")


def heat_table(survey: ReportSurvey) -> Html:
    """Return the table of the most edited files by the intents with the most edits."""
    files = [name for name, _ in survey.groups[By.PATH].largest() if name is not None]
    intents = [name for name, _ in survey.groups[By.INTENT].largest()]
    shown, columns = files[:FILES_SHOWN], intents[:INTENTS_SHOWN]
    top = max((survey.pairs[intent, file] for intent in columns for file in shown), default=0)
    caption = (
        f"{_of(len(shown), len(files), 'file')} and {_of(len(columns), len(intents), 'intent')},"
        " those with the most edits; ✕ counts the edits that were out of scope"
    )
    headings: list[Inside] = ["File", *map(intent_named, columns), "All intents"]
    rows = (_heat_row(survey, file, columns, top) for file in shown)
    return table(caption, headings, rows, "heat")


def intents_table(survey: ReportSurvey, names: Mapping[str, str]) -> Html:
    """Return the table of intents by their edits. `names` are their names in the plan now."""
    groups = survey.groups[By.INTENT].largest()
    rows = (
        _row(
            tag("th", intent_named(intent), scope="row"),
            tag("td", _called(intent, names)),
            *tally_cells(tally),
        )
        for intent, tally in groups[:ROWS_SHOWN]
    )
    caption = _of(min(len(groups), ROWS_SHOWN), len(groups), "intent")
    return table(caption, ("Intent", "Name now", *_TALLIED), rows, "plain")


def contributors_table(survey: ReportSurvey) -> Html:
    """Return the table of who made the edits, with their shares."""
    groups, all_edits = survey.groups[By.CONTRIBUTOR].largest(), survey.total.edits
    rows = (
        _row(
            tag("th", named(name or "no name is given"), scope="row"),
            tag("td", _share(tally.edits, all_edits)),
            *tally_cells(tally),
        )
        for name, tally in groups[:ROWS_SHOWN]
    )
    caption = _of(min(len(groups), ROWS_SHOWN), len(groups), "contributor")
    return table(caption, ("Contributor", "Share", *_TALLIED), rows, "plain")


def violations_table(violations: Sequence[Record], count: int, places: Mapping[str, int]) -> Html:
    """Return the table of the newest edits out of scope, of `count` in all.

    `places` maps the id of a record shown below to its index there.
    """
    if not count:
        return tag("p", "No edit was recorded as out of scope.")
    rows = (_violation(record, places.get(record.id)) for record in violations)
    caption = f"{_of(len(violations), count, 'edit')} recorded with FAIL, newest first"
    headings = ("When (UTC)", "Intent", "File", "Tool", "By", "Session", "Record")
    return table(caption, headings, rows, "plain")


def contributors(record: Record) -> str:
    """Return the names of everyone who made an edit, each once."""
    talks = (talk for file in record.files for talk in file.conversations)
    return ", ".join(dict.fromkeys(contributor_name(talk.contributor) for talk in talks)) or "-"


def files_named(record: Record) -> Inside:
    """Return the first file of an edit, and how many more there are."""
    if not record.files:
        return "-"
    more = f" (+{len(record.files) - 1:,})" if len(record.files) > 1 else ""
    return joined([coded(record.files[0].relative_path), more])


def _heat_row(survey: ReportSurvey, file: str, intents: Sequence[str | None], top: int) -> Html:
    tally = survey.groups[By.PATH].tallies[file]
    cells = (_heat_cell(survey, (intent, file), top) for intent in intents)
    total = tag("td", number(tally.edits), _crosses(tally.violations))
    return _row(tag("th", coded(file), scope="row"), *cells, total)


def _heat_cell(survey: ReportSurvey, pair: tuple[str | None, str], top: int) -> Html:
    count = survey.pairs.get(pair, 0)
    if not count:
        return tag("td", "")
    heat = 1 + (count - 1) * _HEATS // top
    return tag("td", number(count), _crosses(survey.violating.get(pair, 0)), class_=f"h{heat}")


def _crosses(violations: int) -> Inside:
    """Return the mark for a number of violations, or nothing."""
    if not violations:
        return ""
    return joined([" ", tag("span", f"✕{violations:,}", class_="mark")])


def _violation(record: Record, place: int | None) -> Html:
    short = tag("code", record.id[:8])
    link = short if place is None else tag("a", short, href=f"#record-{place}")
    return _row(
        tag("td", moment(record.timestamp), class_="when"),
        tag("td", intent_named(record.intent_id)),
        tag("td", files_named(record)),
        tag("td", named(record.tool_name)),
        tag("td", named(contributors(record))),
        tag("td", named(record.session_id)),
        tag("td", link),
    )


def _called(intent: str | None, names: Mapping[str, str]) -> Html:
    """Return an intent's name in the plan now, or a note that it has none."""
    if intent is None:
        return tag("span", "none was active", class_="soft")
    name = names.get(intent)
    return tag("span", "no longer in the plan", class_="soft") if name is None else named(name)


def _share(count: int, whole: int) -> Html:
    """Return a bar and a percentage."""
    width = round(100 * count / whole)
    full = tag("rect", width=100, height=8, class_="of")
    part = tag("rect", width=width, height=8, class_="is")
    bar = tag(
        "svg",
        full,
        part,
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )
    return joined([bar, tag("span", f"{width} %", class_="soft")])


def _of(shown: int, count: int, what: str) -> str:
    """Return the caption's count, such as "5 of 20 files"."""
    many = what if count == 1 else f"{what}s"
    return f"{count:,} {many}" if shown == count else f"{shown:,} of {count:,} {many}"


def _row(*cells: Html) -> Html:
    return tag("tr", *cells)
