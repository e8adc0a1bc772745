"""`trace`: the ledger, asked and checked."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.words import add_json, add_place

DEFAULT_LIMIT: Final = 20


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--intent", metavar="ID", help="of this intent, or one of its earlier ids")
    parser.add_argument(
        "--path", metavar="FILE", help="that touched this file, as seen from here or from -C"
    )
    parser.add_argument("--session", metavar="ID", help="of this session")
    parser.add_argument(
        "--since", metavar="WHEN", help="not older than 30m, 2h, 3d, 1w, or than an RFC 3339 time"
    )
    parser.add_argument(
        "--limit",
        metavar="N",
        type=_count,
        default=DEFAULT_LIMIT,
        help="at most N records (default: %(default)s); 0: all there are",
    )
    add_place(parser)
    add_json(parser, "write each record as it stands in the ledger, one a line")


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id, or the first digits of it")
    add_place(parser)
    add_json(parser, "write the record as it stands in the ledger")


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strict", action="store_true", help="a torn last line is an error, not a warning"
    )
    add_place(parser)
    add_json(parser, "write {ok, records, segments, heads, problems, …} as JSON")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len("999999999")):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of records")
    return int(text)


def _list(call: Call) -> int:
    # YAML and SQLite are for answers, not for help pages.
    from intent_lsp.doors.cli.trace_list import answer  # noqa: PLC0415

    return answer(call)


def _show(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.trace_show import answer  # noqa: PLC0415

    return answer(call)


def _verify(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.trace_verify import answer  # noqa: PLC0415

    return answer(call)


LIST: Final = Command(
    name="trace list",
    summary="which edits happened, newest first",
    about=(
        "List the ledger's records, newest first: when, for which intent, with which verdict,\n"
        "which file, how many lines came and went. INTENT_CHANGED beside an intent means that its\n"
        "text is another one by now, INTENT_ARCHIVED that it is gone. Nothing is written but the\n"
        "index in .orchestration/.local/, which can be made again at any time."
    ),
    examples=(
        "intent-lsp trace list --since 2h",
        "intent-lsp trace list --intent INT-001 --limit 0 --json | jq .files[].relative_path",
        "intent-lsp trace list --path src/auth/jwt.ts",
    ),
    arguments=_list_arguments,
    answer=_list,
)
SHOW: Final = Command(
    name="trace show",
    summary="all about one edit",
    about=(
        "Show one record in words: who, when, for which intent and verdict, each file with its\n"
        "lines and hashes, and the record's place in the chain. The first digits of the id, as\n"
        "`trace list` prints them, are enough where they mean one record."
    ),
    examples=("intent-lsp trace show b3c1f0de", "intent-lsp trace show b3c1f0de --json"),
    arguments=_show_arguments,
    answer=_show,
)
VERIFY: Final = Command(
    name="trace verify",
    summary="check that nothing in the ledger was changed",
    about=(
        "Recompute every record's hash and follow every link, and name the first bad line of\n"
        "each kind as file:line. It ends with what that shows, and what no chain can show. The\n"
        "exit status is 1 when a record was changed, removed, inserted or moved."
    ),
    examples=("intent-lsp trace verify", "intent-lsp trace verify --strict --json"),
    arguments=_verify_arguments,
    answer=_verify,
)
