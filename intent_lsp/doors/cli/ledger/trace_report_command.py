"""`trace report`: the ledger as a page to hand on."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.ledger.filters import add_filters


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--html",
        metavar="FILE",
        required=True,
        help="write the page there; an earlier report is replaced; `-`: to standard output",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace FILE whatever it holds, but no control file"
    )
    add_filters(parser)


def _answer(call: Call) -> int:
    # SQLite is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.report import answer  # noqa: PLC0415

    return answer(call)


REPORT: Final = Command(
    name="trace report",
    summary="the ledger as one page of HTML, to hand on",
    about=(
        "Verify the ledger and write what happened as one page of HTML: the verdict, figures,\n"
        "the edits along the time, intents and files, what was out of scope, and the newest\n"
        "1,000 records. The page needs no network and no other file. Filters narrow what it\n"
        "tells of; the verdict, and the exit status 1 of a broken ledger, is always that of the\n"
        "whole ledger."
    ),
    examples=(
        "intent-lsp trace report --html report.html",
        "intent-lsp trace report --html last-week.html --since 1w --intent INT-001",
        "intent-lsp trace report --html - | gzip > report.html.gz",
    ),
    arguments=_arguments,
    answer=_answer,
)
