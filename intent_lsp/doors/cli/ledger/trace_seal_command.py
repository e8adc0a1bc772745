"""`trace seal`: a checkpoint of the ledger, made and checked."""

import argparse
from typing import Final

from intent_lsp.doors.cli.command import Call, Command
from intent_lsp.doors.cli.options import add_json, add_place


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--key", metavar="FILE", help="sign with this Ed25519 key (PEM, PKCS#8): write a note"
    )
    parser.add_argument(
        "--check",
        metavar="LINE",
        help="hold a checkpoint against the ledger: the line itself, a file with such lines or"
        " with a signed note, or - for standard input",
    )
    parser.add_argument(
        "--pub",
        metavar="FILE",
        help="with --check: the public key of a signed note, PEM or `<name>+<id>+<key>`",
    )
    add_place(parser)
    add_json(parser, "write {origin, count, heads, line, note?, key?}, or what --check found")


def _seal(call: Call) -> int:
    # What reads ledgers is for answers, not for help pages.
    from intent_lsp.doors.cli.ledger.seal import answer  # noqa: PLC0415

    return answer(call)


SEAL: Final = Command(
    name="trace seal",
    summary="say in one line what the ledger is, to be written down elsewhere",
    about=(
        "Write a checkpoint: the ledger's name (the hash of its first record), the number of its\n"
        "records, and the newest one's hash. Whoever can write the ledger can write it anew; a\n"
        "checkpoint that stands where they cannot write, in a commit's message that is pushed, in\n"
        "a ticket, on paper, shows it. --check holds one against the ledger; the exit status is 1\n"
        "when records that it counts are gone or changed. A ledger that is broken is not sealed.\n"
        "With --key it is signed, as a note (c2sp.org/signed-note) that --check --pub takes.\n"
        "\n"
        '  git commit --trailer "$(intent-lsp trace seal)"'
    ),
    examples=(
        "intent-lsp trace seal",
        "intent-lsp trace seal --key key.pem",
        "intent-lsp trace seal --check ledger.note --pub pub.pem",
        "git log --format=%B | intent-lsp trace seal --check -",
    ),
    arguments=_arguments,
    answer=_seal,
)
