"""The answer to `trace verify`: what is wrong with the ledger, and what that proves."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from intent_lsp.core.codes import LedgerCode
from intent_lsp.core.findings import Severity
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.core.verification import Problem, Verification
from intent_lsp.doors.cli.command import Call
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.doors.cli.page import Page
from intent_lsp.doors.cli.table import Cell, Column, Table
from intent_lsp.doors.cli.whereabouts import root_above
from intent_lsp.formats.verification_json import verification_json
from intent_lsp.governance.tracing import tracing

_STYLES: Final = {Severity.ERROR: "bold red", Severity.WARNING: "yellow"}
_NOT_PROVABLE: Final = "that every edit was recorded, and that clocks were right"


def answer(call: Call) -> int:
    """Verify, and say what was found; 1 when a problem is an error."""
    with tracing(root_above(call.options.root)) as trace:
        found = trace.verify()
    if call.options.strict:
        found = _strict(found)
    if call.options.json:
        call.page.json(json.dumps(verification_json(found), ensure_ascii=False).encode())
    else:
        _tell(call.page, found)
    return Exit.FINE if found.ok else Exit.VIOLATIONS


def _strict(found: Verification) -> Verification:
    """Take a torn last line for an error."""
    problems = tuple(
        replace(problem, severity=Severity.ERROR)
        if problem.code is LedgerCode.TORN_TAIL
        else problem
        for problem in found.problems
    )
    ok = all(problem.severity is not Severity.ERROR for problem in problems)
    return replace(found, problems=problems, ok=ok)


def _tell(page: Page, found: Verification) -> None:
    page.table(Table(_COLUMNS, [_row(problem) for problem in found.problems]))
    if found.problems:
        page.line()
    counted = "1 record" if found.records == 1 else f"{found.records} records"
    page.line(f"{LEDGER_FILE}: {counted}")
    page.table(Table((Column(""), Column("", fold=True)), _closing(found)))


def _closing(found: Verification) -> Sequence[Sequence[Cell]]:
    """Say what the chain shows, and what it cannot (ledger section 2)."""
    if found.ok:
        verdict = Cell("yes: every hash recomputes, every link joins", "green")
    else:
        verdict = Cell("NO: the ledger is not what was written", "bold red")
    return (
        (Cell("consistent"), verdict),
        (Cell("proved"), Cell(found.proved)),
        (Cell("conditional"), Cell(found.conditional)),
        (Cell("not provable here"), Cell(_NOT_PROVABLE)),
        *((Cell("head"), Cell(f"{head.hash} line {head.line}")) for head in found.heads),
    )


def _row(problem: Problem) -> Sequence[Cell]:
    style = _STYLES.get(problem.severity, "")
    return (
        Cell(problem.severity.name.lower(), style),
        Cell(problem.code.value, style),
        Cell(f"{problem.file}:{problem.line}"),
        Cell(problem.message),
    )


_COLUMNS: Final = (Column("Severity"), Column("Code"), Column("Place"), Column("What", fold=True))
