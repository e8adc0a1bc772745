"""`trace export`: records given away, in forms that other tools read."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.ledger.filters import add_filters

FORMATS: Final = ("agent-trace", "flat", "csv", "json")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        required=True,
        choices=FORMATS,
        help="agent-trace: the open specification 0.1.0; flat: one file a line; csv: for"
        " spreadsheets; json: as they stand in the ledger",
    )
    add_filters(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="write a new file, as seen from here or from -C"
    )


def _export(call: Call) -> int:
    # SQLite and the forms are for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.export import answer  # noqa: PLC0415

    return answer(call)


EXPORT: Final = Command(
    name="trace export",
    summary="records in a form that other tools read",
    about=(
        "Write the ledger's records, oldest first, one JSON object or one row a line. Filters\n"
        "narrow together, as in `trace list`. What a form has no word for is left out: Agent\n"
        "Trace counts it in each record's `metadata`; csv and flat have no ranges. Nothing that\n"
        "exists is written over."
    ),
    examples=(
        "intent-lsp trace export --format agent-trace --output traces.jsonl",
        "intent-lsp trace export --format csv --since 2026-11-01 --output november.csv",
        "intent-lsp trace export --format flat --intent INT-001 | jq .file.relative_path",
    ),
    arguments=_arguments,
    answer=_export,
)
