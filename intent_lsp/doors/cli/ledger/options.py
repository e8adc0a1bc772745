"""`trace`: the ledger, asked and checked."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.ledger.filters import add_filters, count
from intent_lsp.doors.cli.options import add_json, add_place

DEFAULT_LIMIT: Final = 20


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    add_filters(parser)
    parser.add_argument(
        "--limit",
        metavar="N",
        type=count,
        default=DEFAULT_LIMIT,
        help="at most N records (default: %(default)s); 0: all there are",
    )
    parser.add_argument("--reverse", action="store_true", help="the oldest of them first")
    add_json(parser, "write each record as it stands in the ledger, one a line")


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the record's id, or the first digits of it")
    parser.add_argument(
        "--no-diff", action="store_true", help="leave the changed lines themselves out"
    )
    add_place(parser)
    add_json(parser, "write the record as it stands in the ledger")


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strict", action="store_true", help="a torn last line is an error, not a warning"
    )
    parser.add_argument(
        "--anchor",
        metavar="HASH",
        action="append",
        default=[],
        help="a record's hash that you know from elsewhere; its first 16 digits are enough",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="LINE",
        help="what `intent-lsp trace seal` printed once: the line, a file with it, or -",
    )
    parser.add_argument("--pub", metavar="FILE", help="the public key of a signed checkpoint")
    add_place(parser)
    add_json(parser, "write {ok, records, segments, heads, problems, anchors, …} as JSON")


def _list(call: Call) -> int:
    # YAML and SQLite are for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.list_records import answer  # noqa: PLC0415

    return answer(call)


def _show(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.ledger.show import answer  # noqa: PLC0415

    return answer(call)


def _verify(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.ledger.verify import answer  # noqa: PLC0415

    return answer(call)


LIST: Final = Command(
    name="trace list",
    summary="which edits happened, newest first",
    about=(
        "List the ledger's records, newest first: when, for which intent, with which verdict,\n"
        "which file, how many lines came and went. INTENT_CHANGED beside an intent means that its\n"
        "text is another one by now, INTENT_ARCHIVED that it is gone. Filters narrow together; a\n"
        "--path that ends with / is a directory, gone or not. Nothing is written but the index in\n"
        ".orchestration/.local/, which can be made again at any time."
    ),
    examples=(
        "intent-lsp trace list --since 2h",
        "intent-lsp trace list --intent INT-001 --limit 0 --json | jq .files[].relative_path",
        "intent-lsp trace list --path src/auth/jwt.ts",
        "intent-lsp trace list --path 'src/**/*.ts' --contributor AI --verdict FAIL",
    ),
    arguments=_list_arguments,
    answer=_list,
)
SHOW: Final = Command(
    name="trace show",
    summary="all about one edit",
    about=(
        "Show one record in words: who, when, for which intent and verdict, each file with its\n"
        "lines and hashes, and the record's place in the chain; then what it changed, line by\n"
        "line, as far as the contents are still kept: as the file is now, in HEAD, in the commit\n"
        "of then, or in .orchestration/.local/. The first digits of the id, as `trace list` has\n"
        "them, are enough where they mean one record."
    ),
    examples=(
        "intent-lsp trace show b3c1f0de",
        "intent-lsp trace show b3c1f0de --no-diff",
        "intent-lsp trace show b3c1f0de --json",
    ),
    arguments=_show_arguments,
    answer=_show,
)
VERIFY: Final = Command(
    name="trace verify",
    summary="check that nothing in the ledger was changed",
    about=(
        "Recompute every record's hash and follow every link, and name the first bad line of\n"
        "each kind as file:line. It ends with what that shows, and what no chain can show. What\n"
        "was true once is proved by an anchor: the commit that is checked out, --anchor,\n"
        "--checkpoint; all that it counts has to be there still. The exit status is 1 when a\n"
        "record was changed, removed, inserted or moved, or when the end was cut off."
    ),
    examples=(
        "intent-lsp trace verify",
        "intent-lsp trace verify --strict --json",
        "intent-lsp trace verify --anchor 5f0c17a2b3d4e5f6",
        "git log --format=%B | intent-lsp trace verify --checkpoint -",
        "intent-lsp trace verify --checkpoint ledger.note --pub pub.pem",
    ),
    arguments=_verify_arguments,
    answer=_verify,
)
