"""`trace import`: records that other tools wrote, taken over."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="JSON Lines, as seen from here or from -C; -: standard input"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would be taken over, and write nothing"
    )
    add_place(parser)
    add_json(parser, "write {added, known, unread, dialects, leftOut, unreadLines} as JSON")


def _import(call: Call) -> int:
    # SQLite and the dialects are for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.import_records import answer  # noqa: PLC0415

    return answer(call)


IMPORT: Final = Command(
    name="trace import",
    summary="take over records of other tools",
    about=(
        "Read records of another tool and append each as a record of this ledger: nested\n"
        "records, chained or not, with or without an intent; flat records of one file a line;\n"
        "Agent Trace 0.1.0. An id that is a UUID of version 4 is kept, and so is the time; the\n"
        "chain says when they were taken over. What is in the ledger by then is passed, so that\n"
        "the same file may be imported again. It ends with what could not be carried over; a\n"
        "line that is not a record is named as file:line."
    ),
    examples=(
        "intent-lsp trace import old/agent_trace.jsonl --dry-run",
        "intent-lsp trace import old/agent_trace.jsonl",
        "git show main:agent_trace.jsonl | intent-lsp trace import - --json",
    ),
    arguments=_arguments,
    answer=_import,
)
