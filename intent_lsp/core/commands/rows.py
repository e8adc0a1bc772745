"""The rows of the command lists: how a program is called, and what such a call does.

Invariant: a row is never changed.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Final

from msgspec import Struct

from intent_lsp.core.commands.reading import Effect

Options = frozenset[str]
"""Names of options with their dashes: `-o`, `--output`.

In a condition also `-X=GET`: the option `-X` with the value `GET`.
"""

EVERY: Final = "*"
"""In a row's `plain`: every option but `--help` and those in `unless`, `writes` and `enters`."""


class RowKind(StrEnum):
    """What a program does if a row fits its call: it reads, verifies, writes, or runs others.

    The command lists are grouped by these kinds.
    """

    READS = "reads"
    VERIFIES = "verifies"
    WRITES = "writes"
    RUNS = "runs"


class Style(StrEnum):
    """The syntax of a program's options: as in GNU tools, in `find`, in `tar` or in `dd`."""

    GNU = "gnu"
    """`-abc`, `-ofile`, `-o file`, `--out=file`, `--out file`, and abbreviations of long names."""

    WHOLE = "whole"
    """One or two dashes before a whole name: `-name x`, `--name=x`."""

    TAR = "tar"
    """Like GNU, but the first word needs no dash: `xzf a.tgz`."""

    KEYED = "keyed"
    """Keys without dashes: `of=file`."""


class Operands(StrEnum):
    """Which operands of a call are files that the program writes."""

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
    """Which operands of a call must name a task that only verifies, such as `test` or `lint`."""

    NONE = "none"
    FIRST = "first"
    ANY = "any"
    EVERY = "every"


class Runs(StrEnum):
    """Which operands of a call form the command that the program runs."""

    WORDS = "words"
    """All of them: a program and its arguments."""

    TEXT = "text"
    """The first one, as shell text."""

    JOINED = "joined"
    """All of them, joined with spaces, as shell text."""

    SEARCH = "search"
    """The words after an option in `starts`, up to `;` or `+`."""


class ProgramRow(Struct, frozen=True, kw_only=True):
    """One way of calling a program. A row fits a call if all its conditions hold.

    `fits` also checks that operands are there which the row needs. Conditions: `needs` (at least
    one of these options), `unless` (none of these options), `bare` (no operands), `first` (the
    first operand is one of these), `tasks` and `script`. `tasks` says which operands must name a
    task that only verifies, such as `test`; `also` are further names of such tasks. `script` is a
    regular expression for the values of the options `given`, or else for the first operand. With
    `numbers`, a shell expansion may stand in the script for a number.

    Options: `plain` are those with which the program only reads, whatever their values. If `plain`
    is None, no call counts as `CommandKind.PLAIN`. `values` options take a value; `attached`
    options take one only in the same word. The values of `writes` options are files that are
    written, those of `enters` options the working directory, those of `texts` options shell text.
    With `passes`, the words after `--` are options of a program that it runs.

    A program that writes: `operands` says which operands are its targets, `effect` what is done to
    them. A `given` option takes the place of the first operand, as `-e` of `sed` does. With
    `directories`, a target that is a directory means that no file is changed. With `shares`, the
    targets become hard links to the sources, so the sources count as targets too. `touches` is a
    path that is always written, and `more` says what else is changed.

    A program that runs others: `skip` operands come before the command, and so may assignments if
    `assignments` is set. `module` is the option whose value is the program. With `appends`, the
    program adds operands that its text does not show, or replaces a placeholder in its operands by
    them; the values of `fills` options are that placeholder. In a search, each command to run
    begins after one of the `starts` options.
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
        """The options whose value may be the word after them."""
        named = self.values | self.writes | self.enters | self.texts | self.module | self.fills
        return (named | self.given) - self.attached

    @property
    def named(self) -> Options:
        """Every option that the row mentions in any field but `starts`."""
        plain = frozenset[str]() if self.plain is None else self.plain - {EVERY}
        return self.taking.union(self.attached, self.unless, self.needs, plain)


NO_ROW: Final = ProgramRow(kind=RowKind.READS)
"""An empty row, for a program that has rows only for its subcommands."""


class CommandLists(Struct, frozen=True, kw_only=True, dict=True):
    """All rows, by the words that call the program (`rm`, `git log`), and sets for all rows.

    A task, such as `test` of `npm run test`, counts as verifying if its name has a word of
    `task_words` and none of `changing_words`. `choosers` are variables that decide which program
    runs; `harmless` are assignments to them that change nothing. `system_bins` are directories
    whose programs are trusted to do what their names say. `project_bins` are directories where
    package managers install programs that verify.

    The `…_tools` are names of agents' tools, and patterns with `*`. `other_shells` are the tools
    among `command_tools` that run a shell other than `bash`.
    """

    rows: Mapping[str, tuple[ProgramRow, ...]]
    task_words: frozenset[str] = frozenset()
    changing_words: frozenset[str] = frozenset()
    choosers: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    system_bins: frozenset[str] = frozenset()
    project_bins: frozenset[str] = frozenset()
    edit_tools: frozenset[str] = frozenset()
    command_tools: frozenset[str] = frozenset()
    other_shells: frozenset[str] = frozenset()
    read_only_tools: frozenset[str] = frozenset()

    @cached_property
    def above(self) -> frozenset[str]:
        """What a subcommand may follow: `git` and `git stash`, if `git stash pop` has rows."""
        return frozenset(
            name[:at] for name in self.rows for at, sign in enumerate(name) if sign == " "
        )

    def is_task(self, name: str) -> bool:
        """Whether `name` is that of a task that only verifies, such as `test` or `lint`.

        It is if one of the words in it is in `task_words`, and none is in `changing_words`. A word
        ends where letters become upper case, too: `runTests` has `run` and `tests`.
        """
        parts = {part.lower() for part in _PART.findall(name)}
        return not parts.isdisjoint(self.task_words) and parts.isdisjoint(self.changing_words)

    def chooses(self, assignment: str, *, known: bool) -> bool:
        """Whether an assignment `NAME=value` may decide which program runs.

        It may if NAME is one of `choosers`, where a final `*` stands for any ending, and the
        assignment is not in `harmless`. `known`: the value is known beforehand; if not, `harmless`
        is ignored.
        """
        name = assignment.partition("=")[0].rstrip("+")
        if known and assignment in self.harmless:
            return False
        stems = (each.rstrip(EVERY) for each in self.choosers if each.endswith(EVERY))
        return name in self.choosers or name.startswith(tuple(stems))


_PART: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
