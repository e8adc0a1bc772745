"""The command `trace verify`: checks the ledger, and says what the result proves."""

import argparse
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.ledger.verification import (
    CUT_OFF,
    Anchor,
    Checkpoint,
    LedgerProblem,
    Verification,
)
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command, flag, repeated
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.ledger.anchors import given_anchor, given_checkpoints
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.formats.result_json import verification_json
from intent_lsp.governance.ledger.reader import anchors_of, contradiction, tracing
from intent_lsp.store.ledger.archiving_advice import advice, size_of

_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow"}
_NOT_PROVABLE: Final = "that every edit was recorded, and that clocks were right"


@command(
    flag("--strict", "a torn last line is an error, not a warning"),
    repeated(
        "--anchor HASH",
        "a record's hash that you know from elsewhere; its first 16 digits are enough",
    ),
    argument(
        "--checkpoint LINE",
        "what `intent-lsp trace seal` printed once: the line, a file with it, or -",
    ),
    argument(
        "--pub FILE", "the public key of a signed note, which `intent-lsp trace seal --key` writes"
    ),
    examples=(
        "intent-lsp trace verify",
        "intent-lsp trace verify --strict --json",
        "intent-lsp trace verify --anchor 5f0c17a2b3d4e5f6",
        "git log --format=%B | intent-lsp trace verify --checkpoint -",
        "intent-lsp trace verify --checkpoint ledger.note --pub pub.pem",
    ),
    json="write {ok, records, segments, heads, problems, anchors, …} as JSON",
)
def trace_verify(call: Call) -> Exit | None:
    """Verify the ledger and print the result. Return 1 if a problem is an error, else 0.

    Recompute every record's hash, follow every link, and name the first bad line of each
    kind as file:line. The last rows say what the result proves, and what no hash chain can
    prove. An anchor proves what the ledger once contained: the commit that is checked out,
    --anchor, --checkpoint; all records that the anchor covers must still be there. The exit
    status is 1 if an error was found: a record that was changed, removed, inserted or
    moved, an end that was cut off, or a line that cannot be read.

    Raise WrongUsageError if an option's value is malformed, or if a checkpoint was altered: its
    parts do not fit together.
    """
    root = call.root()
    given = [given_anchor(root, spelled) for spelled in call.options.anchor]
    checkpoints = _checkpoints(call.options)
    given += [anchor for each in checkpoints for anchor in anchors_of(each)]
    with tracing(root) as trace:
        with call.page.bar("Verifying the ledger") as progress:
            found = trace.verify(given, progress)
        wrong = [contradiction(trace.ledger, each, found) for each in checkpoints]
    for problem in filter(None, wrong):
        raise WrongUsageError(f"the checkpoint cannot be trusted: {problem}")
    if call.options.strict:
        found = _strict(found)
    if call.options.json:
        call.page.json(verification_json(found))
    else:
        _tell(call.page, found)
    if said := advice(size_of(root)):
        call.page.remark(f"intent-lsp: {said}")
    return Exit.FINE if found.ok else Exit.VIOLATIONS


def _checkpoints(options: argparse.Namespace) -> Sequence[Checkpoint]:
    if options.checkpoint is not None:
        return given_checkpoints(options.checkpoint, options.pub, options.root)
    if options.pub is not None:
        cure = "give the note with --checkpoint FILE"
        raise WrongUsageError("--pub is only for checking a signed note", cure=cure)
    return ()


def _strict(found: Verification) -> Verification:
    """Return the result of a verification with a torn last line as an error, not a warning."""
    problems = tuple(
        replace(problem, severity=Severity.ERROR)
        if problem.code is LedgerCode.TORN_TAIL
        else problem
        for problem in found.problems
    )
    ok = all(problem.severity is not Severity.ERROR for problem in problems)
    return replace(found, problems=problems, ok=ok)


def _tell(page: Output, found: Verification) -> None:
    page.table(TextTable(_COLUMNS, [_row(problem) for problem in found.problems]))
    if found.problems:
        page.line()
    others = found.segments - 1
    files = f" and {counted(others, 'more file')}" if others > 0 else ""
    page.line(f"{LEDGER_FILE}{files}: {counted(found.records, 'record')}")
    page.table(TextTable((Column(""), Column("", fold=True)), _closing(found)))


def _closing(found: Verification) -> Sequence[Sequence[Cell]]:
    """Return the rows that say what the chain proves and what it cannot (ledger section 2)."""
    if not found.wrong:
        verdict = Cell("Intact: all hashes and links match.", "green")
    elif found.wrong <= CUT_OFF:
        verdict = Cell(
            "Cut off: the records that are left match, but others are missing.", "bold red"
        )
    else:
        verdict = Cell(
            "Broken: the ledger is damaged, cannot be read, or was changed after it was written.",
            "bold red",
        )
    return (
        (Cell("verdict"), verdict),
        (Cell("proven"), Cell(found.proved)),
        (Cell("not proven"), Cell(found.conditional)),
        (Cell("not provable here"), Cell(_NOT_PROVABLE)),
        *((Cell("anchor"), _anchor(anchor)) for anchor in found.shown_anchors),
        *((Cell("head"), Cell(f"{head.hash} {head.file}:{head.line}")) for head in found.heads),
    )


def _anchor(anchor: Anchor) -> Cell:
    hash_and_source = f"{anchor.hash} {anchor.kind.value} {anchor.name}".rstrip()
    if anchor.records is None:
        return Cell(f"{hash_and_source}: in no file of the ledger", "bold red")
    return Cell(f"{hash_and_source}: {counted(anchor.records, 'record')}")


def _row(problem: LedgerProblem) -> Sequence[Cell]:
    style = _STYLES.get(problem.severity, "")
    return (
        Cell(problem.severity.name.lower(), style),
        Cell(problem.code.value, style),
        Cell(f"{problem.file}:{problem.line}"),
        Cell(problem.message),
    )


_COLUMNS: Final = (Column("Severity"), Column("Code"), Column("Place"), Column("What", fold=True))
