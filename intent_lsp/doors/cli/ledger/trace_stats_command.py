"""`trace stats`: how much happened, for which intents, where and by whom."""

import argparse
from typing import Final

from intent_lsp.core.report.aggregates import By
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.ledger.filters import add_filters, count
from intent_lsp.doors.cli.options import add_json

DEFAULT_ROWS: Final = 20


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by",
        choices=[by.value for by in By],
        default=By.INTENT.value,
        help="what to count by (default: %(default)s)",
    )
    add_filters(parser)
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=DEFAULT_ROWS,
        help="at most N rows (default: %(default)s); 0: all there are. JSON has them all",
    )
    add_json(parser, "write {by, filters, total, groups} as JSON")


def _answer(call: Call) -> int:
    # SQLite is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.stats import answer  # noqa: PLC0415

    return answer(call)


STATS: Final = Command(
    name="trace stats",
    summary="how much happened: edits, lines, violations",
    about=(
        "Count the ledger's edits by intent, path, session, contributor, tool, day or verdict:\n"
        "edits, a line of their days, lines that came and went, edits out of scope, edits that\n"
        "failed, and when the last one was. An edit counts once in each group that it belongs to,\n"
        "and once in the total. Days and times are those of this machine's time zone."
    ),
    examples=(
        "intent-lsp trace stats",
        "intent-lsp trace stats --by contributor --since 1w",
        "intent-lsp trace stats --by path --path src/ --verdict FAIL",
        "intent-lsp trace stats --by day --json",
    ),
    arguments=_arguments,
    answer=_answer,
)
