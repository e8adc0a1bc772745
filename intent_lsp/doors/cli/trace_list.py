"""The answer to `trace list`: records, newest first."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.records import Range, Record, RecordFile, ScopeValidation
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.moments import local, since
from intent_lsp.doors.cli.table import Cell, Column, Table
from intent_lsp.doors.cli.whereabouts import path_below, root_above
from intent_lsp.formats.ledger_jsonl import encode
from intent_lsp.governance.tracing import Tracing, tracing
from intent_lsp.store import clock
from intent_lsp.store.index import Query

SHORT_ID: Final = 8
"""Digits of an id that are shown, and that `trace show` takes."""

STYLES: Final = {
    ScopeValidation.PASS: "green",
    ScopeValidation.FAIL: "bold red",
    ScopeValidation.EXEMPT: "yellow",
}
RECORD_COLUMNS: Final = (
    Column("When"),
    Column("Intent", fold=True),
    Column("Verdict"),
    Column("File", fold=True),
    Column("Lines", spare=True),
    Column("Tool", spare=True),
    Column("Id"),
)
"""The columns of a table of records, for rows of `record_row`."""
_PAGE: Final = 500


def answer(call: Call) -> int:
    """Write the records that were asked for."""
    options = call.options
    root = root_above(options.root)
    with tracing(root) as trace:
        found = _records(trace, _query(options, root), options.limit)
        if options.json:
            for record in found:
                call.page.json(encode(record))
            return Exit.FINE
        rows = [record_row(record, trace.flags(record)) for record in found]
    call.page.table(Table(RECORD_COLUMNS, rows))
    if not rows:
        call.page.remark("intent-lsp: no record matches")
    elif len(rows) == options.limit and call.page.terminal:
        call.page.remark(f"the newest {options.limit}; --limit 0 shows all there are")
    return Exit.FINE


def record_row(record: Record, flags: Sequence[str]) -> Sequence[Cell]:
    """Tell a record in a row; `flags` say what has become of its intent."""
    intent = " ".join([record.intent_id or "-", *flags])
    verdict = record.scope_validation.value + ("" if record.success else " (failed)")
    return (
        Cell(local(record.timestamp)),
        Cell(intent, "yellow" if flags else ""),
        Cell(verdict, STYLES[record.scope_validation]),
        Cell(_file(record.files)),
        Cell(added_and_removed(record.files)),
        Cell(record.tool_name, "dim"),
        Cell(record.id[:SHORT_ID], "cyan"),
    )


def added_and_removed(files: Sequence[RecordFile]) -> str:
    """Say how many lines came and went: `+3 -1`; `whole file` where lines were not compared."""
    ranges = [run for file in files for talk in file.conversations for run in talk.ranges]
    if any(run.fallback for run in ranges):
        return "whole file"
    counted = [run.replaced or (0, 0, _length(run)) for run in ranges]
    if not counted:
        return ""
    return f"+{sum(new for _, _, new in counted)} -{sum(old for _, old, _ in counted)}"


def _length(run: Range) -> int:
    return run.end_line - run.start_line + 1 if run.start_line else 0


def _query(options: argparse.Namespace, root: Path) -> Query:
    after = None
    if options.since is not None:
        after = since(options.since, clock.now())
        if after is None:
            raise WrongUsageError(
                f"--since: {options.since} is no moment",
                cure="say 2h, 3d, 2026-11-21 or 2026-11-21T20:27:33Z",
            )
    return Query(
        intent_ids=None if options.intent is None else (options.intent,),
        path=None if options.path is None else path_below(root, options.path, options.root),
        session_ids=None if options.session is None else (options.session,),
        since=after,
    )


def _records(trace: Tracing, query: Query, limit: int) -> Iterator[Record]:
    """Give at most `limit` records, 0: all; read page by page."""
    cursor, left = None, limit
    while True:
        wanted = min(left, _PAGE) if limit else _PAGE
        page = trace.page(query, limit=wanted, cursor=cursor)
        yield from page.records
        cursor, left = page.cursor, left - len(page.records)
        if cursor is None or (limit and left <= 0):
            return


def _file(files: Sequence[RecordFile]) -> str:
    if not files:
        return "-"
    first = files[0]
    name = first.relative_path
    if first.previous_path is not None:
        name = f"{first.previous_path} -> {name}"
    return name if len(files) == 1 else f"{name} (+{len(files) - 1})"
