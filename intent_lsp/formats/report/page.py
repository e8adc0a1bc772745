"""The ledger report as one self-contained HTML page (ledger section 7).

Invariant: the page loads nothing from the network, and its Content-Security-Policy forbids it.
Invariant: text from records is shown as text only, never as markup.
"""

from collections.abc import Iterator
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import Anchor, AnchorKind, LedgerProblem, Verification
from intent_lsp.core.report.aggregates import By
from intent_lsp.core.report.report_data import ReportData, ReportSurvey
from intent_lsp.core.report.timeline import timeline
from intent_lsp.formats.report.html_text import Html, Inside, joined, tag
from intent_lsp.formats.report.parts import coded, moment, named, number, table
from intent_lsp.formats.report.records import records_list
from intent_lsp.formats.report.style import SCRIPT, STYLE, policy
from intent_lsp.formats.report.tables import (
    contributors_table,
    heat_table,
    intents_table,
    violations_table,
)
from intent_lsp.formats.report.timeline import BARS, timeline_figure

OPENING: Final = "<!doctype html>\n<!-- intent-lsp report -->\n"
"""The first lines of every report. No other file begins with them."""

_HEADS_SHOWN: Final = 10
_NOT_PROVABLE: Final = "that every edit was recorded, and that clocks were right"


def report_html(report: ReportData) -> str:
    """Return the page. Characters that UTF-8 cannot encode are escaped."""
    page = tag("html", _head(report), tag("body", *_body(report)), lang="en")
    return f"{OPENING}{page.text}\n"


def _head(report: ReportData) -> Html:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"Ledger report: {report.project}"),
        tag("style", Html(STYLE)),
    )


def _body(report: ReportData) -> Iterator[Html]:
    survey = report.survey
    yield tag("header", *_header(report), _verdict(report.verification))
    yield tag(
        "main",
        _section("Summary", _cards(survey)),
        _section("Timeline", timeline_figure(timeline(survey.hours, BARS))),
        *(_tables(report) if survey.total.edits else ()),
        _section("Out of scope", _violations(survey)),
        *_records(survey),
    )
    yield tag(
        "footer",
        f"Made by {report.product} from nothing but the ledger. `intent-lsp trace verify` checks it"
        " again, and `intent-lsp trace show` shows all about one record.",
    )
    yield tag("script", Html(SCRIPT))


def _header(report: ReportData) -> Iterator[Html]:
    total = report.survey.total
    yield tag("h1", "Ledger report: ", named(report.project))
    told = f"{_edits(total.edits)}"
    if total.edits:
        told += f" from {moment(total.first)} to {moment(total.last)}"
    yield tag("p", f"{told}. Made {moment(report.made_at)}. All times are UTC.", class_="soft")
    if report.filters:
        chips = (tag("span", named(said), class_="chip") for said in report.filters)
        yield tag("p", "Only records that match ", *chips)


def _edits(count: int) -> str:
    return "1 edit" if count == 1 else f"{count:,} edits"


def _verdict(found: Verification) -> Html:
    """Return the section on what the hash chain proves and what it cannot (ledger section 2)."""
    wrong = {each.code for each in found.problems if each.severity is Severity.ERROR}
    title = "The ledger is NOT what was written"
    if not wrong:
        title = "The ledger is intact: all hashes and links match"
    elif wrong <= {LedgerCode.TRUNCATED, LedgerCode.MISSING_SEGMENT}:
        title = "What is left of the ledger matches, but records were CUT OFF"
    facts: list[tuple[str, Inside]] = [
        ("verified", f"{found.records:,} records in {_files(found.segments)}, the whole ledger"),
        ("proved", named(found.proved)),
        ("conditional", named(found.conditional)),
        ("not provable here", _NOT_PROVABLE),
        *(("anchor", _anchor(anchor)) for anchor in found.anchors if _is_told(anchor)),
        *(("head", coded(head.hash)) for head in found.heads[:_HEADS_SHOWN]),
    ]
    if len(found.heads) > _HEADS_SHOWN:
        facts.append(("heads", f"and {len(found.heads) - _HEADS_SHOWN:,} more"))
    told = joined(joined([tag("dt", name), tag("dd", fact)]) for name, fact in facts)
    inside = [tag("h2", title), tag("dl", told)]
    if found.problems:
        headings = ("Severity", "Code", "Place", "What")
        inside.append(table("What was found", headings, map(_problem, found.problems), "plain"))
    return tag("section", *inside, class_=f"verdict {'sound' if found.ok else 'broken'}")


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _is_told(anchor: Anchor) -> bool:
    """Whether to show an anchor: known heads are shown only if no file contains them."""
    return anchor.kind is not AnchorKind.KNOWN_HEAD or anchor.records is None


def _anchor(anchor: Anchor) -> Html:
    held = "in no file" if anchor.records is None else f"proves {anchor.records:,} records"
    name = joined([" ", named(anchor.name)]) if anchor.name else ""
    return joined([coded(anchor.hash), f" ({anchor.kind.value}", name, f"): {held}"])


def _problem(problem: LedgerProblem) -> Html:
    class_ = "FAIL" if problem.severity is Severity.ERROR else "EXEMPT"
    return tag(
        "tr",
        tag("td", tag("span", problem.severity.name.lower(), class_=class_)),
        tag("td", tag("code", problem.code.value)),
        tag("td", coded(f"{problem.file}:{problem.line}")),
        tag("td", named(problem.message)),
    )


def _section(title: str, *inside: Html) -> Html:
    return tag("section", tag("h2", title), *inside)


def _cards(survey: ReportSurvey) -> Html:
    total = survey.total
    cards = (
        ("edits", number(total.edits), False),
        ("lines added", number(total.lines.added), False),
        ("lines removed", number(total.lines.removed), False),
        ("files", number(_named(survey, By.PATH)), False),
        ("intents", number(_named(survey, By.INTENT)), False),
        ("sessions", number(_named(survey, By.SESSION)), False),
        ("out of scope", number(total.violations), total.violations > 0),
        ("failed", number(total.failed), total.failed > 0),
        ("assumed", number(total.assumed), False),
    )
    entries = (
        tag("li", tag("b", count), what, class_="alarm" if alarm else "calm")
        for what, count, alarm in cards
    )
    return tag("ul", *entries, class_="cards")


def _named(survey: ReportSurvey, by: By) -> int:
    """Return how many names there are in a group; records without one do not count."""
    return sum(1 for name in survey.groups[by].tallies if name is not None)


def _tables(report: ReportData) -> Iterator[Html]:
    yield _section("Intents and files", heat_table(report.survey))
    yield _section("Intents", intents_table(report.survey, report.names))
    yield _section("Who made the edits", contributors_table(report.survey))


def _violations(survey: ReportSurvey) -> Html:
    places = {record.id: place for place, record in enumerate(survey.newest)}
    return violations_table(survey.violations, survey.total.violations, places)


def _records(survey: ReportSurvey) -> Iterator[Html]:
    """Yield the section of the newest records, with a filter box that the script makes visible."""
    if not survey.newest:
        return
    shown, count = len(survey.newest), survey.total.edits
    told = f"All {_edits(count)}, newest first."
    if shown < count:
        told = f"The newest {shown:,} of {count:,} edits; all of them are in the figures above."
    tools = tag(
        "div",
        tag(
            "input",
            id="filter",
            type="search",
            autocomplete="off",
            placeholder="path, intent, FAIL, session, hash …",
            aria_label="Show only the records that hold all these words",
        ),
        tag("button", "Expand or collapse all", id="toggle", type="button"),
        tag("span", "", id="shown", role="status", class_="soft"),
        class_="tools",
        hidden="",
    )
    yield _section("Records", tag("p", told, class_="soft"), tools, records_list(survey.newest))
