"""The command `intents owners`: which intents own each path.

Tell for each path every intent whose globs match it, whatever its status, in the order
of the intents file, with the glob that says so. Paths are seen from here, or from -C.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.intents.list_intents import flags_of, status_cell
from intent_lsp.doors.cli.locate import file_below, root_of_file
from intent_lsp.doors.cli.open import governing
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.governance.governance import Governance

NOBODY: Final = "no intent owns it"


def answer(call: Call) -> None:
    """Print the owners of each path, by the intents of the root that governs it."""
    options = call.options
    rows: list[Sequence[Cell]] = []
    told: list[dict[str, object]] = []
    for spelled in options.path:
        with Governance(root_of_file(spelled, options.root)) as governance:
            path = file_below(governance.root, spelled, options.root)
            rows.extend(_rows(governance, path))
            told.append(_told(governance, path))
    if options.json:
        for each in told:
            call.page.json(each)
    else:
        call.page.table(TextTable(_COLUMNS, rows))


def _told(governance: Governance, path: WorkspacePath) -> dict[str, object]:
    known = governing(governance).by_id
    owners = [
        {
            "intentId": owner.intent_id,
            "pattern": owner.pattern,
            "status": known[owner.intent_id].status.value,
        }
        for owner in governance.owners(path)
        if owner.intent_id in known
    ]
    return {"path": path, "uri": (governance.root / path).as_uri(), "owners": owners}


def _rows(governance: Governance, path: WorkspacePath) -> Iterator[Sequence[Cell]]:
    rules = governing(governance)
    owners = [owner for owner in governance.owners(path) if owner.intent_id in rules.by_id]
    for owner in owners:
        intent = rules.by_id[owner.intent_id]
        name = " ".join([intent.id, *flags_of(intent, rules)])
        yield Cell(path), Cell(name, "cyan"), status_cell(intent), Cell(owner.pattern)
    if not owners:
        yield Cell(path), Cell("-"), Cell("-"), Cell(NOBODY, "dim")


_COLUMNS: Final = (
    Column("Path", fold=True),
    Column("Intent"),
    Column("Status"),
    Column("By the glob", fold=True),
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="+", help="a file, there or not")


COMMAND: Final = Command(
    examples=(
        "intent-lsp intents owners src/auth/jwt.ts README.md",
        "intent-lsp intents owners --json src/auth/jwt.ts",
    ),
    json="write {path, uri, owners} for each path, one a line",
    arguments=_arguments,
    answer=answer,
)
