"""The commands `trace lines` and `trace map`: the lines and files that an intent changed."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.blame.attribution import BlameRun, Confidence, named
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.ledger.blame import CONFIDENCE_STYLES, origin
from intent_lsp.doors.cli.ledger.paths import path_filter
from intent_lsp.doors.cli.ledger.search import indexed
from intent_lsp.doors.cli.open import accepted, governing, identifier
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.formats.result_json import FileRuns, lines_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.ledger.blame import FileBlame, authors_of
from intent_lsp.governance.ledger.intent_lines import WorkedFiles, explained, worked_files
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.governance.root.rules import RulesCache

_COLUMNS: Final = (
    Column("Where", fold=True),
    Column("Lines"),
    Column("Confidence"),
    Column("Record"),
    Column("Who", fold=True, spare=True),
    Column("When", spare=True),
)


@command(
    argument(
        "intent INTENT",
        "the intent's id, or an earlier one; also of one that is gone from the intents file",
        type=identifier,
    ),
    argument(
        "--path PATH",
        "in this file, in files below this directory, or in those that this glob matches,"
        " as seen from here or from -C",
    ),
    examples=(
        "intent-lsp trace lines INT-001",
        "intent-lsp trace lines INT-001 --path 'src/**/*.ts'",
        "intent-lsp trace lines INT-001 --json | jq .total",
    ),
    json="write {intentId, files: [{path, uri, lines, lineCount}], …} as JSON",
)
def trace_lines(call: Call) -> None:
    """Print the lines of the current files that are attributed to the given intent.

    Show every line of the current files that is attributed to an intent, a row for each run
    of lines with one record: the file, the first and last line, how many lines these are,
    how sure the attribution is, the first digits of the record's id, the author and the
    time. The attribution is the one of `trace blame`. Files that were renamed since are
    found by their new names. The files of the intent's newest 2,000 records are searched,
    the most recently edited first, then other files into which their lines may have been
    moved; 200 files at most. If a limit may have left out files, a remark says so.

    Raise WrongUsageError if neither the intents file nor a record has the intent.
    """
    options, page = call.options, call.page
    root = call.root()
    with indexed(root, page) as trace:
        rules = RulesCache(root).current()
        meant = path_filter(options, root, trace).covers
        asked = accepted(worked_files(root, trace.ledger.index, rules, options.intent, meant))
        files = _named(root, _found(page, root, trace, asked))
    if options.json:
        told = lines_json(asked.intent_id, files, truncated=asked.truncated)
        page.json(told)
    else:
        _tell(page, files)
    _remark(page, asked, files)


def _found(page: Output, root: Path, trace: LedgerReader, asked: WorkedFiles) -> Sequence[FileRuns]:
    blaming, found = FileBlame(root, trace.ledger.index), []
    with page.bar("Finding the lines of the intent") as progress:
        for done, path in enumerate(asked.paths, 1):
            file = explained(blaming, path, asked.names)
            if file is not None:
                uri, count = (root / path).as_uri(), file.blamed.count
                found.append(FileRuns(path=path, uri=uri, line_count=count, runs=file.runs))
            progress(done, len(asked.paths))
    return found


def _named(root: Path, files: Sequence[FileRuns]) -> Sequence[FileRuns]:
    with authors_of(root) as authors:
        people = authors.people(run for file in files for run in file.runs)
    return [replace(file, runs=named(file.runs, people)) for file in files]


def _tell(page: Output, files: Sequence[FileRuns]) -> None:
    page.table(TextTable(_COLUMNS, [_row(file.path, run) for file in files for run in file.runs]))
    sure = Counter[Confidence]()
    for file in files:
        for run in file.runs:
            sure[run.confidence] += run.count
    if files:
        found, all_lines = sure.total(), sum(file.line_count for file in files)
        in_files = counted(len(files), "file")
        how_sure = ", ".join(f"{sure[each]:,} {each.value}" for each in Confidence if sure[each])
        page.line()
        page.line(
            f"{found:,} of {all_lines:,} lines in {in_files} come from the intent: {how_sure}"
        )


def _row(path: str, run: BlameRun) -> Sequence[Cell]:
    record, _, who, when = origin(run)
    sure = Cell(run.confidence.value, CONFIDENCE_STYLES[run.confidence])
    where = Cell(f"{path}:{run.start_line}-{run.end_line}")
    return where, Cell(f"{run.count:,}"), sure, record, who, when


def _remark(page: Output, asked: WorkedFiles, files: Sequence[FileRuns]) -> None:
    if not files:
        page.remark(
            f"intent-lsp: no line of the files that were searched comes from {asked.intent_id}"
        )
    if asked.truncated:
        page.remark(
            "intent-lsp: there may be more lines, since the search reached one of its limits;"
            " narrow it with --path, or ask `intent-lsp trace blame` about a file"
        )


@command(examples=("intent-lsp trace map", "intent-lsp trace map -C ~/work/shop"))
def trace_map(call: Call) -> None:
    """Print the intent map as Markdown.

    Write the intent map: a section for each intent, with a row for each file that was
    edited for that intent. The server keeps the same map in .orchestration/intent_map.md,
    which git ignores, because each commit would change it. This command writes the map to
    standard output.
    """
    with Governance(call.root()) as governance:
        governing(governance)
        call.page.text(governance.intent_map.text())
