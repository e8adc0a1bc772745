"""A call of a program: its name as the command lists write it, and the words after the name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.commands.arguments import Arguments, leading_arguments
from intent_lsp.core.commands.reading import CommandReading, KnownPath, entered, unknown
from intent_lsp.core.commands.row_match import HELP, only_plain
from intent_lsp.core.commands.rows import NO_ROW, CommandLists, ProgramRow, RowKind
from intent_lsp.core.commands.targets import Site
from intent_lsp.core.commands.words import Word

_SUBCOMMAND: Final = re.compile(r"[a-z][\w-]*|--")
_RELEASE: Final = re.compile(r"(?P<name>@?[^@\s]+)@[\w.^~*-]+|(?P<numbered>[a-z+-]*[a-z+])-?[\d.]+")
"""A program's name with a version: `eslint@8`, `python3.11`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A call of a program or of its subcommand.

    `words` are those after the name. `before` are the readings of options before the subcommand.
    `plain` is false if the program was called by a path or version, or with such an option.
    """

    name: str
    words: Sequence[Word]
    place: KnownPath
    before: tuple[CommandReading, ...] = ()
    plain: bool = True

    @property
    def site(self) -> Site:
        """The program and the directory that its relative paths start from."""
        return Site(self.name, self.place)


def named_program(word: str, lists: CommandLists) -> tuple[str, tuple[CommandReading, ...]]:
    """Return the name under which a program has rows, and a doubt if it may be any other program.

    A path counts by its last part if it is in a system directory, or, for programs that verify or
    run others, in a directory where package managers install programs. In any other directory named
    `bin` it also counts by its last part, but with a doubt.
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
        word, f"`{word}` may be another program: its directory is not one of those for programs"
    )
    return (last if directory.endswith("bin") else word), (doubt,)


def with_subcommand(call: ProgramCall, lists: CommandLists) -> ProgramCall:
    """Return the call of the subcommand that a call names, as far as subcommands have rows."""
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
    """Return the directory in which the options tell the program to work."""
    place = call.place
    for word in arguments.values(row.enters):
        place = None if word.unknown else entered(place, word.text)
    return place


def asks_for_help(call: ProgramCall, lists: CommandLists) -> bool:
    """Whether the last word is `--help` and no word before it can be a script or shell text."""
    if not call.words or call.words[-1].text != HELP or call.words[-1].unknown:
        return False
    runs = any(row.script or row.kind is RowKind.RUNS for row in lists.rows.get(call.name, ()))
    before = call.words[:-1]
    named = all(not word.unknown and _SUBCOMMAND.fullmatch(word.text) for word in before)
    return not before or (named and not runs)


def _without_release(word: str, lists: CommandLists) -> str:
    """Return the name without its version, if only the name without it has rows."""
    found = None if word in lists.rows or word in lists.above else _RELEASE.fullmatch(word)
    name = "" if found is None else found["name"] or found["numbered"]
    return name if name in lists.rows or name in lists.above else word


def _risky(call: ProgramCall, row: ProgramRow, arguments: Arguments) -> Iterator[CommandReading]:
    """Yield a doubt for each option of the call that its row does not allow."""
    for option in arguments.options:
        if option.name in row.unless:
            sentence = (
                f"`{call.name} {option.name}` may change files that the command does not name"
            )
            yield unknown(call.name, sentence)
