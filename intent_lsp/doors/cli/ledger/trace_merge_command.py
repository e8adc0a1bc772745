"""`trace merge`: two ledgers that branched, joined; for git and by hand."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json


def _arguments(parser: argparse.ArgumentParser) -> None:
    for name, about in (
        (
            "BASE",
            "the common ancestor, as git passes it (%%O); no line is removed for it",
        ),
        ("OURS", "one side; the union replaces it unless --output names another file"),
        ("THEIRS", "the other side"),
    ):
        parser.add_argument(name.lower(), metavar=name, nargs="?", help=about)
    parser.add_argument("--output", metavar="FILE", help="write the union there")
    parser.add_argument(
        "--resolve",
        metavar="FILE",
        help="take FILE apart, in which a merge has left its conflict markers",
    )
    add_json(parser, "write {output, lines, conflicts, odd, aside} as JSON")


def _merge(call: Call) -> int:
    # What reads ledgers is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.merge import answer  # noqa: PLC0415

    return answer(call)


MERGE: Final = Command(
    name="trace merge",
    summary="join two ledgers that branched",
    about=(
        "Write the union of two ledgers: OURS in its order, then what THEIRS alone has, each\n"
        "record once, nothing dropped. The next record ties both ends. Git joins the lines by\n"
        "itself where .orchestration/.gitattributes says merge=union; a forge that merges on its\n"
        "server may leave a conflict instead, which --resolve takes apart. To have git call this:\n"
        "\n"
        "  git config merge.intent-ledger.driver 'intent-lsp trace merge %O %A %B'\n"
        "  echo '.orchestration/**/*.jsonl merge=intent-ledger' >> .git/info/attributes"
    ),
    examples=(
        "intent-lsp trace merge --resolve .orchestration/agent_trace.jsonl",
        "intent-lsp trace merge base.jsonl ours.jsonl theirs.jsonl --output all.jsonl",
    ),
    arguments=_arguments,
    answer=_merge,
)
