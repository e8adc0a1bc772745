"""Matching of a call's arguments with a row: whether the row fits, and whether the call only reads.

Invariant: a word that is not known matches no name, task or script.
"""

import re
from collections.abc import Sequence
from typing import Final

from intent_lsp.core.commands.arguments import Arguments, options_in
from intent_lsp.core.commands.rows import (
    EVERY,
    CommandLists,
    Operands,
    ProgramRow,
    RowKind,
    Runs,
    Tasks,
)
from intent_lsp.core.commands.words import Word

MAX_SCRIPT: Final = 2_000
"""The most characters of a script that is read. What a longer one does is not known."""
_EXPANSION: Final = re.compile(r"\$(?:\w+|\{\w+\}|\(\([\w\s$+*-]*\)\))")
HELP: Final = "--help"
"""The option with which, as the last word, a program prints help and does nothing else.

Some programs start a manual viewer for it, so it never makes a call PLAIN.
"""


def fits(row: ProgramRow, arguments: Arguments, lists: CommandLists) -> bool:
    """Whether a row describes a call with these arguments."""
    operands = arguments.operands
    return (
        (not row.needs or arguments.has(row.needs))
        and not arguments.has(row.unless)
        and not (row.bare and operands)
        and (not row.first or (bool(operands) and operands[0].is_one_of(row.first)))
        and _names_tasks(row, arguments, lists)
        and (not row.script or _follows(row, arguments))
        and (row.operands is not Operands.SECOND or len(operands) > 1)
        and (row.kind is not RowKind.RUNS or row.runs is Runs.SEARCH or len(operands) > row.skip)
    )


def only_plain(row: ProgramRow, arguments: Arguments, words: Sequence[Word] = ()) -> bool:
    """Whether every option is one with which the program only reads.

    Words in `words` that look like options count too, whatever stands before them, since the
    program may split its words differently than the row does.
    """
    if row.plain is None:
        return False
    names = {option.name for option in (*arguments.options, *options_in(words, row))}
    refused = names & (row.unless | row.writes | row.enters | {HELP})
    return not refused and (EVERY in row.plain or names <= row.plain)


def _names_tasks(row: ProgramRow, arguments: Arguments, lists: CommandLists) -> bool:
    """Whether the operands name tasks that verify, as the row's `tasks` requires."""
    names = [word for word in arguments.operands if "=" not in word.text]

    def verifies(word: Word) -> bool:
        known = word.text in row.also or lists.is_task(word.text.rpartition(":")[2] or word.text)
        return not word.unknown and (known or lists.is_task(word.text))

    match row.tasks:
        case Tasks.NONE:
            return True
        case Tasks.FIRST:
            return bool(names) and verifies(names[0])
        case Tasks.ANY:
            return any(map(verifies, names))
        case Tasks.EVERY:
            return bool(names) and all(map(verifies, names))


def _follows(row: ProgramRow, arguments: Arguments) -> bool:
    """Whether all scripts of a call match the row's `script`. False if there is none."""
    scripts = arguments.values(row.given) or arguments.operands[:1]
    found = [
        re.fullmatch(row.script, text) for text in (_filled_in(w, row) for w in scripts) if text
    ]
    return len(found) == len(scripts) > 0 and all(found)


def _filled_in(word: Word, row: ProgramRow) -> str:
    """Return a script, or "" if it is too long or not known.

    If the row allows it (`numbers`), each shell expansion in the script is replaced by `1`.
    """
    if len(word.text) > MAX_SCRIPT:
        return ""
    if not word.unknown:
        return word.text
    text = _EXPANSION.sub("1", word.text) if row.numbers else ""
    return "" if text == "1" or not {"$", "`"}.isdisjoint(text) else text
