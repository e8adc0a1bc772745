"""`explain`: every row of the gate on an edit that has not happened (requirements section 6)."""

import argparse
from pathlib import Path
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place
from intent_lsp.doors.cli.session_options import add_asker, identifier


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="*", help="the file that would change, there or not"
    )
    parser.add_argument(
        "--tool",
        metavar="T",
        type=identifier,
        help="an agent's call of this tool, not a person's save",
    )
    parser.add_argument(
        "--command",
        metavar="C",
        help="the shell command of the call, read as run in the governed root"
        " (the tool is Bash unless --tool says otherwise)",
    )
    parser.add_argument(
        "--patch",
        metavar="FILE",
        type=Path,
        help="the patch of the call, as apply_patch or diff spell it (the tool is apply_patch"
        " unless --tool says otherwise)",
    )
    parser.add_argument(
        "--intent",
        metavar="ID",
        type=identifier,
        help="as if this intent were selected for the save, or cited by the call",
    )
    parser.add_argument("--all", action="store_true", help="show every row of the gate")
    parser.add_argument(
        "--code", metavar="CODE", help="say what a code means and the way out, and ask nothing"
    )
    add_asker(parser)
    add_place(parser)
    add_json(parser, "write {rows, decision} as JSON")


def _answer(call: Call) -> int:
    # The desk and all it needs are for answers, not for help pages.
    from intent_lsp.doors.cli.explain import answer  # noqa: PLC0415

    return answer(call)


EXPLAIN: Final = Command(
    name="explain",
    summary="may this edit happen, and why",
    about=(
        "Ask the gate about an edit: what it decides, and what stands in the way; with --all all\n"
        "rows that it looks at. Without --tool or --command it is the person's own save of one\n"
        "file. Who asks is the session that is named, else the only editor of yours that is open\n"
        "here, else somebody who has selected no intent. Nothing is changed and nothing is\n"
        "recorded. The exit status is 1 when the edit would be refused."
    ),
    examples=(
        "intent-lsp explain src/auth/jwt.ts --intent INT-001",
        "intent-lsp explain src/auth/jwt.ts --all",
        "intent-lsp explain src/auth/jwt.ts --tool Edit --session 7f3a",
        'intent-lsp explain --command "sed -i s/a/b/ README.md" --session 7f3a --json',
        "intent-lsp explain --code SCOPE_VIOLATION",
    ),
    arguments=_arguments,
    answer=_answer,
)
