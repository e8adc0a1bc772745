"""The rows of the command lists: how a program is called, and what it does then.

Invariant: a row is a value; nothing that only one program does is told in code.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from intent_lsp.core.commands.reading import Effect

Options = frozenset[str]
"""Options with their dashes: `-o`, `--output`; in a condition also `-X=GET`."""

EVERY: Final = "*"
"""Stands in `plain` for every option that the row does not name as one that writes."""


class RowKind(StrEnum):
    """What a program does whose row fits, which is the list that the row stands in."""

    READS = "reads"
    VERIFIES = "verifies"
    WRITES = "writes"
    RUNS = "runs"


class Style(StrEnum):
    """How a program spells its options."""

    GNU = "gnu"
    """`-abc`, `-ofile`, `-o file`, `--out=file`, `--out file`, and any beginning of a long name."""

    WHOLE = "whole"
    """One dash or two before a whole name: `-name x`, `--name=x`."""

    TAR = "tar"
    """Like GNU, and a first word without its dash: `xzf a.tgz`."""

    KEYED = "keyed"
    """`of=file`."""


class Operands(StrEnum):
    """Which operands name what is written."""

    NONE = "none"
    ALL = "all"
    FIRST = "first"
    SECOND = "second"
    BUT_FIRST = "all but the first"
    COPY = "the last, from the others"
    MOVE = "the last, and the others are gone"
    SEND = "the last, from the others, unless it is on another machine"
    BELOW = "all, and what is below them"
    DASHED = "those after `--`"


class Tasks(StrEnum):
    """Which operands have to name tasks that verify."""

    NONE = "none"
    FIRST = "first"
    ANY = "any"
    EVERY = "every"


class Runs(StrEnum):
    """Which operands are a command of their own."""

    WORDS = "words"
    """All of them: a program and its arguments."""

    TEXT = "text"
    """The first one is shell text."""

    JOINED = "joined"
    """All of them, joined, are shell text."""

    SEARCH = "search"
    """What follows an option of `starts`, up to `;` or `+`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRow:
    """One way of calling a program: it fits when every condition of it holds.

    Conditions: `needs` (one of these options), `unless` (none of these), `bare` (no operands),
    `first` (the first operand is one of these), `tasks` with `also`, and `script` (a regular
    expression for the values of the options `given`, else for the first operand; `numbers`: what a
    shell fills in may stand in it for a number).

    `plain` are the options with which it only reads, whatever they are set to; None: it is never
    exempt. `values` options take a value, `attached` ones only in the same word; the values of
    `writes` are files that are written, of `enters` the directory that is worked in, of `texts`
    shell text. `passes`: what stands after `--` is options of a program that it runs.

    Of a program that writes: `operands` are its targets; `given` options stand for the first
    operand; `directories`: of a directory among its targets no file is changed; `shares`: its
    sources are other names of its targets; `touches` is a path that it writes wherever it is run;
    `more` says what else it changes.

    Of a program that runs others: `skip` operands come before the command, and `assignments` may;
    `module` is the option whose value is the program; `fills` options name what is replaced in the
    words; `appends`: operands are added that nobody sees.
    """

    kind: RowKind
    needs: Options = frozenset()
    unless: Options = frozenset()
    bare: bool = False
    first: frozenset[str] = frozenset()
    tasks: Tasks = Tasks.NONE
    also: frozenset[str] = frozenset()
    script: str = ""
    numbers: bool = False
    plain: Options | None = None
    values: Options = frozenset()
    attached: Options = frozenset()
    writes: Options = frozenset()
    enters: Options = frozenset()
    texts: Options = frozenset()
    style: Style = Style.GNU
    passes: bool = False
    operands: Operands = Operands.NONE
    given: Options = frozenset()
    effect: Effect = Effect.WRITE
    directories: bool = False
    shares: bool = False
    touches: str = ""
    more: str = ""
    runs: Runs = Runs.WORDS
    skip: int = 0
    assignments: bool = False
    module: Options = frozenset()
    fills: Options = frozenset()
    starts: Options = frozenset()
    appends: bool = False

    @property
    def taking(self) -> Options:
        """The options whose value may be the next word."""
        named = self.values | self.writes | self.enters | self.texts | self.module | self.fills
        return (named | self.given) - self.attached

    @property
    def named(self) -> Options:
        """Every option that the row names."""
        plain = frozenset[str]() if self.plain is None else self.plain - {EVERY}
        return self.taking.union(self.attached, self.unless, self.needs, plain)


NO_ROW: Final = ProgramRow(kind=RowKind.READS)
"""What is known of a program that only its subcommands have rows of."""


@dataclass(frozen=True, kw_only=True)
class CommandLists:
    """Every row by the words that call it: `rm`, `git log`; and the words that several rows use.

    A task verifies whose name holds one of `task_words`, and none of `changing_words`. `choosers`
    are variables that decide which program runs, `harmless` are assignments of them that do not. In
    `system_bins` programs are what their names say; into `project_bins` package managers put those
    that verify.
    """

    rows: Mapping[str, tuple[ProgramRow, ...]]
    task_words: frozenset[str] = frozenset()
    changing_words: frozenset[str] = frozenset()
    choosers: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    system_bins: frozenset[str] = frozenset()
    project_bins: frozenset[str] = frozenset()

    @cached_property
    def above(self) -> frozenset[str]:
        """The words before which a subcommand may stand."""
        return frozenset(
            name[:at] for name in self.rows for at, sign in enumerate(name) if sign == " "
        )

    def is_task(self, name: str) -> bool:
        """Whether the name of a task says that it verifies."""
        parts = {part.lower() for part in _PART.findall(name)}
        return not parts.isdisjoint(self.task_words) and parts.isdisjoint(self.changing_words)

    def chooses(self, assignment: str, *, known: bool) -> bool:
        """Whether `NAME=value`, its value known or not, may decide which program runs."""
        name = assignment.partition("=")[0].rstrip("+")
        if known and assignment in self.harmless:
            return False
        stems = (each.rstrip(EVERY) for each in self.choosers if each.endswith(EVERY))
        return name in self.choosers or name.startswith(tuple(stems))


_PART: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
