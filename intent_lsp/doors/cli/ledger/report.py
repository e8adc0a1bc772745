"""The command `trace report`: the ledger as one HTML page.

Invariant: without --force only an earlier report is overwritten. A control file never is.
"""

from pathlib import Path

from intent_lsp import __version__
from intent_lsp.core.report.aggregates import ReportData, ReportSurvey
from intent_lsp.core.text import counted
from intent_lsp.core.timestamps import timestamp
from intent_lsp.doors.cli.command import PROGRAM, Call, argument, command, flag
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.ledger.search import FILTERS, indexed, search
from intent_lsp.doors.cli.locate import refuse_control_file
from intent_lsp.formats.report.page import OPENING, report_html
from intent_lsp.governance.root.rules import RulesCache
from intent_lsp.store import clock
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.write import create_file, replace_file
from intent_lsp.store.packaged_files import report_files

_HERE = "-"


@command(
    argument(
        "--html FILE",
        "write the page there; an earlier report is replaced; `-`: to standard output",
        required=True,
    ),
    flag("--force", "replace FILE whatever it holds, but no control file"),
    *FILTERS,
    examples=(
        "intent-lsp trace report --html report.html",
        "intent-lsp trace report --html last-week.html --since 1w --intent INT-001",
        "intent-lsp trace report --html - | gzip > report.html.gz",
    ),
)
def trace_report(call: Call) -> Exit | None:
    """Write the report as HTML, to a file or for `-` to standard output.

    Verify the ledger and write a report as one page of HTML: the verdict, figures, the
    edits over time, intents and files, the violations, and the newest 1,000
    records. The page needs no network and no other file. Filters choose the records that
    are shown. The verdict, and the exit status 1 for a broken ledger, always concern the
    whole ledger.

    Return 1 if the ledger fails verification, else None. Raise WrongUsageError if the file may not
    be overwritten.
    """
    report = _report(call)
    page = report_html(report, report_files())
    spelled = call.options.html
    if spelled == _HERE:
        call.page.raw(page.encode())
    else:
        # As with git, paths are relative to -C.
        file = Path(call.options.root) / spelled
        put_report(file, page, root=call.root(), force=call.options.force)
        call.page.line(f"{spelled}: {counted(report.survey.total.edits, 'edit')}")
    if report.verification.ok:
        return None
    call.page.remark("intent-lsp: the ledger failed verification; the report shows where")
    return Exit.VIOLATIONS


def _report(call: Call) -> ReportData:
    options = call.options
    root = call.root()
    survey = ReportSurvey()
    with indexed(root, call.page) as trace:
        asked = search(options, root, trace)
        # A record that is added after this line may be in the report, but the verdict does not
        # cover it.
        verification = trace.verify()
        for record in asked.newest_first(trace):
            survey.count(record)
    intents = RulesCache(root).current().file.intents
    return ReportData(
        project=root.name,
        product=f"{PROGRAM} {__version__}",
        made_at=timestamp(clock.now()),
        filters=tuple(asked.said),
        names={name: intent.name for intent in intents for name in intents.names(intent)},
        verification=verification,
        survey=survey,
    )


def put_report(file: Path, page: str, *, root: Path, force: bool) -> None:
    """Write the HTML text `page` to `file`. Unless `force`, overwrite only an earlier report.

    `root` is the governed root, whose control files are never overwritten. Raise WrongUsageError if
    `file` may not be overwritten, is not a regular file, or lies in a directory that does not
    exist; FileChangedError if another program changes it meanwhile; UnsafePathError or OSError if
    it cannot be read or written.
    """
    refuse_control_file(file, root)
    data, before = page.encode(), read_bytes(file)
    if before is None:
        if not create_file(file, data):
            raise WrongUsageError(
                f"{file} exists and is not a regular file", cure="give another file"
            )
        return
    if not (force or before.startswith(OPENING.encode())):
        raise WrongUsageError(
            f"{file} exists and is not a report", cure="give another file, or use --force"
        )
    replace_file(file, data, root=file.parent, expected=before)
