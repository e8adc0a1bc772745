"""The command `trace show`: one record, and the lines that it changed.

Invariant: shown contents have the hashes in the record. Missing contents are reported.
"""

from collections.abc import Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.ledger.list_records import STYLES
from intent_lsp.doors.cli.ledger.search import indexed
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable, facts_table
from intent_lsp.doors.cli.terminal.times import local_with_offset
from intent_lsp.formats.diff import DiffLine, DiffMark
from intent_lsp.formats.ledger.jsonl import encode
from intent_lsp.formats.ledger.record_words import FactTone, RecordFact, record_facts
from intent_lsp.governance.contents.content_lookup import ContentLookup
from intent_lsp.governance.ledger.reader import LedgerReader
from intent_lsp.governance.ledger.record_changes import record_diffs

_NAMED: Final = 5
_TONES: Final = {
    FactTone.ID: "cyan",
    FactTone.FILE: "bold",
    FactTone.DOUBT: "yellow",
    FactTone.FAILURE: "bold red",
}
_STYLES: Final = {
    DiffMark.PLACE: "cyan",
    DiffMark.KEPT: "",
    DiffMark.REMOVED: "red",
    DiffMark.ADDED: "green",
    DiffMark.REMARK: "dim",
}


@command(
    argument("id", metavar="ID", help="the record's id, or the first digits of it"),
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
    cells = ((fact.label, Cell(fact.text, _style(fact, record))) for fact in facts)
    call.page.table(facts_table(cells))
    if not call.options.no_diff:
        write_diffs(call.page, record, ContentLookup(root))


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


def _style(fact: RecordFact, record: Record) -> str:
    if fact.tone is FactTone.VERDICT:
        return STYLES[record.scope_validation]
    return _TONES.get(fact.tone, "")


def write_diffs(page: Output, record: Record, contents: ContentLookup) -> None:
    """Print what a record changed, file by file, with texts that `contents` finds.

    Files whose content did not change are skipped.
    """
    for lines in record_diffs(record, contents):
        page.line()
        _write(page, lines)


def _write(page: Output, lines: Sequence[DiffLine]) -> None:
    texts = [(line, f"{line.mark}{line.text}".expandtabs(4)) for line in lines]
    if page.terminal:
        rows = [[Cell(text, _STYLES[line.mark])] for line, text in texts]
        page.table(TextTable((Column("", fold=True),), rows))
        return
    for _, text in texts:
        page.line(text)
