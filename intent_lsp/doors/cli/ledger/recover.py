"""The command `trace recover`: appends records that the ledger has lost."""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, command, flag
from intent_lsp.doors.cli.ledger.records import SHORT_ID
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.doors.cli.terminal.times import local
from intent_lsp.governance.ledger.recovery import Recovered, recovering
from intent_lsp.store.ledger.recover import Found, LostRecord

_NAMED: Final = 5
_COLUMNS: Final = (
    Column("When"),
    Column("Intent", fold=True),
    Column("File", fold=True),
    Column("Id"),
    Column("From", fold=True),
    Column("Place"),
)


@command(
    flag("--dry-run", "list them, and append nothing"),
    examples=("intent-lsp trace recover --dry-run", "intent-lsp trace recover"),
    json="write {lost, unreadable, asTheyWere, anew} as JSON",
)
def trace_recover(call: Call) -> None:
    """Find lost records, append them unless --dry-run is given, and print what was done.

    Find records that are no longer in any file of the ledger, and append them again. They
    are taken from .orchestration/.local/: from the journal of records that no commit
    contains yet, from torn lines that only lack their line end, and from the edits that
    wait because the ledger could not be written. A lost record is appended unchanged if the
    record before it in the chain is still there, so that a stash that is popped later brings
    the same line; else it gets a new place in the chain. Id, time and content do not change,
    and no record is appended twice.
    """
    options = call.options
    with recovering(call.root()) as governance:
        found = governance.lost()
        done = Recovered(0, 0) if options.dry_run else governance.recover(found)
    for remark in _remarks(found):
        call.page.remark(f"intent-lsp: {remark}")
    if options.json:
        call.page.json(_told(found, done))
        return
    call.page.table(TextTable(_COLUMNS, [_row(lost) for lost in found.lost]))
    call.page.line(_verdict(found, done, dry_run=options.dry_run))


def _row(lost: LostRecord) -> Sequence[Cell]:
    record = lost.record
    return (
        Cell(local(record.timestamp)),
        Cell(record.intent_id or "-"),
        Cell(", ".join(_paths(record)) or "-"),
        Cell(record.id[:SHORT_ID], "cyan"),
        Cell(lost.source, "dim"),
        Cell("unchanged" if lost.joins else "with a new hash"),
    )


def _verdict(found: Found, done: Recovered, *, dry_run: bool) -> str:
    if not found.lost:
        return (
            "no record is missing: the ledger has all that .orchestration/.local/ keeps a copy of"
        )
    if dry_run:
        lost = counted(len(found.lost), "record")
        return f"not in the ledger: {lost}; run without --dry-run to append what is missing"
    return (
        f"{counted(done.as_they_were + done.anew, 'record')} appended:"
        f" {done.as_they_were} unchanged, {done.anew} with new hashes"
    )


def _remarks(found: Found) -> Iterator[str]:
    for each in found.unreadable[:_NAMED]:
        yield f"{each.source}: skipped: {each.problem}"
    if len(found.unreadable) > _NAMED:
        more = len(found.unreadable) - _NAMED
        what = "line or file" if more == 1 else "lines or files"
        yield f"… skipped as well: {more:,} more {what} that cannot be read"


def _paths(record: Record) -> list[str]:
    return [file.relative_path for file in record.files]


def _told(found: Found, done: Recovered) -> dict[str, object]:
    return {
        "lost": [
            {
                "id": lost.record.id,
                "timestamp": lost.record.timestamp,
                "paths": _paths(lost.record),
                "source": lost.source,
                "asItWas": lost.joins,
            }
            for lost in found.lost
        ],
        "unreadable": [
            {"source": each.source, "problem": each.problem} for each in found.unreadable
        ],
        "asTheyWere": done.as_they_were,
        "anew": done.anew,
    }
