"""The answer to `trace report`: the page made, and put where it was asked for."""

from pathlib import Path

from intent_lsp import __version__
from intent_lsp.core.report.report_data import Report, Survey
from intent_lsp.core.timestamps import timestamp
from intent_lsp.doors.cli.command import PROGRAM, Call
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.doors.cli.indexed import indexed
from intent_lsp.doors.cli.ledger.report_file import put_report
from intent_lsp.doors.cli.ledger.search import search
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.formats.report.page import report_html
from intent_lsp.governance.rules import RulesCache
from intent_lsp.store import clock

_HERE = "-"


def answer(call: Call) -> int:
    """Write the page; 1 when the ledger does not verify, which the page says too."""
    report = _report(call)
    page = report_html(report)
    spelled = call.options.html
    if spelled == _HERE:
        call.page.document(page)
    else:
        # Seen from where `-C` says that one stands, as all paths are.
        file = Path(call.options.root) / spelled
        put_report(file, page, root=root_above(call.options.root), force=call.options.force)
        call.page.line(f"{spelled}: {_told(report)}")
    if report.verification.ok:
        return Exit.FINE
    call.page.remark("intent-lsp: the ledger failed verification; the report shows where")
    return Exit.VIOLATIONS


def _report(call: Call) -> Report:
    options = call.options
    root = root_above(options.root)
    survey = Survey()
    with indexed(root, call.page) as trace:
        asked = search(options, root, trace)
        # First, so that no record on the page is newer than what the verdict is on.
        verification = trace.verify()
        for record in asked.newest_first(trace):
            survey.count(record)
    intents = RulesCache(root).current().file.intents
    return Report(
        project=root.name,
        product=f"{PROGRAM} {__version__}",
        made_at=timestamp(clock.now()),
        filters=tuple(asked.said),
        names={name: intent.name for intent in intents for name in intents.names(intent)},
        verification=verification,
        survey=survey,
    )


def _told(report: Report) -> str:
    edits = report.survey.total.edits
    return "1 edit" if edits == 1 else f"{edits:,} edits"
