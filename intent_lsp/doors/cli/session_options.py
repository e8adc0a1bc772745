"""The options for the session that a command acts for, and its subagent (protocol section 5).

Invariant: no session is invented: it comes from an option or the environment, or there is none.
"""

import argparse
import os
from typing import Final

from intent_lsp.doors.cli.exits import WrongUsageError

VARIABLE: Final = "INTENT_LSP_SESSION"
LONGEST_ID: Final = 256
LONGEST_TEXT: Final = 4096


def add_asker(parser: argparse.ArgumentParser) -> None:
    """Add the options --session and --agent to a command's parser."""
    parser.add_argument(
        "--session",
        metavar="S",
        type=identifier,
        help=f"the session that asks (default: what {VARIABLE} says)",
    )
    parser.add_argument("--agent", metavar="A", type=identifier, help="a subagent of that session")


def session_named(options: argparse.Namespace) -> str | None:
    """Return the id of the session given by --session or the environment, or None if none is given.

    Raise WrongUsageError if the id is malformed.
    """
    named: str | None = options.session or os.environ.get(VARIABLE) or None
    try:
        return None if named is None else identifier(named)
    except argparse.ArgumentTypeError as problem:
        raise WrongUsageError(
            f"{VARIABLE}: {problem}", cure="set the variable to a session's id"
        ) from None


def session_needed(options: argparse.Namespace) -> str:
    """Return the id of the session given by --session or the environment.

    Raise WrongUsageError if none is given.
    """
    session_id = session_named(options)
    if session_id is None:
        raise WrongUsageError(
            "no session was given in which to select the intent",
            cure=f"use --session S, or set {VARIABLE}",
        )
    return session_id


def agent_named(options: argparse.Namespace) -> str:
    """Return the id of the subagent given by --agent, or "" without one."""
    return options.agent or ""


def identifier(text: str) -> str:
    """Return `text` unchanged if it can be the id of a session, intent or tool.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, too
    long or not UTF-8.
    """
    return _text(text, LONGEST_ID)


def sentence(text: str) -> str:
    """Return `text` unchanged if it can be a name, sentence or glob.

    This is a type function for argparse: raise argparse.ArgumentTypeError if the text is empty, too
    long or not UTF-8.
    """
    return _text(text, LONGEST_TEXT)


def _text(text: str, longest: int) -> str:
    if not 1 <= len(text) <= longest:
        raise argparse.ArgumentTypeError(
            f"must have 1 to {longest} characters, but has {len(text)}"
        )
    # Shell arguments can be any bytes; what is stored must be text.
    if any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8 text")
    return text
