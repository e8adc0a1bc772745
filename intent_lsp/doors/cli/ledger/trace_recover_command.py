"""`trace recover`: records that the ledger has lost, appended again."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="list them, and append nothing")
    add_place(parser)
    add_json(parser, "write {lost, unreadable, asTheyWere, anew} as JSON")


def _recover(call: Call) -> int:
    # What reads ledgers is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.recover import answer  # noqa: PLC0415

    return answer(call)


RECOVER: Final = Command(
    name="trace recover",
    summary="append again what a reset or a stash took out of the ledger",
    about=(
        "Find records that no file of the ledger holds any more, and append them again. They come\n"
        "from .orchestration/.local/: the journal of records that no commit holds yet, torn lines\n"
        "that were whole but for their end, and what waits because the ledger could not be\n"
        "written. Where what it followed is still there a record is appended as it was, so that a\n"
        "stash that is popped later brings the same line; else it gets a new place in the chain.\n"
        "Id, time and content stay, and no record comes twice."
    ),
    examples=("intent-lsp trace recover --dry-run", "intent-lsp trace recover"),
    arguments=_arguments,
    answer=_recover,
)
