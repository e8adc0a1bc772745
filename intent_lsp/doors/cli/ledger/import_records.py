"""The command `trace import`: appends records of other tools to the ledger."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.governance.ledger.imports import Fate, Taken, importing
from intent_lsp.store.fs.files import foreign_lines

_STANDARD_INPUT: Final = "-"
_LISTED: Final = 100
_NAMES: Final = 1000
_MORE: Final = "(others)"


class _Tally(Struct):
    """The counts for the lines of an import read so far, and the first lines that are no records.

    `fates` counts what became of each line, and `dialects` the formats of records. `lost` counts,
    by name, the data of added records that could not be imported; beyond 1,000 names they are
    counted together.
    """

    fates: Counter[Fate] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    unread: list[Taken] = field(default_factory=list)

    def add(self, taken: Taken) -> None:
        self.fates[taken.fate] += 1
        if taken.fate is Fate.UNREAD and len(self.unread) < _LISTED:
            self.unread.append(taken)
        if taken.dialect is not None:
            self.dialects[taken.dialect.value] += 1
        if taken.fate is Fate.ADDED:
            # Bounded: the other tool may use any number of names.
            self.lost.update(
                name if name in self.lost or len(self.lost) < _NAMES else _MORE
                for name in taken.lost
            )


@command(
    argument("file FILE", "JSON Lines, as seen from here or from -C; -: standard input"),
    flag("--dry-run", "say what would be taken over, and write nothing"),
    examples=(
        "intent-lsp trace import old/agent_trace.jsonl --dry-run",
        "intent-lsp trace import old/agent_trace.jsonl",
        "git show main:agent_trace.jsonl | intent-lsp trace import - --json",
    ),
    json="write {added, known, unread, dialects, leftOut, unreadLines} as JSON",
)
def trace_import(call: Call) -> None:
    """Import the records of the given file, or with --dry-run only print what would be imported.

    Read records of another tool and append each as a record of this ledger. The formats are
    nested records, chained or not, with or without an intent; flat records, each about one
    file; and Agent Trace 0.1.0. The time of a record is kept, and so is its id if that is a
    UUID of version 4; the chain shows when it was imported. Records that are in the ledger
    already are skipped, so that the same file can be imported again. At the end, the data
    that could not be imported is listed; a line that is not a record is named as file:line.
    """
    options, tally = call.options, _Tally()
    with importing(call.root()) as governance:
        work = governance.look_at if options.dry_run else governance.take_over
        for taken in work(_lines(options.file, options.root)):
            tally.add(taken)
            if taken.fate is Fate.UNREAD:
                call.page.remark(f"intent-lsp: {_name(options.file)}:{taken.line}: {taken.why}")
    if options.json:
        call.page.json(_told(tally))
    else:
        _tell(call.page, tally, dry_run=options.dry_run)


def _lines(spelled: str, start: str) -> Iterator[bytes | None]:
    """Yield the lines of a file, or of standard input if `spelled` is `-`.

    Yield None for a line that is too long. A file name is relative to the directory `start`. Raise
    WrongUsageError if the file cannot be read.
    """
    try:
        if spelled == _STANDARD_INPUT:
            yield from foreign_lines(sys.stdin.buffer)
            return
        # As with git, paths are relative to -C.
        with (Path(start) / spelled).open("rb") as stream:
            yield from foreign_lines(stream)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        cure = "give a file of JSON Lines, or - for standard input"
        raise WrongUsageError(f"{spelled}: {reason}", cure=cure) from error


def _name(spelled: str) -> str:
    return "standard input" if spelled == _STANDARD_INPUT else spelled


def _told(tally: _Tally) -> dict[str, object]:
    return {
        **{fate.value: tally.fates[fate] for fate in Fate},
        "dialects": dict(tally.dialects),
        "leftOut": dict(tally.lost),
        "unreadLines": [{"line": each.line, "reason": each.why} for each in tally.unread],
    }


def _tell(page: Output, tally: _Tally, *, dry_run: bool) -> None:
    added_or_not = "would be added" if dry_run else "added"
    added, known, unread = (tally.fates[fate] for fate in (Fate.ADDED, Fate.KNOWN, Fate.UNREAD))
    page.line(
        f"{LEDGER_FILE}: {added:,} {added_or_not}, {known:,} already here, {unread:,} not records"
    )
    for dialect, count in tally.dialects.items():
        page.line(f"  {count:,} {dialect}")
    if tally.lost:
        page.line()
        rows = [(Cell(name), Cell(f"{count:,}")) for name, count in tally.lost.most_common()]
        page.table(TextTable((Column("Data left out", fold=True), Column("Records")), rows))
