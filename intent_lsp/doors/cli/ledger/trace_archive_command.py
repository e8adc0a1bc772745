"""`trace archive`: the oldest records, moved out of the main file."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place


def _arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--before", metavar="WHEN", help="all older than 2w, 2026-11-21, or an RFC 3339 time"
    )
    which.add_argument("--keep", metavar="N", type=_number, help="all but the newest N")
    add_place(parser)
    add_json(parser, "write {file, records, left, repeatedBytes} as JSON")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len("999999999")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


def _archive(call: Call) -> int:
    # What reads ledgers is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.archive import answer  # noqa: PLC0415

    return answer(call)


ARCHIVE: Final = Command(
    name="trace archive",
    summary="move old records into a file of their own",
    about=(
        "Move the oldest records of .orchestration/agent_trace.jsonl into a file in\n"
        ".orchestration/archive/, named after its first and last moment. Both are verified before\n"
        "the main file gives anything up, and the chain runs on from one to the other: every\n"
        "command goes on reading them all. Commit the archive together with the main file."
    ),
    examples=("intent-lsp trace archive --before 90d", "intent-lsp trace archive --keep 10000"),
    arguments=_arguments,
    answer=_archive,
)
