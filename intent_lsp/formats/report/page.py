"""The ledger report as one self-contained HTML page (ledger section 7).

Invariant: the page loads nothing from the network, and its Content-Security-Policy forbids it.
Invariant: text from records is shown as text only, never as markup. Invisible characters in it are
escaped.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from intent_lsp.core.ledger.verification import CUT_OFF, Verification
from intent_lsp.core.records import Range, Record
from intent_lsp.core.report.aggregates import (
    By,
    LineCount,
    ReportData,
    contributor_name,
    count_of_files,
    count_of_runs,
)
from intent_lsp.core.text import counted, escape_unseen
from intent_lsp.formats.markdown.provenance import doubts
from intent_lsp.formats.report.charts import heat_of, timeline_chart

OPENING: Final = "<!doctype html>\n<!-- intent-lsp report -->\n"
"""The first lines of every report, by which it is known."""

LONGEST: Final = 400
"""The most characters of a text from a record that are shown."""

_SECONDS: Final = len("2026-11-21T20:27:33")


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
        "heat": heat_of(survey),
        "chart": timeline_chart(survey.hours),
        "places": {record.id: place for place, record in enumerate(survey.newest)},
        "anchors": found.shown_anchors,
    }


def _verdict(found: Verification) -> str:
    """Return a sentence: the ledger is intact, cut off, or broken (ledger section 2)."""
    if not found.wrong:
        return "The ledger is intact: all hashes and links match"
    if found.wrong <= CUT_OFF:
        return "Records are MISSING from the ledger: a file, or the end of one. The others match"
    return "The ledger is DAMAGED, cannot be read, or was CHANGED after it was written"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _moment(timestamp: str) -> str:
    """Return a UTC timestamp up to its seconds, with a space in place of the `T`."""
    return timestamp[:_SECONDS].replace("T", " ")


def _lines(lines: LineCount) -> str:
    """Return counts as text: lines added, lines removed, and files not compared line by line."""
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
