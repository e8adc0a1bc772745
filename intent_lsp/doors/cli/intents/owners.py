"""The commands `intents owners` and `intents coverage`: which intents own which files."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.gate.words import open_owners
from intent_lsp.core.intents import IntentId
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.scope import Ownership
from intent_lsp.doors.cli.command import Call, argument, command, flag
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.intents.list_intents import status_cell
from intent_lsp.doors.cli.locate import file_below, root_of_file
from intent_lsp.doors.cli.open import governing
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, TextTable
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.rules import Rules

Owned = Mapping[WorkspacePath, Sequence[IntentId]]
"""From each file that git lists, but control files, to the ids of its owners: open intents that
.intentignore does not take out of use."""

NOBODY: Final = "no intent owns it"


@command(
    argument("path PATH", "a file, there or not", nargs="+"),
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
            owners = [each for each in governance.owners(path) if rules.active(each.intent_id)]
            rows.extend(_owner_rows(path, owners, rules))
            uri = (governance.root / path).as_uri()
            told.append({"path": path, "uri": uri, "owners": _owners_json(owners, rules)})
    if options.json:
        for each in told:
            call.page.json(each)
    else:
        call.page.table(TextTable(_COLUMNS, rows))


def _owners_json(owners: Sequence[Ownership], rules: Rules) -> list[dict[str, object]]:
    return [
        {
            "intentId": owner.intent_id,
            "pattern": owner.pattern,
            "status": rules.file.intents.by_id[owner.intent_id].status.value,
        }
        for owner in owners
    ]


def _owner_rows(path: str, owners: Sequence[Ownership], rules: Rules) -> Iterator[Sequence[Cell]]:
    for owner in owners:
        intent = rules.file.intents.by_id[owner.intent_id]
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


@command(
    flag("--list", "name the files that no intent owns, or several do"),
    examples=(
        "intent-lsp intents coverage --list",
        "intent-lsp intents coverage --json | jq -r .ownedByNone[]",
    ),
    json="write {files, ownedByOne, ownedBySeveral, ownedByNone} as JSON",
)
def intents_coverage(call: Call) -> None:
    """Print how many files have one open intent as owner, how many several, and how many none.

    Compare the scopes of the open intents with the files that git tracks or would track,
    and count the files that are owned by one intent, by several, and by none. Intents that
    .intentignore takes out of use own nothing, and control files are not counted. The exit
    status is 0 even if files have no owner, because that is no error.
    """
    with Governance(call.root()) as governance:
        owned = _owned(governance)
    if call.options.json:
        call.page.json(_coverage_json(owned))
        return
    _tell_coverage(call.page, owned)
    if call.options.list:
        rows = [_coverage_row(path, owners) for path, owners in owned.items() if len(owners) != 1]
        if rows:
            call.page.line()
        call.page.table(TextTable((Column("File", fold=True), Column("Owners", fold=True)), rows))


def _owned(governance: Governance) -> Owned:
    rules, git = governing(governance), governance.stores.git
    if git is None:
        raise WrongUsageError(
            f"{governance.root} is in no git repository, so its files cannot be listed",
            cure="run `git init` there",
        )
    files = sorted(path for path in git.list_files() if not control_plane(path))
    intents, owners = rules.file.intents, rules.owners
    return {
        path: [i for i in open_owners(intents, owners, path) if i not in rules.ignored]
        for path in files
    }


def _coverage_json(owned: Owned) -> dict[str, object]:
    return {
        "files": len(owned),
        "ownedByOne": sum(len(owners) == 1 for owners in owned.values()),
        "ownedBySeveral": [
            {"path": path, "intentIds": owners} for path, owners in owned.items() if len(owners) > 1
        ],
        "ownedByNone": [path for path, owners in owned.items() if not owners],
    }


def _tell_coverage(page: Output, owned: Owned) -> None:
    counts = [len(owners) for owners in owned.values()]
    rows = (
        ("files", len(counts)),
        ("owned by one open intent", counts.count(1)),
        ("owned by several open intents", sum(count > 1 for count in counts)),
        ("owned by no open intent", counts.count(0)),
    )
    told = [(Cell(name), Cell(str(count), "bold")) for name, count in rows]
    page.table(TextTable((Column(""), Column("")), told))


def _coverage_row(path: WorkspacePath, owners: Sequence[IntentId]) -> Sequence[Cell]:
    style = "yellow" if owners else "dim"
    return Cell(path), Cell(", ".join(owners) or "none", style)
