"""A command of the command line: its name, its arguments, its help page, and what runs it."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from inspect import cleandoc
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.terminal.output import Output
from intent_lsp.formats.endpoint import ListenAddress

PROGRAM: Final = "intent-lsp"

_FOR_CALLERS: Final = ("Return ", "Raise ")


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherDoors:
    """What other doors do for the command line, which imports none of them.

    Each function returns the exit status. `serve` starts the language server and waits for its end.
    It gets the log level, and the address at which to listen, or None for standard input and
    output. `serve_mcp` starts the MCP server and waits for its end. It gets the log level, the
    directory of the only project to serve or None, and the address or None. `hook` answers an event
    of an agent host. It gets the host's name, and the event's name or None.
    """

    serve: Callable[[str, ListenAddress | None], int]
    serve_mcp: Callable[[str, str | None, ListenAddress | None], int]
    hook: Callable[[str, str | None], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a command: its options, its output (`page`), and functions of other `doors`."""

    options: argparse.Namespace
    page: Output
    doors: OtherDoors

    def root(self) -> Path:
        """Return the nearest governed root at or above the directory of -C (by default `.`).

        The search goes no higher than the top of the git repository or the home directory. Raise
        WrongUsageError if it finds none, or if there is no such directory.
        """
        # Loaded late: whoever only lists the commands needs no files.
        from intent_lsp.doors.cli.locate import root_above  # noqa: PLC0415

        return root_above(self.options.root)


AddArgument: TypeAlias = Callable[[Any], object]
"""Adds arguments to a parser of argparse, or to a group of one."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line, which is a function decorated with `command`.

    `answer` runs the command and returns the exit status; None means 0. `arguments` are those of
    the command line. `examples` are whole command lines for the help page. `json` is the help text
    of --json, or "" if the command has no --json. `in_root` says whether the command takes -C, a
    directory in the governed root.
    """

    answer: Callable[[Call], int | None]
    arguments: Sequence[AddArgument]
    examples: Sequence[str]
    json: str
    in_root: bool

    @property
    def name(self) -> str:
        """The words of the command, such as `trace list`."""
        return self.answer.__name__.replace("_", " ")

    @property
    def about(self) -> str:
        """The description for the help page: the docstring of the function, but not all of it.

        Its first paragraph, and those that begin with `Return` or `Raise`, are left out: they are
        for the readers of the code.
        """
        _, *paragraphs = cleandoc(self.answer.__doc__ or "").split("\n\n")
        return "\n\n".join(each for each in paragraphs if not each.startswith(_FOR_CALLERS))

    @property
    def line(self) -> str:
        """The start of the command's usage line, such as `intent-lsp trace list`."""
        return f"{PROGRAM} {self.name}"

    def help(self) -> str:
        """Return the help page: usage, description, arguments and examples."""
        return self._parser().format_help()

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the options parsed from `words`, which are those after the command's name.

        Raise WrongUsageError if the words are wrong.
        """
        parser = self._parser()
        options, rest = parser.parse_known_args(list(words))
        if rest:
            meant = nearest(rest[0], re.findall(r"--[a-z][a-z-]*", parser.format_help()))
            guess = "" if meant is None else f"; did you mean {meant}?"
            raise self.refuse(f"unknown option or argument {rest[0]}{guess}")
        return options

    def refuse(self, problem: str) -> WrongUsageError:
        """Return the error for a command line with this problem, with the help page as its cure."""
        return WrongUsageError(problem, cure=f"see `{self.line} --help`")

    def _parser(self) -> argparse.ArgumentParser:
        parser = _Parser(
            prog=self.line,
            description=self.about,
            epilog="\n".join(["examples:", *(f"  {example}" for example in self.examples)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        parser.refusal = self.refuse
        for add in self.arguments:
            add(parser)
        if self.in_root:
            help_ = "begin at DIR, not here; the governed root is found from there upwards"
            parser.add_argument("-C", "--root", metavar="DIR", default=".", help=help_)
        if self.json:
            parser.add_argument("--json", action="store_true", help=self.json)
        # `main` handles --help before parsing, so that it works with wrong arguments too.
        parser.add_argument("-h", "--help", action="store_true", help="show this page")
        return parser


def command(
    *arguments: AddArgument, examples: Sequence[str], json: str = "", in_root: bool = True
) -> Callable[[Callable[[Call], int | None]], Command]:
    """Return a decorator that makes a function a command: `trace_list` becomes `trace list`.

    The parameters are those of `Command`.
    """
    return partial(Command, arguments=arguments, examples=examples, json=json, in_root=in_root)


def argument(spelled: str, about: str, **settings: Any) -> AddArgument:  # noqa: ANN401 - argparse's own
    """Return an argument with a value. `about` is its help text.

    `spelled` has its names and a word that stands for the value: `-C --root DIR`, `path FILE`. A
    single name without a word is for an argument whose choices the help page lists. The settings
    are further ones of `add_argument`.
    """
    names = spelled.split()
    metavar = names.pop() if names[1:] else None
    return lambda parser: parser.add_argument(*names, metavar=metavar, help=about, **settings)


def flag(name: str, about: str) -> AddArgument:
    """Return an option without a value. `about` is its help text."""
    return lambda parser: parser.add_argument(name, action="store_true", help=about)


def repeated(spelled: str, about: str, **settings: Any) -> AddArgument:  # noqa: ANN401
    """Return an option that may be given again: a list of values, which may be empty."""
    return argument(spelled, about, action="append", default=[], **settings)


def one_of(*arguments: AddArgument, required: bool = False) -> AddArgument:
    """Return arguments of which a command line has at most one; exactly one if `required`."""

    def add(parser: argparse.ArgumentParser) -> None:
        group = parser.add_mutually_exclusive_group(required=required)
        for each in arguments:
            each(group)

    return add


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the word of `known` most similar to `word`, or None if none is similar."""
    return next(iter(get_close_matches(word, list(known), n=1)), None)


class _Parser(argparse.ArgumentParser):
    """An argparse parser that raises its errors instead of printing them.

    `refusal` is called with an error's message and returns the error to raise.
    """

    refusal: Callable[[str], WrongUsageError] = WrongUsageError

    def error(self, message: str) -> NoReturn:
        raise self.refusal(message)
