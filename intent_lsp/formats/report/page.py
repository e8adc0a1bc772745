"""The ledger report as one self-contained HTML page, with its charts (ledger section 7).

Invariant: the page loads nothing from the network, and its Content-Security-Policy forbids it.
Invariant: text from records is shown as text only, never as markup. Invisible characters in it are
escaped.
Invariant: there are at most `BARS` bars, and each has a text that says what it shows.
"""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from intent_lsp.core.ledger.verification import CUT_OFF, Verification
from intent_lsp.core.records import Range, Record, ScopeValidation
from intent_lsp.core.report.aggregates import (
    By,
    LineCount,
    ReportData,
    ReportSurvey,
    Tally,
    contributor_name,
    count_of_files,
    count_of_runs,
)
from intent_lsp.core.report.timeline import Hour, Timeline, TimelinePart, timeline
from intent_lsp.core.text import counted, escape_unseen
from intent_lsp.formats.markdown.provenance import doubts

OPENING: Final = "<!doctype html>\n<!-- intent-lsp report -->\n"
"""The first lines of every report, by which it is known."""

LONGEST: Final = 400
"""The most characters of a text from a record that are shown."""

BARS: Final = 72
"""The most bars of the chart."""

_FILES_SHOWN: Final = 40
_INTENTS_SHOWN: Final = 8
# Sizes in the units of the SVG that the template draws.
_RIGHT: Final = 1000
_LEFT: Final = 44
_BASE: Final = 150
_HIGHEST: Final = 144
_LOWEST: Final = 1.5
_WIDEST: Final = 48
_GAP: Final = 2
_DAY: Final = 24
_ORDER: Final = (ScopeValidation.FAIL, ScopeValidation.EXEMPT, ScopeValidation.PASS)
_SECONDS: Final = len("2026-11-21T20:27:33")


class Heat(Struct, frozen=True, kw_only=True):
    """The contents of the heat table: the most edited files, and the intents with the most edits.

    An intent that is None stands for edits without an intent. `all_files` and `all_intents` also
    count files and intents beyond the table's size. A cell has the edits of one file for one
    intent; `top` is the greatest number in a cell.
    """

    files: Sequence[tuple[str, Tally]]
    intents: Sequence[str | None]
    all_files: int
    all_intents: int
    top: int


class ChartPiece(Struct, frozen=True):
    """The part of a bar for the edits with one verdict. `y` is the coordinate of its upper end.

    Coordinates and heights are texts in the units of the SVG.
    """

    verdict: ScopeValidation
    y: str
    height: str


class ChartBar(Struct, frozen=True):
    """A bar of the chart: the edits of one period, stacked by verdict. `x` is its left coordinate.

    `title` is the text with the period and the counts.
    """

    title: str
    x: str
    pieces: Sequence[ChartPiece]


class Chart(Struct, frozen=True, kw_only=True):
    """The edits over time as bars. Each bar stands for a period.

    `period` is the length of a period, such as `2 hours`. A period without edits has no bar. `top`
    is the greatest number of edits in one bar. `first` and `last` are the labels of the first and
    the last period; `last` is "" if there is only one. `end` is the coordinate where the last
    period ends, and `width` is the width of a bar.
    """

    period: str
    top: int
    first: str
    last: str
    end: int
    width: str
    bars: Sequence[ChartBar]


def report_html(report: ReportData, files: Mapping[str, str]) -> str:
    """Return a report as an HTML page.

    `files` maps `page.html`, `page.css` and `page.js` to their contents. Characters that UTF-8
    cannot encode are escaped.
    """
    style, script = files["page.css"], files["page.js"]
    values = {**_values(report), "style": style, "script": script, "policy": policy(style, script)}
    return f"{OPENING}{_template(files['page.html'])(values)}\n"


def policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows only this style sheet and this script."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _template(text: str) -> Callable[[Mapping[str, object]], str]:
    """Return the function that renders the Jinja template `text`, given the template's variables.

    Line ends in the template, and spaces around them, are dropped.
    """
    # Imported late: only a report needs it, and other commands would start more slowly.
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    environment = Environment(autoescape=True, finalize=_visible, undefined=StrictUndefined)
    environment.filters |= _FILTERS
    return environment.from_string("".join(map(str.strip, text.splitlines()))).render


def _visible(value: object) -> object:
    """Return a value as text with invisible characters escaped, or unchanged if it is markup."""
    return value if hasattr(value, "__html__") else escape_unseen(str(value))


def _values(report: ReportData) -> Mapping[str, object]:
    """Return the variables of the page's template, by name."""
    survey, found = report.survey, report.verification
    return {
        "report": report,
        "survey": survey,
        "total": survey.total,
        "intents": survey.groups[By.INTENT].largest(),
        "contributors": survey.groups[By.CONTRIBUTOR].largest(),
        "heat": _heat(survey),
        "chart": _chart(survey.hours),
        "places": {record.id: place for place, record in enumerate(survey.newest)},
        "anchors": found.shown_anchors,
    }


def _verdict(found: Verification) -> str:
    """Return a sentence: the ledger is intact, lacks records or is damaged (ledger section 2)."""
    if not found.wrong:
        return "The ledger is intact: all hashes and links match"
    if found.wrong <= CUT_OFF:
        return "Records are MISSING from the ledger: a file, or the end of one. All else matches"
    return "The ledger is DAMAGED, cannot be read, or was CHANGED after it was written: see below"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _moment(timestamp: str) -> str:
    """Return a UTC timestamp up to its seconds, with a space in place of the `T`."""
    return timestamp[:_SECONDS].replace("T", " ")


def _lines(lines: LineCount) -> str:
    """Return counts as text: `+12 -3, 2 whole` (2 files are not compared line by line)."""
    changed = f"+{lines.added:,} −{lines.removed:,}"  # noqa: RUF001 -- a minus, as print has it
    return changed if not lines.whole else f"{changed}, {lines.whole:,} whole"


def _changed(record: Record) -> str:
    """Return how many lines a record added and removed, as text, or "" if it has no ranges."""
    compared = any(talk.ranges for file in record.files for talk in file.conversations)
    return _lines(count_of_files(record.files)) if compared else ""


def _range(run: Range) -> str:
    here = f"{run.start_line}–{run.end_line}" if run.start_line else "none left"  # noqa: RUF001 -- a range in print
    return f"{here} ({_lines(count_of_runs((run,)))})"


def _contributors(record: Record) -> str:
    """Return the names of everyone who made an edit, each once, or `-` if there is nobody."""
    talks = (talk for file in record.files for talk in file.conversations)
    return ", ".join(dict.fromkeys(contributor_name(talk.contributor) for talk in talks)) or "-"


def _heat(survey: ReportSurvey) -> Heat:
    """Return the contents of the heat table: the files and the intents with the most edits.

    These are at most 40 files and 8 intents.
    """
    files = [(name, tally) for name, tally in survey.groups[By.PATH].largest() if name is not None]
    intents = [name for name, _ in survey.groups[By.INTENT].largest()]
    shown, columns = files[:_FILES_SHOWN], intents[:_INTENTS_SHOWN]
    return Heat(
        files=shown,
        intents=columns,
        all_files=len(files),
        all_intents=len(intents),
        top=max((survey.pairs[name, file] for name in columns for file, _ in shown), default=0),
    )


def _chart(hours: Mapping[tuple[Hour, ScopeValidation], int]) -> Chart | None:
    """Return the edits over time as a chart, or None if there are no edits.

    `hours` is the number of edits for each hour and verdict.
    """
    line = timeline(hours, BARS)
    if not line.parts:
        return None
    top = max(part.edits for part in line.parts)
    step = min((_RIGHT - _LEFT) / len(line.parts), _WIDEST)
    return Chart(
        period=_period(line.hours),
        top=top,
        first=_label(line, 0),
        last=_label(line, -1) if len(line.parts) > 1 else "",
        end=_LEFT + int(step * len(line.parts)),
        width=f"{step - _GAP:.1f}",
        bars=[
            ChartBar(_title(part), f"{_LEFT + step * place:.1f}", tuple(_stack(part, top)))
            for place, part in enumerate(line.parts)
            if part.edits
        ],
    )


def _period(hours: int) -> str:
    """Return a number of hours as text, such as `2 hours`, `1 day` or `4 weeks`."""
    units = (("week", 7 * _DAY), ("day", _DAY), ("hour", 1))
    unit, length = next(each for each in units if hours % each[1] == 0)
    return f"1 {unit}" if hours == length else f"{hours // length} {unit}s"


def _label(line: Timeline, place: int) -> str:
    start = line.parts[place].start
    return start if line.hours < _DAY else start.partition(" ")[0]


def _title(part: TimelinePart) -> str:
    counts = (
        f"{part.counts[each]} {each.value}" for each in reversed(_ORDER) if part.counts.get(each)
    )
    return f"{part.start}: {', '.join(counts)}"


def _stack(part: TimelinePart, top: int) -> Iterator[ChartPiece]:
    """Yield a part of a bar for each verdict that has edits, from the bottom up, FAIL first.

    `top` is the greatest number of edits in any bar, which sets the scale. Each part is high enough
    to be seen.
    """
    y = float(_BASE)
    for verdict in _ORDER:
        count = part.counts.get(verdict, 0)
        if count:
            height = max(_HIGHEST * count / top, _LOWEST)
            y -= height
            yield ChartPiece(verdict, f"{max(y, 0):.1f}", f"{height:.1f}")


_FILTERS: Final = {
    "changed": _changed,
    "contributor": contributor_name,
    "contributors": _contributors,
    "counted": counted,
    "cut": _cut,
    "doubts": doubts,
    "lines": _lines,
    "moment": _moment,
    "number": "{:,}".format,
    "range": _range,
    "verdict": _verdict,
}
