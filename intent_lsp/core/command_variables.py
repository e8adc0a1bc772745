"""Variables that a command sets or has a shell look up, where their names alone do harm.

Invariant: a name that is no plain one is not known, since a shell evaluates what stands in it.
"""

import re
from collections.abc import Iterator
from typing import Final

from intent_lsp.core.command_options import Arguments
from intent_lsp.core.command_targets import OPERANDS
from intent_lsp.core.command_words import Word
from intent_lsp.core.commands import NOTHING, CommandReading, unknown
from intent_lsp.core.program_rows import Program
from intent_lsp.core.programs_wrapping import CHOOSERS

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\[(?:-?[0-9]+|[@*])\])?")
_BEGINNINGS: Final = tuple(name.rstrip("*") for name in CHOOSERS if name.endswith("*"))
_NO_PAGERS: Final = frozenset({"", "cat"})


def chosen_programs(name: str, program: str, value: str | None = None) -> CommandReading:
    """Read an assignment: some variables decide what a program's name means.

    `value`: what it is set to, None where that is not known. To page by `cat` is to page not at
    all.
    """
    harmless = name.endswith("PAGER") and value in _NO_PAGERS
    if harmless or not (name in CHOOSERS or name.startswith(_BEGINNINGS)):
        return NOTHING
    return unknown(program or name, f"`{name}` may decide which program runs")


def named_variable(word: Word, program: str) -> CommandReading:
    """Read a word that a builtin takes for the name of a variable."""
    if word.unknown:
        return unknown(program, f"{word.unknown}, and names a variable of `{program}`")
    if _PLAIN.fullmatch(word.text):
        return chosen_programs(word.text, program)
    return unknown(program, f"`{word.text}` is evaluated by `{program}`")


def by_names(row: Program, label: str, arguments: Arguments) -> Iterator[CommandReading]:
    """Read what a call takes for names of variables."""
    names = (*arguments.values(row.naming), *arguments.operands[OPERANDS[row.names]])
    yield from (named_variable(word, label) for word in names)
