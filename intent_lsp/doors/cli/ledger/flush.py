"""The command `trace flush`: records open runs of automatic saves now."""

import argparse
import json
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.exits import Exit
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.governance.ledger.reader import tracing


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_place(parser)
    add_json(parser, "write {recorded} as JSON")


def _answer(call: Call) -> int:
    with tracing(root_above(call.options.root)) as trace:
        recorded = trace.ledger.end_runs()
    if call.options.json:
        call.page.json(json.dumps({"recorded": recorded}).encode())
    elif recorded:
        call.page.line("1 record was added" if recorded == 1 else f"{recorded} records were added")
    return Exit.FINE


COMMAND: Final = Command(
    name="trace flush",
    about=(
        "An editor that saves by itself makes one record of a run of saves, three seconds after\n"
        "the last of them. This records the open runs now, and what waits for the ledger, so that\n"
        "a commit holds both an edit and its record:\n"
        "\n"
        "  intent-lsp trace flush && git add .orchestration"
    ),
    examples=("intent-lsp trace flush", "intent-lsp trace flush --json"),
    arguments=_arguments,
    answer=_answer,
)
