"""Who asks: the session, and the part of it, that a command names (protocol section 5).

Invariant: no session is invented: an option names one, else the environment, else there is none.
"""

import argparse
import os
from typing import Final

from intent_lsp.doors.cli.exits import WrongUsageError

VARIABLE: Final = "INTENT_LSP_SESSION"
LONGEST_ID: Final = 256
LONGEST_TEXT: Final = 4096


def add_asker(parser: argparse.ArgumentParser) -> None:
    """Add the options that name a session, and a subagent of it."""
    parser.add_argument(
        "--session",
        metavar="S",
        type=identifier,
        help=f"the session that asks (default: what {VARIABLE} says)",
    )
    parser.add_argument("--agent", metavar="A", type=identifier, help="a subagent of that session")


def session_named(options: argparse.Namespace) -> str | None:
    """Give the session that is named, if any is. Raises WrongUsageError."""
    named: str | None = options.session or os.environ.get(VARIABLE) or None
    try:
        return None if named is None else identifier(named)
    except argparse.ArgumentTypeError as problem:
        raise WrongUsageError(f"{VARIABLE}: {problem}", cure="set it to a session's id") from None


def session_needed(options: argparse.Namespace) -> str:
    """Give the session that is named. Raises WrongUsageError."""
    session_id = session_named(options)
    if session_id is None:
        raise WrongUsageError(
            "no session was given, so there is none to select an intent for",
            cure=f"use --session S, or set {VARIABLE}",
        )
    return session_id


def agent_named(options: argparse.Namespace) -> str:
    """Give the subagent that is named; empty: the session itself asks."""
    return options.agent or ""


def identifier(text: str) -> str:
    """Read an id: of a session, an intent, a tool. Raises argparse.ArgumentTypeError."""
    return _text(text, LONGEST_ID)


def sentence(text: str) -> str:
    """Read a name, a sentence or a glob. Raises argparse.ArgumentTypeError."""
    return _text(text, LONGEST_TEXT)


def _text(text: str, longest: int) -> str:
    if not 1 <= len(text) <= longest:
        raise argparse.ArgumentTypeError(f"it has {len(text)} characters, not 1 to {longest}")
    # What a shell passes may be bytes of any kind; what is kept is text.
    if any("\ud800" <= char <= "\udfff" or char == "\0" for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8 text")
    return text
