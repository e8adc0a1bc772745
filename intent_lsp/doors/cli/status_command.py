"""`status`: what governs here, who is at work, what is out of bounds (protocol section 5)."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.doors.cli.session_options import add_asker


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_asker(parser)
    add_place(parser)
    add_json(
        parser, "write {root, governed, reason?, enforcement, sessions, violations, ledger, offers}"
    )


def _answer(call: Call) -> int:
    # The desk and all it needs are for answers, not for help pages.
    from intent_lsp.doors.cli.status import answer  # noqa: PLC0415

    return answer(call)


STATUS: Final = Command(
    name="status",
    summary="what governs here, who is at work for which intent, what is out of bounds",
    about=(
        "Show the governed root and its enforcement, the sessions of editors and agents that are\n"
        "alive with the intents that they have selected, the files that were saved out of bounds\n"
        "and still are, and the ledger. Standard error says what git should still be told of the\n"
        "files in .orchestration/, with the commands for it. Nothing is changed."
    ),
    examples=("intent-lsp status", "intent-lsp status -C ~/work/shop", "intent-lsp status --json"),
    arguments=_arguments,
    answer=_answer,
)
