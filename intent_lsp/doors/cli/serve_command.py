"""`serve`: the language server, as an editor starts it."""

import argparse
import sys
from typing import Final

from intent_lsp.doors.cli.command import Call, Command

_LEVELS: Final = ("debug", "info", "warning", "error")
_ALONE: Final = (
    "intent-lsp: this is a language server, and it waits for an editor on standard input;"
    " `intent-lsp --help` tells what else there is (Ctrl-C ends it)"
)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log-level",
        choices=_LEVELS,
        default="warning",
        help="how much is logged to standard error: %(choices)s (default: %(default)s)",
    )
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="speak over standard input and output, as is done in any case;"
        " some editors add this of their own accord",
    )


def _answer(call: Call) -> int:
    if sys.stdin is not None and sys.stdin.isatty():
        call.page.remark(_ALONE)
    return call.serve(call.options.log_level)


SERVE: Final = Command(
    name="serve",
    summary="the language server; what an editor starts",
    about=(
        "Serve one editor over standard input and output: show edits outside the selected\n"
        "intent, judge saves, keep the ledger. `intent-lsp` alone does the same. Where no\n"
        ".orchestration/active_intents.yaml governs, the server says nothing and writes nothing.\n"
        "It logs to standard error, and warnings to the editor's own log."
    ),
    examples=("intent-lsp", "intent-lsp serve --log-level debug 2>intent-lsp.log"),
    arguments=_arguments,
    answer=_answer,
)
