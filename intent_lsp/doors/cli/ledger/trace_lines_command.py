"""`trace lines`: every line that comes from an intent."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.doors.cli.session_options import identifier


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "intent",
        metavar="INTENT",
        type=identifier,
        help="the intent's id, or an earlier one; also of one that is gone from the intents file",
    )
    parser.add_argument(
        "--path",
        metavar="PATH",
        help="in this file, in files below this directory, or in those that this glob matches,"
        " as seen from here or from -C",
    )
    add_place(parser)
    add_json(parser, "write {intentId, files: [{path, uri, lines, lineCount}], …} as JSON")


def _answer(call: Call) -> int:
    # YAML and SQLite are for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.lines import answer  # noqa: PLC0415

    return answer(call)


LINES: Final = Command(
    name="trace lines",
    summary="which lines come from an intent",
    about=(
        "Show every line of today's files that an intent's records explain, a row for each\n"
        "stretch with one origin: the file and its lines, how many, how sure that is, the first\n"
        "digits of the record's id, who wrote it and when. It is `trace blame` asked from the\n"
        "other end, and as sure. Files that were renamed since are found by their new names. The\n"
        "files of the intent's newest 2,000 records are asked, 200 of them at most, those that\n"
        "were worked on last first; where that leaves some out, it is said."
    ),
    examples=(
        "intent-lsp trace lines INT-001",
        "intent-lsp trace lines INT-001 --path 'src/**/*.ts'",
        "intent-lsp trace lines INT-001 --json | jq .total",
    ),
    arguments=_arguments,
    answer=_answer,
)
