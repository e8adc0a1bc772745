"""The command `trace blame`: the attribution of each line of a file."""

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.blame.attribution import BlameRun, Confidence
from intent_lsp.core.content import line_body
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.records import SHORT_ID
from intent_lsp.doors.cli.ledger.search import indexed
from intent_lsp.doors.cli.locate import file_below, root_of_file
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.doors.cli.terminal.times import local
from intent_lsp.formats.markdown.provenance import who
from intent_lsp.formats.result_json import blame_json
from intent_lsp.governance.ledger.blame import Blamed, FileBlame, authors_of

_LINES: Final = re.compile(r"(\d{0,9})(,?)(\+?)(\d{0,9})")

_MARKS: Final = {
    Confidence.EXACT: " ",
    Confidence.NORMALIZED: "=",
    Confidence.MOVED: ">",
    Confidence.ASSUMED: "~",
    Confidence.UNATTRIBUTED: "?",
}
CONFIDENCE_STYLES: Final = {
    Confidence.EXACT: "",
    Confidence.NORMALIZED: "yellow",
    Confidence.MOVED: "yellow",
    Confidence.ASSUMED: "yellow",
    Confidence.UNATTRIBUTED: "dim",
}
_NO_TEXT: Final = "(not text, or too large to be shown line by line)"
_TAB: Final = 4
_COLUMNS: Final = (
    Column(""),
    Column("", fold=True),
    Column("", fold=True, spare=True),
    Column("", spare=True),
    Column(""),
    Column("", free=True),
)


def lines(text: str) -> tuple[int, int | None]:
    """Return the first and last line number of `text`, the value of the option -L.

    `10,20` → (10, 20); `10,+3` → (10, 12); `10,` and `10` → (10, None); `,20` → (1, 20). Lines
    count from 1, and the last is included; None means the end of the file. This is a type function
    for argparse: raise argparse.ArgumentTypeError if the value is malformed.
    """
    found = _LINES.fullmatch(text)
    if found is None or not any(map(str.isdigit, text)) or (found[4] and not found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is neither START,END nor START,+COUNT")
    first = int(found[1] or 1)
    last = int(found[4]) if found[4] else None
    if last is not None and found[3]:
        last += first - 1
    if first < 1 or (last is not None and last < first):
        raise argparse.ArgumentTypeError(
            f"{text!r} contains no line: lines are numbered from 1, and END is not before START"
        )
    return first, last


@command(
    argument("path FILE", "the file, as it is on disk now"),
    argument(
        "-L START,END",
        "these lines alone; either may be left out, START,+COUNT counts",
        dest="lines",
        type=lines,
        default=(1, None),
    ),
    examples=(
        "intent-lsp trace blame src/auth/jwt.ts",
        "intent-lsp trace blame src/auth/jwt.ts -L 10,20",
        "intent-lsp trace blame src/auth/jwt.ts --json | jq '.lines[].intentId'",
    ),
    json="write {path, uri, lines: [{startLine, endLine, recordId, …}]} as JSON",
)
def trace_blame(call: Call) -> None:
    """Print each line of the given file, or those of -L, with the record that it comes from.

    Show each line of a file with the record that it comes from: the first digits of the
    record's id, the intent, the author and the time. The records of the file are followed
    back by their hashes, through renames too. Where the file was edited without a record,
    lines are matched by comparing contents that are still stored, or by their hashes. A
    mark before the line number says how sure the attribution is. There is no mark if it is
    certain. The mark is = if only white space differs, > if the block was moved, and ? if
    no record explains the line. It is ~ if nobody announced the change: its intent is the
    one that was active when the change was noticed.

    Raise WrongUsageError if the file cannot be read or has no such line.
    """
    options = call.options
    root = root_of_file(options.path, options.root)
    path = file_below(root, options.path, options.root)
    with indexed(root, call.page) as trace:
        blamed = FileBlame(root, trace.ledger.index).blame(path)
    if blamed is None:
        cure = (
            "give a file that exists; `trace list --path` shows what happened to one that is gone"
        )
        raise WrongUsageError(f"there is no file {options.path} that can be read", cure=cure)
    with authors_of(root) as authors:
        runs = authors.named(_runs(blamed, options.path, options.lines))
    if options.json:
        call.page.json(blame_json(path, (root / path).as_uri(), runs))
    else:
        rows = [row for run in runs for row in _rows(run, blamed)]
        call.page.table(TextTable(_COLUMNS, rows))


def origin(run: BlameRun) -> Sequence[Cell]:
    """Return the record of a run of blamed lines as four cells: id, intent, author, time.

    Without a record, the cells show dashes.
    """
    record = run.record
    if record is None:
        return [Cell("-" * SHORT_ID, "dim"), Cell("-"), Cell("-"), Cell("-")]
    return [
        Cell(record.id[:SHORT_ID], "cyan"),
        Cell(record.intent_id or "-"),
        Cell(who(run)),
        Cell(local(record.timestamp), "dim"),
    ]


def _runs(blamed: Blamed, spelled: str, wanted: tuple[int, int | None]) -> Sequence[BlameRun]:
    first, last = wanted
    if first > max(blamed.count, 1):
        lines_ = counted(blamed.count, "line")
        raise WrongUsageError(
            f"{spelled} has only {lines_}, so there is no line {first}",
            cure="give a line that exists",
        )
    return blamed.runs(first - 1, (last or blamed.count) - 1)


def _rows(run: BlameRun, blamed: Blamed) -> Iterator[Sequence[Cell]]:
    cells = origin(run)
    digits = len(str(blamed.count))
    mark, style = _MARKS[run.confidence], CONFIDENCE_STYLES[run.confidence]
    if blamed.lines is None:
        yield *cells, Cell(f"{mark} 1-{run.end_line}", style), Cell(_NO_TEXT, "dim")
        return
    for number in range(run.start_line, run.end_line + 1):
        text = line_body(blamed.lines[number - 1]).expandtabs(_TAB)
        yield *cells, Cell(f"{mark} {number:>{digits}}", style), Cell(text, style)
