"""The command `trace archive`: moves the oldest records out of the main ledger file."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.doors.cli.terminal.times import since
from intent_lsp.governance.ledger.reader import tracing
from intent_lsp.store import clock
from intent_lsp.store.ledger.archive import Archived, CutPoint, all_but_newest, archive, older_than


def answer(call: Call) -> None:
    """Archive records and print what was moved."""
    root = root_above(call.options.root)
    found = archive(root, _cut(call.options))
    with tracing(root) as trace:
        # Update the index now, so that the next edit does not have to wait for it.
        trace.ledger.index.refresh()
    if call.options.json:
        told = {"file": found.file, "records": found.records, "left": found.left}
        call.page.json(told | {"repeatedBytes": found.repeated})
        return
    for line in _sentences(found):
        call.page.line(line)


def _cut(options: argparse.Namespace) -> CutPoint:
    if options.before is None:
        return all_but_newest(options.keep)
    moment = since(options.before, clock.now())
    if moment is None:
        raise WrongUsageError(
            f"--before: {options.before} is not a date or time",
            cure="say 2w, 90d, 2026-11-21 or 2026-11-21T20:27:33Z",
        )
    return older_than(moment)


def _sentences(found: Archived) -> list[str]:
    told = []
    if found.repeated:
        told.append("duplicates left by an interrupted archiving were removed")
    if found.file is None:
        told.append(f"nothing was moved: the main ledger file keeps its {_counted(found.left)}")
    else:
        told.append(f"{_counted(found.records)} moved to {found.file}")
        told.append(f"{_counted(found.left)} remain in the main ledger file")
    return told


def _counted(number: int) -> str:
    return "1 record" if number == 1 else f"{number:,} records"


def _arguments(parser: argparse.ArgumentParser) -> None:
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument(
        "--before", metavar="WHEN", help="all older than 2w, 2026-11-21, or an RFC 3339 time"
    )
    which.add_argument("--keep", metavar="N", type=_number, help="all but the newest N")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len("999999999")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


COMMAND: Final = Command(
    about=(
        "Move the oldest records of .orchestration/agent_trace.jsonl into a file in\n"
        ".orchestration/archive/, named after its first and last moment. Both are verified before\n"
        "the main file gives anything up, and the chain runs on from one to the other: every\n"
        "command goes on reading them all. Commit the archive together with the main file."
    ),
    examples=("intent-lsp trace archive --before 90d", "intent-lsp trace archive --keep 10000"),
    json="write {file, records, left, repeatedBytes} as JSON",
    arguments=_arguments,
    answer=answer,
)
