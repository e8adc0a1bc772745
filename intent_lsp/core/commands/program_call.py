"""A call of a program: its name as in the command lists, and which row of the lists fits it.

Invariant: an unknown word never matches a program name or a task.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.commands.arguments import Arguments, Word, leading_arguments, options_in
from intent_lsp.core.commands.reading import CommandReading, KnownPath, entered, unknown
from intent_lsp.core.commands.rows import (
    EVERY,
    NO_ROW,
    CommandLists,
    Operands,
    ProgramRow,
    RowKind,
    Runs,
    Tasks,
)
from intent_lsp.core.commands.targets import Site

MAX_SCRIPT: Final = 2_000
"""The most characters of a script that is examined. The effect of a longer one is not known."""
_EXPANSION: Final = re.compile(r"\$(?:\w+|\{\w+\}|\(\([\w\s$+*-]*\)\))")
HELP: Final = "--help"
"""The option with which, as the last word, a program prints help and does nothing else.

Some programs start a manual viewer for it, so it never makes a call PLAIN.
"""


_SUBCOMMAND: Final = re.compile(r"[a-z][\w-]*|--")
_RELEASE: Final = re.compile(r"(?P<name>@?[^@\s]+)@[\w.^~*-]+|(?P<numbered>[a-z+-]*[a-z+])-?[\d.]+")
"""A program's name with a version: `eslint@8`, `python3.11`."""


class ProgramCall(Struct, frozen=True, kw_only=True):
    """A call of a program or of its subcommand.

    `words` follow the name, and `place` is the working directory. `before` are the readings of
    options that precede the subcommand. `plain` is False if the program was called by another name
    than the lists have, such as a path, or if what precedes the subcommand is not known to be
    harmless.
    """

    name: str
    words: Sequence[Word]
    place: KnownPath
    before: tuple[CommandReading, ...] = ()
    plain: bool = True

    @property
    def site(self) -> Site:
        """The program's name and its working directory."""
        return Site(self.name, self.place)


def fits(row: ProgramRow, arguments: Arguments, lists: CommandLists) -> bool:
    """Whether a call with these arguments meets all conditions of a row of the command lists.

    A row with Operands.SECOND also needs a second operand. A row of a program that runs others
    needs an operand after the first `skip` ones, unless the program is a search such as `find`.
    """
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
    """Whether every option of a call is one with which the program only reads (`plain` in the row).

    False if the row has no `plain`, or if an option writes, changes the directory, rules the row
    out (`unless`) or is `--help`. `words` are the call's words. They are searched for options too,
    even after an operand or `--`, since the program may split them differently than the row does.
    """
    if row.plain is None:
        return False
    names = {option.name for option in (*arguments.options, *options_in(words, row))}
    refused = names & (row.unless | row.writes | row.enters | {HELP})
    return not refused and (EVERY in row.plain or names <= row.plain)


def named_program(word: str, lists: CommandLists) -> tuple[str, tuple[CommandReading, ...]]:
    """Return the name by which to look up the rows of the program `word`, and at most one reading.

    A version is dropped first if the name without it has rows. If `word` then has rows or no `/`,
    it is returned without a reading. `/usr/bin/rm` and other paths in a system directory become
    their last part, without a reading. A path in a directory of `project_bins` does too, if the
    rows of the last part verify or run others.

    Any other path has the reading that it may be another program. It becomes its last part only if
    the name of its directory ends in `bin`.
    """
    word = _without_release(word, lists)
    directory, slash, last = word.rpartition("/")
    if not slash or word in lists.rows or word in lists.above or directory in lists.system_bins:
        return (last if directory in lists.system_bins else word), ()
    kinds = {row.kind for row in lists.rows.get(last, ())}
    verifies = not kinds.isdisjoint({RowKind.VERIFIES, RowKind.RUNS})
    if verifies and f"/{directory}".endswith(tuple(f"/{each}" for each in lists.project_bins)):
        return last, ()
    doubt = unknown(
        word,
        f"`{word}` may not be the program that its name says: it is not in a directory of the"
        " system",
    )
    return (last if directory.endswith("bin") else word), (doubt,)


def with_subcommand(call: ProgramCall, lists: CommandLists) -> ProgramCall:
    """Return the call of the innermost subcommand that `call` names, such as `git stash pop`.

    Return `call` unchanged if it names no subcommand with rows.
    """
    while call.name in lists.above:
        row = next(iter(lists.rows.get(call.name, ())), NO_ROW)
        arguments = leading_arguments(call.words, row)
        first = next(iter(arguments.operands), None)
        name = "" if first is None else f"{call.name} {first.text}"
        if first is None or first.unknown or not (name in lists.rows or name in lists.above):
            return call
        call = ProgramCall(
            name=name,
            words=arguments.operands[1:],
            place=working_place(call, row, arguments),
            before=(*call.before, *_risky(call, row, arguments)),
            plain=call.plain and only_plain(row, arguments) and first.literal,
        )
    return call


def working_place(call: ProgramCall, row: ProgramRow, arguments: Arguments) -> KnownPath:
    """Return the directory in which the program works after the options that change it.

    Return None if the directory is not known.
    """
    place = call.place
    for word in arguments.values(row.enters):
        place = None if word.unknown else entered(place, word.text)
    return place


def asks_for_help(call: ProgramCall, lists: CommandLists) -> bool:
    """Whether the last word is `--help` and no word before it may be a script or shell text.

    That is so if there is no other word; or if the program has no rows for scripts or for running
    others, and each other word is known and looks like a subcommand or is `--`.
    """
    if not call.words or call.words[-1].text != HELP or call.words[-1].unknown:
        return False
    runs = any(row.script or row.kind is RowKind.RUNS for row in lists.rows.get(call.name, ()))
    before = call.words[:-1]
    named = all(not word.unknown and _SUBCOMMAND.fullmatch(word.text) for word in before)
    return not before or (named and not runs)


def _names_tasks(row: ProgramRow, arguments: Arguments, lists: CommandLists) -> bool:
    """Whether the operands name tasks that only verify, as the row's `tasks` requires.

    If `tasks` is FIRST, ANY or EVERY, this is required of the first operand, of at least one or of
    all of them; False if there is no operand. If `tasks` is NONE, the result is True. Operands with
    `=` do not count.
    """
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
    """Whether all scripts of a call match the row's `script`. False if the call has no script.

    The scripts are the values of the row's `given` options, or else the first operand. A script
    that is too long or not known does not match (see `_filled_in`).
    """
    scripts = arguments.values(row.given) or arguments.operands[:1]
    found = [
        re.fullmatch(row.script, text) for text in (_filled_in(w, row) for w in scripts) if text
    ]
    return len(found) == len(scripts) > 0 and all(found)


def _filled_in(word: Word, row: ProgramRow) -> str:
    """Return the text of the script `word`, or "" if it is too long or unknown.

    If the row has `numbers`, each `$NAME`, `${NAME}` or simple `$((…))` in an unknown script is
    replaced by `1`. The script then counts as known, unless a `$` or backquote remains in it or the
    result is `1` alone.
    """
    if len(word.text) > MAX_SCRIPT:
        return ""
    if not word.unknown:
        return word.text
    text = _EXPANSION.sub("1", word.text) if row.numbers else ""
    return "" if text == "1" or not {"$", "`"}.isdisjoint(text) else text


def _without_release(word: str, lists: CommandLists) -> str:
    """Return a program's name without its version, as `python` for `python3.12`.

    Return the name unchanged if it has rows, or if the name without its version has none.
    """
    found = None if word in lists.rows or word in lists.above else _RELEASE.fullmatch(word)
    name = "" if found is None else found["name"] or found["numbered"]
    return name if name in lists.rows or name in lists.above else word


def _risky(call: ProgramCall, row: ProgramRow, arguments: Arguments) -> Iterator[CommandReading]:
    """Yield, for each option of the call in the row's `unless`, that it may change anything."""
    program = call.name
    for option in (each.name for each in arguments.options):
        if option in row.unless:
            yield unknown(
                program,
                f"`{program}` with the option `{option}` may also change files that the command"
                " does not name",
            )
