"""A command of the command line: its name, arguments, help page and answer."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NoReturn, Protocol

from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.locate import root_above
from intent_lsp.doors.cli.terminal.output import Output

PROGRAM: Final = "intent-lsp"


class Serve(Protocol):
    """Starts the language server."""

    def __call__(
        self,
        level: str,
        /,
        *,
        scheme: str = "stdio",
        endpoint: tuple[str, int] = ("", 0),
        token_file: str | None = None,
        origins: Sequence[str] = (),
    ) -> int:
        """Serve with a log level, by `stdio`, or by `tcp` or `ws` at `endpoint`, a host and a port.

        Return the exit status.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a command: its options, its output, and the function that starts the server."""

    options: argparse.Namespace
    page: Output
    serve: Serve

    def root(self) -> Path:
        """Return the root that governs -C. Raise WrongUsageError if none does."""
        return root_above(self.options.root)


def _no_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command. `examples` are whole command lines.

    `arguments` declares the arguments on a parser. `json` is the help text of --json, "" if the
    command has no such option. `in_root`: it takes -C, a directory in the governed root. `answer`
    runs the command and returns the exit status; None is 0. `name` is filled in from the table, and
    `about`, the text of its help page, from its module's docstring.
    """

    examples: tuple[str, ...]
    json: str = ""
    in_root: bool = True
    arguments: Callable[[argparse.ArgumentParser], None] = _no_arguments
    answer: Callable[[Call], int | None]
    name: str = ""
    about: str = ""

    @property
    def line(self) -> str:
        """The start of its command line, such as `intent-lsp trace list`."""
        return f"{PROGRAM} {self.name}"

    def help(self) -> str:
        """Return the help page: usage, description, arguments and examples."""
        return self._parser().format_help()

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words after the command's name. Raise WrongUsageError."""
        parser = self._parser()
        options, rest = parser.parse_known_args(list(words))
        if rest:
            meant = nearest(rest[0], re.findall(r"--[a-z][a-z-]*", parser.format_help()))
            guess = "" if meant is None else f"; did you mean {meant}?"
            raise self._refuse(f"unknown option or argument {rest[0]}{guess}")
        return options

    def _parser(self) -> argparse.ArgumentParser:
        parser = _Parser(
            prog=self.line,
            description=self.about,
            epilog="\n".join(["examples:", *(f"  {example}" for example in self.examples)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        parser.refusal = self._refuse
        self.arguments(parser)
        if self.in_root:
            help_ = "begin at DIR, not here; the governed root is found from there upwards"
            parser.add_argument("-C", "--root", metavar="DIR", default=".", help=help_)
        if self.json:
            parser.add_argument("--json", action="store_true", help=self.json)
        # `main` handles --help before parsing, so that it works with wrong arguments too.
        parser.add_argument("-h", "--help", action="store_true", help="show this page")
        return parser

    def _refuse(self, problem: str) -> WrongUsageError:
        return WrongUsageError(problem, cure=f"see `{self.line} --help`")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to `word`, or None if none is similar."""
    return next(iter(get_close_matches(word, list(known), n=1)), None)


class _Parser(argparse.ArgumentParser):
    """An argparse parser that raises errors instead of printing them."""

    refusal: Callable[[str], WrongUsageError] = WrongUsageError

    def error(self, message: str) -> NoReturn:
        raise self.refusal(message)
