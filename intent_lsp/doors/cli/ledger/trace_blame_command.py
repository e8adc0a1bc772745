"""`trace blame`: which edit each line of a file comes from."""

import argparse
import re
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place

_LINES: Final = re.compile(r"(\d{0,9})(,?)(\+?)(\d{0,9})")


def lines(text: str) -> tuple[int, int | None]:
    """Read `-L`: the first line, and the last, None: of the file. Raises ArgumentTypeError."""
    found = _LINES.fullmatch(text)
    if found is None or not any(map(str.isdigit, text)) or (found[4] and not found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not START,END nor START,+COUNT")
    first = int(found[1] or 1)
    last = int(found[4]) if found[4] else None
    if last is not None and found[3]:
        last += first - 1
    if first < 1 or (last is not None and last < first):
        raise argparse.ArgumentTypeError(f"{text!r} has no line: they are numbered from 1")
    return first, last


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="FILE", help="the file, as it is on disk now")
    parser.add_argument(
        "-L",
        dest="lines",
        metavar="START,END",
        type=lines,
        default=(1, None),
        help="these lines alone; either may be left out, START,+COUNT counts",
    )
    add_place(parser)
    add_json(parser, "write {path, uri, lines: [{startLine, endLine, recordId, …}]} as JSON")


def _blame(call: Call) -> int:
    # YAML and SQLite are for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.blame import answer  # noqa: PLC0415

    return answer(call)


BLAME: Final = Command(
    name="trace blame",
    summary="which edit each line of a file comes from",
    about=(
        "Show each line of a file with the record that it comes from: the first digits of its\n"
        "id, the intent, who wrote it and when. The records of the file are followed back by\n"
        "their hashes, through renames too. Where it was edited without a record, lines are\n"
        "carried over by comparing contents that are still kept, or found by their hashes. A\n"
        "mark before the line number says how sure that is: none, or = where only white space\n"
        "differs, > where the block was moved, ? where no record explains the line."
    ),
    examples=(
        "intent-lsp trace blame src/auth/jwt.ts",
        "intent-lsp trace blame src/auth/jwt.ts -L 10,20",
        "intent-lsp trace blame src/auth/jwt.ts --json | jq '.lines[].intentId'",
    ),
    arguments=_arguments,
    answer=_blame,
)
