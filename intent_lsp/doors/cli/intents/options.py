"""`intents`: the plan, asked: what is worked on, and who owns which file."""

import argparse
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.doors.cli.session_options import add_asker, identifier


def status(text: str) -> Status:
    """Read a status, as the intents file spells it or once did."""
    # What knows the old words knows YAML too: not for a help page.
    from intent_lsp.formats.intents.entry import status_meant  # noqa: PLC0415

    found = status_meant(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(Status)}")
    return found


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--status",
        metavar="S",
        type=status,
        action="append",
        help="with this status alone, in upper or lower case; may be given again",
    )
    add_asker(parser)
    add_place(parser)
    add_json(parser, "write {enabled, activeIntentId, intents} as JSON, each with its records")


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", type=identifier, help="the intent's id, or an earlier one"
    )
    add_place(parser)
    add_json(parser, "write {intent, aliases, grants, relatedFiles, records} as JSON")


def _owners_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", nargs="+", help="a file, there or not")
    add_place(parser)
    add_json(parser, "write {path, uri, owners} for each path, one a line")


def _coverage_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--list", action="store_true", help="name the files that no intent owns, or several do"
    )
    add_place(parser)
    add_json(parser, "write {files, ownedByOne, ownedBySeveral, ownedByNone} as JSON")


def _list(call: Call) -> int:
    # The desk and all it needs are for answers, not for help pages.
    from intent_lsp.doors.cli.intents.list_intents import answer  # noqa: PLC0415

    return answer(call)


def _show(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.show import answer  # noqa: PLC0415

    return answer(call)


def _owners(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.owners import answer  # noqa: PLC0415

    return answer(call)


def _coverage(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.coverage import answer  # noqa: PLC0415

    return answer(call)


LIST: Final = Command(
    name="intents list",
    summary="what is being worked on",
    about=(
        "List the intents of the intents file in its order: id, status, how many records each\n"
        "has in the ledger, what it owns. With --session, the one that session has selected is\n"
        "marked `active`. INTENT_IGNORED marks one that .intentignore takes out of use."
    ),
    examples=(
        "intent-lsp intents list",
        "intent-lsp intents list --status IN_PROGRESS --status BLOCKED",
        "intent-lsp intents list --json | jq -r .intents[].id",
    ),
    arguments=_list_arguments,
    answer=_list,
)
SHOW: Final = Command(
    name="intents show",
    summary="all about one intent",
    about=(
        "Show one intent: its globs, the scope that people granted it for a time and until when,\n"
        "its constraints and criteria, its related files, its history and its newest records."
    ),
    examples=("intent-lsp intents show INT-001", "intent-lsp intents show INT-001 --json"),
    arguments=_show_arguments,
    answer=_show,
)
OWNERS: Final = Command(
    name="intents owners",
    summary="which intents own a file",
    about=(
        "Tell for each path every intent whose globs match it, whatever its status, in the order\n"
        "of the intents file, with the glob that says so. Paths are seen from here, or from -C."
    ),
    examples=(
        "intent-lsp intents owners src/auth/jwt.ts README.md",
        "intent-lsp intents owners --json src/auth/jwt.ts",
    ),
    arguments=_owners_arguments,
    answer=_owners,
)
COVERAGE: Final = Command(
    name="intents coverage",
    summary="which files no open intent owns, and which several do",
    about=(
        "Hold the scopes of the open intents against the files that git tracks, or would track:\n"
        "how many are owned by one intent, by several, by none. Intents that .intentignore takes\n"
        "out of use own nothing here, and files that govern the work are left aside. The exit\n"
        "status is 0 whatever is found: it is no fault that a file has no owner."
    ),
    examples=(
        "intent-lsp intents coverage --list",
        "intent-lsp intents coverage --json | jq -r .ownedByNone[]",
    ),
    arguments=_coverage_arguments,
    answer=_coverage,
)
