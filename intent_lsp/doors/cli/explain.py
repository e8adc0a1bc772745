"""The command `explain`: every check of the gate on a hypothetical edit (requirements section 6).

Invariant: nothing is stored: no ticket, no record, no session.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.gate.explain import ExplainedRow, RowOutcome
from intent_lsp.doors.cli.command import Call, argument, command, flag, nearest
from intent_lsp.doors.cli.decision_text import of_call, of_save
from intent_lsp.doors.cli.exits import Exit, WrongUsageError
from intent_lsp.doors.cli.locate import directory, file_below, root_of_file
from intent_lsp.doors.cli.open import ASKER, asking, identifier
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.doors.cli.terminal.table import Cell, Column, LabelledCell, TextTable, facts_table
from intent_lsp.formats.result_json import explained_json
from intent_lsp.governance.calls.call_answers import call_json, judgement_json
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.root.sessions import Asker
from intent_lsp.store.packaged_files import sections

SHELL_TOOL: Final = "Bash"
"""The tool assumed for --command without --tool."""
PATCH_TOOL: Final = "apply_patch"
"""The tool assumed for --patch without --tool."""


class _Explained(Struct, frozen=True, kw_only=True):
    """The explanation of a decision: the gate's checks, and the decision as cells and as JSON.

    `refused` is whether the gate refuses the edit, or would ask a person about it.
    """

    rows: tuple[ExplainedRow, ...]
    words: tuple[LabelledCell, ...]
    json: Mapping[str, object]
    refused: bool


@command(
    argument("path PATH", "the file that would change, there or not", nargs="*"),
    argument("--tool T", "an agent's call of this tool, not a person's save", type=identifier),
    argument(
        "--command C",
        "the shell command of the call, read as run in the governed root"
        " (the tool is Bash unless --tool says otherwise)",
    ),
    argument(
        "--patch FILE",
        "the patch of the call, as apply_patch or diff spell it (the tool is apply_patch"
        " unless --tool says otherwise)",
    ),
    argument(
        "--intent ID",
        "as if this intent were selected for the save, or cited by the call",
        type=identifier,
    ),
    flag("--all", "show every row of the gate"),
    argument("--code CODE", "say what a code means and the way out, and ask nothing"),
    *ASKER,
    examples=(
        "intent-lsp explain src/auth/jwt.ts --intent INT-001",
        "intent-lsp explain src/auth/jwt.ts --all",
        "intent-lsp explain src/auth/jwt.ts --tool Edit --session 7f3a",
        'intent-lsp explain --command "sed -i s/a/b/ README.md" --session 7f3a --json',
        "intent-lsp explain --code SCOPE_VIOLATION",
    ),
    json="write {rows, decision} as JSON",
)
def explain(call: Call) -> Exit | None:
    """Print what the gate would decide on an edit, or with --code what a code means.

    Show what the gate would decide on an edit, and which checks fail; with --all, show
    every check. Without --tool, --command or --patch, the edit is your own save of one
    file. The edit is judged for the session given with --session or in INTENT_LSP_SESSION,
    else for the session of your only open editor, else as if no intent were selected. A
    save with --intent is judged as if that intent were selected. Nothing is recorded, and
    nothing is changed outside of .orchestration/.local/. The exit status is 1 if the gate
    would refuse the edit or ask a person first. A refused save has the exit status 1 even
    if the policy lets refused saves through.

    Return 1 if the gate would refuse the edit or ask a person, else 0 or None.
    """
    options = call.options
    if options.code is not None:
        _tell_code(call.page, options.code)
        return None
    _check(options)
    paths: Sequence[str] = options.path
    start = options.root
    root = root_of_file(paths[0], start) if paths else call.root()
    with Governance(root) as governance:
        rules = governance.rules.current()
        is_call = _is_call(options)
        # With --intent for a save, that intent is assumed and no session is needed.
        supposed = options.intent is not None and not is_call
        asker = None if supposed else asking(governance, options, call.page)
        found = (_of_call if is_call else _of_save)(governance, options, asker)
    if not rules.governed:
        call.page.remark(f"intent-lsp: governance is off, so edits are not checked: {rules.reason}")
    if options.json:
        call.page.json(explained_json(found.rows, found.json))
    else:
        _tell(call.page, found, everything=options.all)
    return Exit.VIOLATIONS if found.refused else Exit.FINE


def _check(options: argparse.Namespace) -> None:
    if not _is_call(options):
        files = len(options.path)
        if files != 1:
            raise WrongUsageError(
                f"a save changes one file, but {files} are given",
                cure="give one, or describe an agent's call with --tool, --command or --patch",
            )
        if options.agent:
            raise WrongUsageError(
                "--agent is for an agent's tool call",
                cure="describe the call with --tool, --command or --patch",
            )


def _is_call(options: argparse.Namespace) -> bool:
    return any(given is not None for given in (options.tool, options.command, options.patch))


def _patch(options: argparse.Namespace) -> str | None:
    if options.patch is None:
        return None
    try:
        # As with git, paths are relative to -C.
        data = Path(options.root, options.patch).read_bytes()
        return data.decode("utf-8", "surrogateescape")
    except OSError as error:
        raise WrongUsageError(
            f"{options.patch} cannot be read: {error.strerror}", cure="give a file with the patch"
        ) from error


def _spelled(start: Path, path: str) -> str:
    """Return `path` as an absolute path. A relative `path` begins at `start`.

    A path that begins with `~` is returned as it is.
    """
    return path if path.startswith("~") else str(Path(start, path))


def _of_save(
    governance: Governance, options: argparse.Namespace, asker: Asker | None
) -> _Explained:
    path = file_below(governance.root, options.path[0], options.root)
    if options.intent is None:
        rows, judgement = governance.explain_save("" if asker is None else asker.session_id, path)
    else:
        rows, judgement = governance.explain_save_under(options.intent, path)
    return _Explained(
        rows=rows,
        words=tuple(of_save(judgement)),
        json=judgement_json(judgement, (governance.root / path).as_uri()),
        refused=judgement.denied is not None,
    )


def _of_call(
    governance: Governance, options: argparse.Namespace, asker: Asker | None
) -> _Explained:
    start = directory(options.root).absolute()
    call = ToolCall(
        tool_name=options.tool or (SHELL_TOOL if options.patch is None else PATCH_TOOL),
        paths=tuple(_spelled(start, path) for path in options.path),
        command=options.command,
        patch=_patch(options),
        intent_id=options.intent,
    )
    session_id, agent_id = ("", "") if asker is None else (asker.session_id, asker.agent_id)
    rows, admission = governance.calls.explain(session_id, agent_id, call)
    told = call_json(admission, governance.root)
    return _Explained(
        rows=rows, words=tuple(of_call(admission)), json=told, refused=not told["allowed"]
    )


def _tell(page: Output, found: _Explained, *, everything: bool) -> None:
    page.table(facts_table(found.words))
    shown = [row for row in found.rows if everything or row.outcome is RowOutcome.FAIL]
    if shown:
        page.line()
        marks = _MARKS if all(map(page.shows, _MARKS.values())) else _PLAIN_MARKS
        page.table(TextTable(_COLUMNS, [_row(row, marks[row.outcome]) for row in shown]))


def _row(row: ExplainedRow, mark: str) -> Sequence[Cell]:
    style = _STYLES[row.outcome]
    return (
        Cell(str(row.number), "dim"),
        Cell(f"{row.label} {mark}", style),
        Cell(row.fact, style if row.outcome is RowOutcome.SKIPPED else ""),
    )


def _tell_code(page: Output, code: str) -> None:
    """Print the section of docs/codes.md about a code, given in upper or lower case.

    Raise WrongUsageError if there is no such section.
    """
    known = sections()
    found = known.get(code.upper())
    if found is None:
        meant = nearest(code.upper(), known)
        guess = "" if meant is None else f"; did you mean {meant}?"
        cure = "docs/codes.md lists all codes" if known else "docs/codes.md is not installed"
        raise WrongUsageError(f"there is no code {code}{guess}", cure=cure)
    page.line(code.upper())
    page.line()
    for line in _plain(found).splitlines():
        page.line(line)


def _plain(markdown: str) -> str:
    """Return Markdown text with its links replaced by their titles, and without bold marks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("**", "")


_MARKS: Final = {RowOutcome.PASS: "✓", RowOutcome.FAIL: "✗", RowOutcome.SKIPPED: "·"}
_PLAIN_MARKS: Final = {RowOutcome.PASS: "+", RowOutcome.FAIL: "x", RowOutcome.SKIPPED: "-"}
_STYLES: Final = {RowOutcome.PASS: "green", RowOutcome.FAIL: "bold red", RowOutcome.SKIPPED: "dim"}
_COLUMNS: Final = (Column(""), Column("", fold=True), Column("", fold=True))
