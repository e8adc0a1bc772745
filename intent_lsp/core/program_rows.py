"""The words in which a row says how a program reads its arguments and what it writes.

Invariant: a row is a value; nothing that only one program does is told in code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from intent_lsp.core.commands import CommandKind, Effect

Options = frozenset[str]
"""Options with their dashes: `-o`, `--output`; in a condition also `-X=GET`."""


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
    LAST = "last"
    BUT_FIRST = "all but the first"
    COPY = "the last, from the others"
    MOVE = "the last, and the others are gone"
    SEND = "the last, from the others, unless it is on another machine"
    BELOW = "all, and what is below them"
    DASHED = "those after `--`"


class Text(StrEnum):
    """Which arguments of a wrapper are shell text rather than words."""

    NONE = "none"
    FIRST = "the first operand"
    JOINED = "all operands, joined"


class Script(StrEnum):
    """A language of scripts among the arguments that can write files itself."""

    SED = "sed"
    AWK = "awk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way of using a program: what it does when every condition of it holds.

    `given`: options that stand for the first operand. `unknown`: what this form does that the
    command does not tell; empty: nothing. `plans`: it writes the plan of the root, wherever it is
    run. `links`: what it makes may be links. `shares`: it makes second names of its sources.
    """

    kind: CommandKind
    needs: Options = frozenset()
    bare: bool = False
    first: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    operands: Operands = Operands.NONE
    given: Options = frozenset()
    effect: Effect = Effect.WRITE
    writes: Options = frozenset()
    unknown: str = ""
    plans: bool = False
    links: bool = False
    shares: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wraps:
    """How a program runs another one that its arguments name.

    `skip`: operands before the other's name. `by`: options whose value is that name, which then is
    one of `only`. `execs`: options that begin a command of their own, up to `;` or `+`.
    `needs`: without these options nothing is run. `fills`: options that name
    what is replaced in the words. `appends`: operands are added that nobody sees.
    """

    skip: int = 0
    assignments: bool = False
    by: Options = frozenset()
    only: frozenset[str] = frozenset()
    execs: Options = frozenset()
    text: Text = Text.NONE
    needs: Options = frozenset()
    fills: Options = frozenset()
    appends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One program or subcommand: the first form that fits decides, none: not known.

    `valued` options take a value, `attached` ones only in the same word; the values of `writes` are
    files that are written, of `enters` the directory that is worked in, of `texts` shell text.
    `risky` options run something else or write where nobody can see. `moves`: its operand is where
    the next commands work, and without one it is this place; None: not known.
    `passes`: what stands after `--` is options of a program that it runs. `naming` options, and the
    operands of `names`, are names of the shell's variables.
    """

    forms: tuple[Form, ...] = ()
    valued: Options = frozenset()
    attached: Options = frozenset()
    writes: Options = frozenset()
    enters: Options = frozenset()
    texts: Options = frozenset()
    risky: Options = frozenset()
    style: Style = Style.GNU
    script: Script | None = None
    subcommands: Mapping[str, "Program"] = field(default_factory=dict)
    wraps: Wraps | None = None
    moves: tuple[str | None, ...] = ()
    passes: bool = False
    naming: Options = frozenset()
    names: Operands = Operands.NONE

    @property
    def taking(self) -> Options:
        """The options whose value may be the next word."""
        of_forms = (form.writes | form.given for form in self.forms)
        by = self.wraps.by | self.wraps.fills if self.wraps else frozenset[str]()
        named = self.valued | self.writes | self.enters | self.texts | self.naming | by
        return named.union(*of_forms) - self.attached

    @property
    def named(self) -> Options:
        """Every option that the row names."""
        return self.taking.union(self.attached, self.risky, *(form.needs for form in self.forms))

    @property
    def can_write(self) -> bool:
        """Whether some option would make it write."""
        kinds = {form.kind for form in self.forms}
        return bool(self.writes or self.risky or self.wraps or len(kinds) > 1)


def words(text: str) -> frozenset[str]:
    """Split the words of a row."""
    return frozenset(text.split())


def reads(*conditions: Form, **options: str) -> Program:
    """Make the row of a program that reads, unless one of the conditions comes first."""
    return program(*conditions, Form(kind=CommandKind.READ_ONLY), **options)


def verifies(*conditions: Form, **options: str) -> Program:
    """Make the row of a program that verifies, unless one of the conditions comes first."""
    return program(*conditions, Form(kind=CommandKind.VERIFICATION), **options)


def program(*forms: Form, **options: str) -> Program:
    """Make a row from its forms and from options given as words."""
    split = {name: words(text) for name, text in options.items()}
    return Program(
        forms=forms,
        valued=split.get("valued", frozenset()),
        attached=split.get("attached", frozenset()),
        writes=split.get("writes", frozenset()),
        enters=split.get("enters", frozenset()),
        texts=split.get("texts", frozenset()),
        risky=split.get("risky", frozenset()),
        style=Style(options.get("style", Style.GNU)),
        script=Script(options["script"]) if "script" in options else None,
        naming=split.get("naming", frozenset()),
        names=Operands(options.get("names", Operands.NONE)),
    )


def reading(needs: str = "", *, first: str = "", every: str = "", bare: bool = False) -> Form:
    """Make a form that only reads."""
    return Form(
        kind=CommandKind.READ_ONLY,
        needs=words(needs),
        first=words(first),
        every=words(every),
        bare=bare,
    )


def verifying(needs: str = "", *, first: str = "", every: str = "", bare: bool = False) -> Form:
    """Make a form that verifies."""
    return Form(
        kind=CommandKind.VERIFICATION,
        needs=words(needs),
        first=words(first),
        every=words(every),
        bare=bare,
    )


def writing(
    operands: Operands = Operands.ALL,
    needs: str = "",
    *,
    effect: Effect = Effect.WRITE,
    unknown: str = "",
    **options: str,
) -> Form:
    """Make a form that writes what its operands name, and the values of the options `writes`."""
    return Form(
        kind=CommandKind.DESTRUCTIVE,
        needs=words(needs),
        operands=operands,
        given=words(options.get("given", "")),
        effect=effect,
        writes=words(options.get("writes", "")),
        unknown=unknown,
    )


def linking(form: Form) -> Form:
    """Make a form that may leave links where it writes."""
    return replace(form, links=True)


def sharing(form: Form) -> Form:
    """Make a form that gives its sources second names, links among them."""
    return replace(form, links=True, shares=True)


def hidden(unknown: str, needs: str = "") -> Form:
    """Make a form that writes what the command does not tell; `unknown` goes on its sentence."""
    return Form(kind=CommandKind.DESTRUCTIVE, needs=words(needs), unknown=unknown)


def planning() -> Form:
    """Make a form that changes the intents of the root, which is a person's to do."""
    return Form(kind=CommandKind.DESTRUCTIVE, plans=True)
