"""The options for the session that a command acts for, and its subagent (protocol section 5).

Invariant: no session is invented: it comes from an option or the environment, or there is none.
"""

import argparse
import os
from typing import Final

from intent_lsp.doors.cli.command import argument
from intent_lsp.doors.cli.exits import WrongUsageError

VARIABLE: Final = "INTENT_LSP_SESSION"
LONGEST_ID: Final = 256
LONGEST_TEXT: Final = 4096


def identifier(text: str) -> str:
    """Return `text` unchanged if it can be the id of a session, intent or tool.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, has
    more than 256 characters, is not UTF-8 or has a null character.
    """
    return _text(text, LONGEST_ID)


def sentence(text: str) -> str:
    """Return `text` unchanged if it can be a name, sentence or glob.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, has
    more than 4096 characters, is not UTF-8 or has a null character.
    """
    return _text(text, LONGEST_TEXT)


def _text(text: str, longest: int) -> str:
    length = len(text)
    if not 1 <= length <= longest:
        raise argparse.ArgumentTypeError(f"must have 1 to {longest} characters, but has {length}")
    # Shell arguments can be any bytes; what is stored must be text.
    if any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8 text")
    return text


ASKER: Final = (
    argument(
        "--session",
        metavar="S",
        type=identifier,
        help=f"the session that asks (default: what {VARIABLE} says)",
    ),
    argument("--agent", metavar="A", type=identifier, help="a subagent of that session"),
)
"""The options for the session that a command acts for, and for its subagent."""


def session_named(options: argparse.Namespace) -> str | None:
    """Return the id or handle of the session given by --session, else by INTENT_LSP_SESSION.

    Return None if neither gives one. Raise WrongUsageError if it is malformed.
    """
    named: str | None = options.session or os.environ.get(VARIABLE) or None
    try:
        return None if named is None else identifier(named)
    except argparse.ArgumentTypeError as problem:
        raise WrongUsageError(
            f"{VARIABLE}: {problem}", cure="set the variable to a session's id"
        ) from None


def session_needed(options: argparse.Namespace) -> str:
    """Return the id or handle of the session given by --session, else by INTENT_LSP_SESSION.

    Raise WrongUsageError if neither gives one, or if it is malformed.
    """
    session_id = session_named(options)
    if session_id is None:
        raise WrongUsageError(
            "no session was given",
            cure=f"use --session S, or set {VARIABLE}",
        )
    return session_id


def agent_named(options: argparse.Namespace) -> str:
    """Return the id of the subagent given by --agent, or "" without one."""
    return options.agent or ""
