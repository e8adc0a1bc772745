"""One command as it is typed: its name, its arguments, its help, and what answers it."""

import argparse
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, NoReturn, Protocol

from intent_lsp.doors.cli.exits import WrongUsageError
from intent_lsp.doors.cli.terminal.output import Output

PROGRAM: Final = "intent-lsp"


class Serve(Protocol):
    """Starts the editors' door."""

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
        """Serve with a log level, by `stdio`, or by `tcp` or `ws` at a host and a port.

        Gives the exit status.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a command: what was asked, where the answer goes, and the server to start."""

    options: argparse.Namespace
    page: Output
    serve: Serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command. `about` is a paragraph, `examples` are whole command lines.

    `arguments` declares its words; `answer` gives the exit status.
    """

    name: str
    about: str
    examples: tuple[str, ...]
    arguments: Callable[[argparse.ArgumentParser], None]
    answer: Callable[[Call], int]

    @property
    def line(self) -> str:
        """How the command is called."""
        return f"{PROGRAM} {self.name}"

    def help(self) -> str:
        """Write the help page: usage, what for, words and options, examples."""
        return self._parser().format_help()

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Read the words after the command's name. Raises WrongUsageError."""
        parser = self._parser()
        options, rest = parser.parse_known_args(list(words))
        if rest:
            meant = nearest(rest[0], re.findall(r"--[a-z][a-z-]*", parser.format_help()))
            guess = "" if meant is None else f"; did you mean {meant}?"
            raise self._refuse(f"{rest[0]} is not known here{guess}")
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
        # Asked for before the words are read, so that it helps with wrong ones too.
        parser.add_argument("-h", "--help", action="store_true", help="show this page")
        return parser

    def _refuse(self, problem: str) -> WrongUsageError:
        return WrongUsageError(problem, cure=f"see `{self.line} --help`")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Give what was probably meant; None when nothing known is near."""
    return next(iter(get_close_matches(word, list(known), n=1)), None)


class _Parser(argparse.ArgumentParser):
    """argparse's parser, which raises what it would print."""

    refusal: Callable[[str], WrongUsageError] = WrongUsageError

    def error(self, message: str) -> NoReturn:
        raise self.refusal(message)
