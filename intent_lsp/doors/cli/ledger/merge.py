"""The command `trace merge`: joins two ledgers that branched, as git's merge driver or by hand."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.text import counted
from intent_lsp.doors.cli.command import Call, argument, command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.store.ledger.merge import Merged, merge_files, resolve_file

_NAMED: Final = 5
_SHOWN_CHARACTERS: Final = 400


@command(
    argument(
        "base BASE",
        "the common ancestor, git's %%O; lines that a side lacks are not removed",
        nargs="?",
    ),
    argument(
        "ours OURS",
        "one side; the merged ledger replaces it unless --output names another file",
        nargs="?",
    ),
    argument("theirs THEIRS", "the other side", nargs="?"),
    argument("--output FILE", "write the union there"),
    argument(
        "--resolve FILE",
        "resolve the conflicts that a merge has left in FILE, and write the union there",
    ),
    examples=(
        "intent-lsp trace merge --resolve .orchestration/agent_trace.jsonl",
        "intent-lsp trace merge base.jsonl ours.jsonl theirs.jsonl --output all.jsonl",
    ),
    json="write {output, lines, conflicts, odd, aside} as JSON",
    in_root=False,
)
def trace_merge(call: Call) -> None:
    """Merge two ledger files, or with --resolve repair one that has git's conflict markers.

    Write the union of two ledgers: the records of OURS in their order, then those that only
    THEIRS contains. No record is repeated or dropped. The next record that is appended
    links to the last records of both. Git joins the lines by itself where
    .orchestration/.gitattributes says merge=union; a forge that merges on its server may
    leave a conflict instead, which --resolve repairs. To have git call this command:

    git config merge.intent-ledger.driver 'intent-lsp trace merge %O %A %B'
    echo '.orchestration/**/*.jsonl merge=intent-ledger' >> .git/info/attributes

    Raise WrongUsageError if the command line names too few or too many files.
    """
    options = call.options
    output, merged = _resolved(options) if options.resolve is not None else _merged(options)
    for remark in _remarks(merged):
        call.page.remark(f"intent-lsp: {remark}")
    if options.json:
        call.page.json(_told(output, merged))
    elif options.resolve is not None:
        # Git runs this command too, to merge: then only remarks are printed.
        call.page.line(_verdict(output, merged))


def _merged(options: argparse.Namespace) -> tuple[str, Merged]:
    if options.theirs is None:
        raise WrongUsageError(
            "three files are needed: BASE OURS THEIRS",
            cure="or --resolve FILE for one with conflict markers",
        )
    output = options.output or options.ours
    return output, merge_files(Path(options.ours), Path(options.theirs), Path(output))


def _resolved(options: argparse.Namespace) -> tuple[str, Merged]:
    if options.base is not None or options.output is not None:
        raise WrongUsageError(
            "--resolve takes one file, and repairs it in place",
            cure="leave BASE, OURS, THEIRS and --output out",
        )
    return options.resolve, resolve_file(Path(options.resolve))


def _verdict(output: str, merged: Merged) -> str:
    if not merged.conflicts:
        return f"{output} has no conflict markers; nothing was changed"
    conflicts = counted(merged.conflicts, "conflict")
    return f"{output}: {conflicts} resolved, {merged.lines} lines; now run `git add {output}`"


def _remarks(merged: Merged) -> Iterator[str]:
    for odd in merged.odd[:_NAMED]:
        yield f"{odd.place.side}:{odd.place.line}: the line was kept, though {odd.message}"
    if len(merged.odd) > _NAMED:
        more = counted(len(merged.odd) - _NAMED, "more such line")
        yield f"… and {more}; `intent-lsp trace verify` checks them all"
    for aside, kept in merged.aside:
        line = (
            f"{aside.place.side}:{aside.place.line}: the line was left out of the merged ledger,"
            " since it is not a whole record or only the merge base has it"
        )
        # A line that is kept in a file need not be shown in full.
        yield (
            f"{line}; it is saved in {kept}"
            if kept is not None
            else f"{line}: {_shown(aside.text)}"
        )


def _shown(text: bytes) -> str:
    shown = text.decode("utf-8", "backslashreplace").rstrip("\r\n")
    return shown[:_SHOWN_CHARACTERS] + ("…" if len(shown) > _SHOWN_CHARACTERS else "")


def _told(output: str, merged: Merged) -> dict[str, object]:
    return {
        "output": output,
        "lines": merged.lines,
        "conflicts": merged.conflicts,
        "odd": [
            {"file": odd.place.side, "line": odd.place.line, "message": odd.message}
            for odd in merged.odd
        ],
        "aside": [
            {
                "file": aside.place.side,
                "line": aside.place.line,
                "kept": None if kept is None else str(kept),
                "text": aside.text.decode("utf-8", "backslashreplace"),
            }
            for aside, kept in merged.aside
        ],
    }
