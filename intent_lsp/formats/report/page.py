"""A report on the ledger as one page of HTML, which needs nothing but itself (ledger section 7).

Invariant: the page asks no network for anything, and its own policy would not let it.
Invariant: nothing that a record says is more than text on it, and all of that text can be seen.
"""

import base64
import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import AnchorKind, Verification
from intent_lsp.core.records import Range, Record
from intent_lsp.core.report.aggregates import (
    By,
    LineCount,
    contributor_name,
    count_of_files,
    count_of_runs,
)
from intent_lsp.core.report.report_data import ReportData
from intent_lsp.core.text import escape_unseen
from intent_lsp.formats.markdown.provenance import doubts
from intent_lsp.formats.report.charts import heat_of, timeline_chart

OPENING: Final = "<!doctype html>\n<!-- intent-lsp report -->\n"
"""How every report begins, and nothing else does."""

LONGEST: Final = 400
"""Characters of a foreign text that are shown."""

_SECONDS: Final = len("2026-11-21T20:27:33")


def report_html(report: ReportData, files: Mapping[str, str]) -> str:
    """Return the page. `files` are the template, the style sheet and the script, by their names.

    Lone surrogates and all else that UTF-8 lacks are spelled out.
    """
    style, script = files["page.css"], files["page.js"]
    values = {**_values(report), "style": style, "script": script, "policy": policy(style, script)}
    return f"{OPENING}{_template(files['page.html'])(values)}\n"


def policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: only this style and this script, and no network."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _template(text: str) -> Callable[[Mapping[str, object]], str]:
    """Compile a template, in which a line's end and the spaces around it are nothing."""
    # For a report alone: no other command waits for it.
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    environment = Environment(autoescape=True, finalize=_visible, undefined=StrictUndefined)
    environment.filters |= _FILTERS
    return environment.from_string("".join(map(str.strip, text.splitlines()))).render


def _visible(value: object) -> object:
    """Spell out what cannot be seen in whatever the template writes; markup is its own."""
    return value if hasattr(value, "__html__") else escape_unseen(str(value))


def _values(report: ReportData) -> Mapping[str, object]:
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
        # Those that prove something, or have something wrong with them.
        "anchors": [
            anchor
            for anchor in found.anchors
            if anchor.kind is not AnchorKind.KNOWN_HEAD or anchor.records is None
        ],
    }


def _verdict(found: Verification) -> str:
    """Say what the chain shows, and what it cannot (ledger section 2)."""
    wrong = {each.code for each in found.problems if each.severity is Severity.ERROR}
    if not wrong:
        return "The ledger is intact: all hashes and links match"
    if wrong <= {LedgerCode.TRUNCATED, LedgerCode.MISSING_SEGMENT}:
        return "What is left of the ledger matches, but records were CUT OFF"
    return "The ledger is NOT what was written"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _moment(timestamp: str) -> str:
    """Spell a ledger's time, which is UTC, to the second."""
    return timestamp[:_SECONDS].replace("T", " ")


def _lines(lines: LineCount) -> str:
    """Say how many lines came and went, and how many files were not compared."""
    changed = f"+{lines.added:,} −{lines.removed:,}"  # noqa: RUF001 -- a minus, as print has it
    return changed if not lines.whole else f"{changed}, {lines.whole:,} whole"


def _changed(record: Record) -> str:
    compared = any(talk.ranges for file in record.files for talk in file.conversations)
    return _lines(count_of_files(record.files)) if compared else ""


def _range(run: Range) -> str:
    here = f"{run.start_line}–{run.end_line}" if run.start_line else "none left"  # noqa: RUF001 -- a range in print
    return f"{here} ({_lines(count_of_runs((run,)))})"


def _contributors(record: Record) -> str:
    """Name who made an edit, each once."""
    talks = (talk for file in record.files for talk in file.conversations)
    return ", ".join(dict.fromkeys(contributor_name(talk.contributor) for talk in talks)) or "-"


_FILTERS: Final = {
    "changed": _changed,
    "contributor": contributor_name,
    "contributors": _contributors,
    "counted": _counted,
    "cut": _cut,
    "doubts": doubts,
    "lines": _lines,
    "moment": _moment,
    "number": "{:,}".format,
    "range": _range,
    "verdict": _verdict,
}
