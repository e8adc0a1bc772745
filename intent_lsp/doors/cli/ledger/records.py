"""The commands `trace list` and `trace show`: the records of the ledger, and one of them.

Invariant: shown contents have the hashes in the record. Missing contents are reported.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Final

from intent_lsp.core.records import Record, RecordFile, ScopeValidation
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.search import FILTERS, PAGE, RecordSearch, count, indexed, search
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable, facts_table
from intent_lsp.doors.cli.terminal.times import local, local_with_offset
from intent_lsp.formats.diff import DiffLine, DiffMark
from intent_lsp.formats.ledger.jsonl import encode
from intent_lsp.formats.ledger.record_words import (
    FactTone,
    RecordFact,
    added_and_removed,
    record_facts,
)
from intent_lsp.governance.ledger.reader import LedgerReader

DEFAULT_LIMIT: Final = 20

SHORT_ID: Final = 8
"""How many digits of a record id are shown; `trace show` accepts as many."""

RECORD_COLUMNS: Final = (
    Column("When"),
    Column("Intent", fold=True),
    Column("Verdict"),
    Column("File", fold=True),
    Column("Lines", spare=True),
    Column("Tool", spare=True),
    Column("Id"),
)
"""The columns for rows of `record_row`."""

_NAMED: Final = 5
_VERDICT_STYLES: Final = {
    ScopeValidation.PASS: "green",
    ScopeValidation.FAIL: "bold red",
    ScopeValidation.EXEMPT: "yellow",
}
_TONE_STYLES: Final = {
    FactTone.ID: "cyan",
    FactTone.FILE: "bold",
    FactTone.DOUBT: "yellow",
    FactTone.FAILURE: "bold red",
}
_DIFF_STYLES: Final = {
    DiffMark.PLACE: "cyan",
    DiffMark.KEPT: "",
    DiffMark.REMOVED: "red",
    DiffMark.ADDED: "green",
    DiffMark.REMARK: "dim",
}

TableRow = Sequence[Cell]


@command(
    *FILTERS,
    argument(
        "--limit N",
        "at most N records (default: %(default)s); 0: all there are",
        type=count,
        default=DEFAULT_LIMIT,
    ),
    flag("--reverse", "the oldest of them first"),
    examples=(
        "intent-lsp trace list --since 2h",
        "intent-lsp trace list --intent INT-001 --limit 0 --json | jq .files[].relative_path",
        "intent-lsp trace list --path src/auth/jwt.ts",
        "intent-lsp trace list --path 'src/**/*.ts' --contributor AI --verdict FAIL",
    ),
    json="write each record as it stands in the ledger, one a line",
)
def trace_list(call: Call) -> None:
    """Print the records that match the filters, as tables or as JSON.

    List the ledger's records, newest first: time, intent, verdict, file, and the numbers of
    added and removed lines. INTENT_CHANGED beside an intent means that its scope,
    constraints or criteria have changed since, INTENT_ARCHIVED that it no longer exists. A
    record must match all filters. A --path that ends with / is a directory, which need not
    exist any more. The only file written is the index in .orchestration/.local/, which can
    be rebuilt at any time.
    """
    options = call.options
    root = call.root()
    with indexed(root, call.page) as trace:
        asked = search(options, root, trace)
        towards = asked.oldest_first if options.reverse else asked.newest_first
        found = towards(trace, options.limit)
        written = _json(call.page, found) if options.json else _list(call.page, found, trace)
        _remark(call, asked, trace, written)


def _json(page: Output, records: Iterator[Record]) -> int:
    written = 0
    for record in records:
        page.raw(encode(record))
        written += 1
    return written


def _list(page: Output, records: Iterator[Record], trace: LedgerReader) -> int:
    """Print the records as tables of at most PAGE records, with headings on the first only.

    Return the number of records.
    """
    written, day = 0, ""
    columns: Sequence[Column] = RECORD_COLUMNS
    while block := list(islice(records, PAGE)):
        rows: list[TableRow] = []
        for record in block:
            row = record_row(record, trace.flags(record))
            if page.terminal:
                day, row = _under_its_day(rows, day, row)
            rows.append(row)
        page.table(TextTable(columns, rows))
        columns = [Column("", column.fold, column.spare) for column in columns]
        written += len(block)
    return written


def _under_its_day(rows: list[TableRow], above: str, row: TableRow) -> tuple[str, TableRow]:
    """Return (day of `row`, `row` with only the time of day), to group records by day.

    `above` is the day of the row before. If `row` has another day, add a row with that day to
    `rows`.
    """
    day, _, time = row[0].text.partition(" ")
    if day != above:
        named = date.fromisoformat(day).strftime(f"%a {day}")
        rows.append([Cell(named, "bold"), *[Cell("")] * (len(row) - 1)])
    return day, [Cell(time), *row[1:]]


def _remark(call: Call, asked: RecordSearch, trace: LedgerReader, written: int) -> None:
    if not written:
        call.page.remark(f"intent-lsp: nothing to show: {asked.why_none(trace)}")
    elif written == call.options.limit and call.page.terminal:
        shown = counted(written, "record")
        call.page.remark(f"{shown} shown, the newest that match; --limit 0 shows all")


def record_row(record: Record, flags: Sequence[str]) -> Sequence[Cell]:
    """Return a record's table row, with `flags`, such as INTENT_CHANGED, beside its intent."""
    intent = " ".join([record.intent_id or "-", *flags])
    verdict = record.scope_validation.value + ("" if record.success else " (failed)")
    verdict += " (assumed)" if record.is_assumed else ""
    return (
        Cell(local(record.timestamp)),
        Cell(intent, "yellow" if flags else ""),
        Cell(verdict, _VERDICT_STYLES[record.scope_validation]),
        Cell(_file(record.files)),
        Cell(added_and_removed(record.files)),
        Cell(record.tool_name, "dim"),
        Cell(record.id[:SHORT_ID], "cyan"),
    )


def _file(files: Sequence[RecordFile]) -> str:
    if not files:
        return "-"
    first = files[0]
    name = first.relative_path
    if first.previous_path is not None:
        name = f"{first.previous_path} -> {name}"
    return name if len(files) == 1 else f"{name} (+{len(files) - 1})"


@command(
    argument("id ID", "the record's id, or the first digits of it"),
    flag("--no-diff", "leave the changed lines themselves out"),
    examples=(
        "intent-lsp trace show b3c1f0de",
        "intent-lsp trace show b3c1f0de --no-diff",
        "intent-lsp trace show b3c1f0de --json",
    ),
    json="write the record as it stands in the ledger",
)
def trace_show(call: Call) -> None:
    """Print the record whose id begins with the given digits, and the lines that it changed.

    Show one record: author, time, intent, verdict, each file with its lines and hashes, and
    the record's place in the chain. Then show what the record changed, line by line, if the
    contents are still stored: in the file on disk, in HEAD, in the commit of that time, or
    in .orchestration/.local/. The first digits of the id, as `trace list` shows them, are
    enough if only one record's id begins with them.
    """
    root = call.root()
    with indexed(root, call.page) as trace:
        record = _the_one(trace, call.options.id)
        flags = trace.flags(record)
    if call.options.json:
        call.page.raw(encode(record))
        return
    when = f"{local_with_offset(record.timestamp)} ({record.timestamp})"
    facts = record_facts(record, flags, when)
    cells = ((fact.label, Cell(fact.text, _fact_style(fact, record))) for fact in facts)
    call.page.table(facts_table(cells))
    if not call.options.no_diff:
        _write_diffs(call.page, record, root)


def _the_one(trace: LedgerReader, digits: str) -> Record:
    index = trace.ledger.index
    found = index.starting_with(digits, limit=_NAMED + 1) if digits else ()
    if not found:
        raise WrongUsageError(
            f"no record's id begins with {digits!r}", cure="`intent-lsp trace list` shows the ids"
        )
    if len(found) > 1:
        names = ", ".join(record.id for record in found[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        raise WrongUsageError(
            f"more than one id begins with {digits}: {names}{more}", cure="give more digits"
        )
    return found[0]


def _fact_style(fact: RecordFact, record: Record) -> str:
    if fact.tone is FactTone.VERDICT:
        return _VERDICT_STYLES[record.scope_validation]
    return _TONE_STYLES.get(fact.tone, "")


def _write_diffs(page: Output, record: Record, root: Path) -> None:
    """Print what a record changed, file by file, with the texts that are still stored.

    Files whose content did not change are skipped.
    """
    # Loaded late: `trace list` shows no contents.
    from intent_lsp.governance.contents.content_lookup import ContentLookup  # noqa: PLC0415
    from intent_lsp.governance.ledger.record_changes import record_diffs  # noqa: PLC0415

    for lines in record_diffs(record, ContentLookup(root)):
        page.line()
        _write(page, lines)


def _write(page: Output, lines: Sequence[DiffLine]) -> None:
    texts = [(line, f"{line.mark}{line.text}".expandtabs(4)) for line in lines]
    if page.terminal:
        rows = [[Cell(text, _DIFF_STYLES[line.mark])] for line, text in texts]
        page.table(TextTable((Column("", fold=True),), rows))
        return
    for _, text in texts:
        page.line(text)
