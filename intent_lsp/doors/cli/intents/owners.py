"""The command `intents owners`: which intents own each path."""

from collections.abc import Iterator, Sequence
from typing import Final

from intent_lsp.core.scope.scope import Ownership
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.intents.list_intents import status_cell
from intent_lsp.doors.cli.locate import file_below, root_of_file
from intent_lsp.doors.cli.open import governing
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.rules import Rules

NOBODY: Final = "no intent owns it"


@command(
    argument("path", metavar="PATH", nargs="+", help="a file, there or not"),
    examples=(
        "intent-lsp intents owners src/auth/jwt.ts README.md",
        "intent-lsp intents owners --json src/auth/jwt.ts",
    ),
    json="write {path, uri, owners} for each path, one a line",
)
def intents_owners(call: Call) -> None:
    """Print the intents that own each given path, from the intents file that governs the path.

    List for each path every intent whose globs match it, whatever the intent's status, in
    the order of the intents file, with the glob that matches. Paths are relative to the
    working directory, or to -C.

    Raise WrongUsageError for a directory, or if no root governs a path.
    """
    options = call.options
    rows: list[Sequence[Cell]] = []
    told: list[dict[str, object]] = []
    for spelled in options.path:
        with Governance(root_of_file(spelled, options.root)) as governance:
            path, rules = file_below(governance.root, spelled, options.root), governing(governance)
            owners = [each for each in governance.owners(path) if each.intent_id in rules.by_id]
            rows.extend(_rows(path, owners, rules))
            uri = (governance.root / path).as_uri()
            told.append({"path": path, "uri": uri, "owners": _told(owners, rules)})
    if options.json:
        for each in told:
            call.page.json(each)
    else:
        call.page.table(TextTable(_COLUMNS, rows))


def _told(owners: Sequence[Ownership], rules: Rules) -> list[dict[str, object]]:
    return [
        {
            "intentId": owner.intent_id,
            "pattern": owner.pattern,
            "status": rules.by_id[owner.intent_id].status.value,
        }
        for owner in owners
    ]


def _rows(path: str, owners: Sequence[Ownership], rules: Rules) -> Iterator[Sequence[Cell]]:
    for owner in owners:
        intent = rules.by_id[owner.intent_id]
        name = " ".join([intent.id, *rules.flags_of(intent)])
        yield Cell(path), Cell(name, "cyan"), status_cell(intent), Cell(owner.pattern)
    if not owners:
        yield Cell(path), Cell("-"), Cell("-"), Cell(NOBODY, "dim")


_COLUMNS: Final = (
    Column("Path", fold=True),
    Column("Intent"),
    Column("Status"),
    Column("By the glob", fold=True),
)
