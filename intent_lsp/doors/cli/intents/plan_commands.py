"""`intents`: the plan, changed: intents added, selected, completed, taken over."""

import argparse
from typing import Final

from intent_lsp.core.intents import Status
from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.intents.options import status
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.doors.cli.session_options import add_asker, identifier, sentence


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", type=sentence, help="what people will read")
    parser.add_argument(
        "--scope",
        metavar="GLOB",
        type=sentence,
        nargs="+",
        action="extend",
        required=True,
        help="the files it owns, from the root; quote it, or the shell reads it first",
    )
    parser.add_argument(
        "--id", metavar="ID", type=identifier, help="its id (default: the next free INT-NNN)"
    )
    for option, what in (("constraint", "what it must keep to"), ("criterion", "when it is done")):
        parser.add_argument(
            f"--{option}",
            metavar="TEXT",
            type=sentence,
            action="append",
            default=[],
            help=f"{what}; may be given again",
        )
    parser.add_argument(
        "--status",
        metavar="S",
        type=status,
        default=Status.PLANNED,
        help="its status (default: %(default)s, which selecting makes IN_PROGRESS)",
    )
    add_place(parser)
    add_json(parser, "write {intent} as JSON")


def _select_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", type=identifier, help="the intent's id")
    add_asker(parser)
    add_place(parser)
    add_json(parser, "write {intent, context, text, warnings} as JSON")


def _complete_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        type=identifier,
        nargs="?",
        help="the intent's id (default: the one that the session has selected)",
    )
    add_asker(parser)
    add_place(parser)
    add_json(parser, "write {intent} as JSON")


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an intents file, in any form that is read")
    add_place(parser)
    add_json(parser, "write {added, skipped, leftOut} as JSON")


def _add(call: Call) -> int:
    # The desk and all it needs are for answers, not for help pages.
    from intent_lsp.doors.cli.intents.add import answer  # noqa: PLC0415

    return answer(call)


def _select(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.select_intent import answer  # noqa: PLC0415

    return answer(call)


def _complete(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.complete import answer  # noqa: PLC0415

    return answer(call)


def _import(call: Call) -> int:
    # As above.
    from intent_lsp.doors.cli.intents.import_intents import answer  # noqa: PLC0415

    return answer(call)


ADD: Final = Command(
    name="intents add",
    summary="write a new intent into the intents file",
    about=(
        "Add an intent at the end of the intents file and say its id. Nothing else in the file\n"
        "changes. A glob that would own nothing, everything, or what governs the work is refused."
    ),
    examples=(
        'intent-lsp intents add "Login by token" --scope "src/auth/**" "tests/auth/**"',
        'intent-lsp intents add Docs --scope "docs/**" --criterion "no dead link" --json',
    ),
    arguments=_add_arguments,
    answer=_add,
)
SELECT: Final = Command(
    name="intents select",
    summary="work for an intent from now on, and be told what it asks",
    about=(
        "Make an intent the active one of a session, and print what whoever works for it has to\n"
        "know. One that is PLANNED becomes IN_PROGRESS in the intents file. Which session: an\n"
        "editor or an agent has an id for it, by --session or in INTENT_LSP_SESSION."
    ),
    examples=(
        "intent-lsp intents select INT-001 --session 7f3a",
        "intent-lsp intents select INT-001 --session 7f3a --json",
    ),
    arguments=_select_arguments,
    answer=_select,
)
COMPLETE: Final = Command(
    name="intents complete",
    summary="set an intent COMPLETED",
    about=(
        "Set an intent COMPLETED in the intents file: it can no longer be selected. The session\n"
        "is left without an intent if this was the one that it had selected."
    ),
    examples=(
        "intent-lsp intents complete --session 7f3a",
        "intent-lsp intents complete INT-001 --session 7f3a --json",
    ),
    arguments=_complete_arguments,
    answer=_complete,
)
IMPORT: Final = Command(
    name="intents import",
    summary="take over the intents of another file",
    about=(
        "Read another intents file, in any of the forms that are read, and add those of its\n"
        "intents whose ids are not here yet, in its order, by one edit. Ids, names, statuses,\n"
        "globs, constraints, criteria and dates of creation are taken over. What was skipped and\n"
        "what was left out is said."
    ),
    examples=(
        "intent-lsp intents import ../old/.orchestration/active_intents.yaml",
        "intent-lsp intents import plan.yaml --json",
    ),
    arguments=_import_arguments,
    answer=_import,
)
