"""The help pages of the whole program and of a family of commands such as `trace`."""

from collections.abc import Sequence
from typing import Final

from intent_lsp.doors.cli.command import PROGRAM
from intent_lsp.doors.cli.command_table import CommandEntry

_HEAD: Final = """
Knows which intent each edit serves, and keeps the proof: edits outside the selected intent show
up in the editor, and every save becomes a record in a ledger that lives in the repository.

usage: intent-lsp [COMMAND] [OPTIONS]

commands:
"""
_TAIL: Final = """
  intent-lsp COMMAND --help   what it is for, its options, examples
  intent-lsp --version        its name and version
  intent-lsp --help           this page

To begin:
  intent-lsp init             in the project's top directory; it says what comes next
  intent-lsp intents list     what is being worked on
  intent-lsp explain FILE     whether an edit of it may happen, and why
  intent-lsp trace list       what was edited, and for which intent
  intent-lsp trace verify     whether anything in the ledger was changed afterwards

Alone, `intent-lsp` is the server that an editor starts. Exit status: 0 fine, 1 a broken ledger
or an edit that would be refused, 2 wrong usage or unreadable input.
"""


def program_page(product_line: str, commands: Sequence[CommandEntry]) -> str:
    """Return the page of `intent-lsp --help`."""
    return f"{product_line}\n{_HEAD}{_listed(commands)}{_TAIL}"


def family_page(family: str, commands: Sequence[CommandEntry]) -> str:
    """Return the page of `intent-lsp FAMILY --help`."""
    return (
        f"usage: {PROGRAM} {family} COMMAND [OPTIONS]\n\ncommands:\n{_listed(commands)}\n"
        f"  {PROGRAM} {family} COMMAND --help   what it is for, its options, examples\n"
    )


def _listed(commands: Sequence[CommandEntry]) -> str:
    longest = max(len(command.name) for command in commands)
    return "".join(f"  {c.name:{longest}}  {c.summary}\n" for c in commands)
