"""A call that runs nothing else, weighed by the first form of its row that fits.

Invariant: no form, an option that nobody can follow, or a script that is no plain one: destructive.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from intent_lsp.core.command_options import Arguments
from intent_lsp.core.command_scripts import FROM_FILES, GIVING, only_prints
from intent_lsp.core.command_targets import Site, target, targets
from intent_lsp.core.command_variables import by_names
from intent_lsp.core.command_words import Word
from intent_lsp.core.commands import (
    NOTHING,
    CommandKind,
    CommandReading,
    Effect,
    Place,
    TouchedPath,
    entered,
    together,
    unknown,
)
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.program_rows import Form, Operands, Program, Script


@dataclass(frozen=True, slots=True)
class ShellText:
    """A word that a program has read as shell, and where."""

    word: Word
    site: Site


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a simple command does itself, the texts it has read as shell, and where it leaves us."""

    reading: CommandReading = NOTHING
    texts: tuple[ShellText, ...] = ()
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a program whose row is known; `depth`: the programs around it."""

    row: Program
    label: str
    words: Sequence[Word]
    place: Place
    depth: int

    @property
    def site(self) -> Site:
        """Who writes here, and where."""
        return Site(self.label, self.place)

    def without_answer(self, sentence: str) -> Weighed:
        """Give up on the call, and say why."""
        return Weighed(reading=unknown(self.label, sentence), place=self.place)


def weigh_form(call: Call, arguments: Arguments) -> Weighed:
    """Weigh a call that runs nothing else by the first of its forms that fits."""
    inside = replace(call, place=working_place(call, arguments))
    form = fitting(call.row, arguments)
    texts = texts_of(inside, arguments)
    readings = [*by_options(inside, arguments), *by_names(call.row, call.label, arguments)]
    if form is not None:
        readings += [*_by_form(inside, form, arguments)]
    elif not texts:
        readings.append(unknown(call.label, f"`{_shown(call)}` is not known to only read"))
    return Weighed(reading=together(readings), texts=texts, place=call.place)


def _shown(call: Call) -> str:
    operand = next((word.text for word in call.words if not word.text.startswith("-")), "")
    return f"{call.label} {operand}".strip()


def fitting(row: Program, arguments: Arguments) -> Form | None:
    """Give the first form that fits; None: the row has no such form."""
    return next((form for form in row.forms if _fits(form, arguments)), None)


def _fits(form: Form, arguments: Arguments) -> bool:
    names = [word.text for word in arguments.operands if "=" not in word.text]
    known = not any(word.unknown for word in arguments.operands)
    return (
        (not form.needs or arguments.has(form.needs))
        and not (form.bare and arguments.operands)
        and (not form.first or (names[:1] != [] and names[0] in form.first))
        and (not form.every or (bool(names) and known and form.every.issuperset(names)))
        and (form.operands is not Operands.SECOND or len(arguments.operands) > 1)
    )


def _by_form(call: Call, form: Form, arguments: Arguments) -> Iterator[CommandReading]:
    if call.row.script is not None:
        yield from _by_script(call, call.row.script, arguments)
    if form.kind is not CommandKind.DESTRUCTIVE:
        yield CommandReading(kind=form.kind, program=call.label)
        yield from _by_splitting(call)
        return
    if form.plans:
        plan = TouchedPath(INTENTS_FILE, Effect.WRITE)
        yield CommandReading(kind=form.kind, paths=(plan,), program=call.label)
        return
    if form.unknown:
        yield unknown(call.label, f"`{call.label}` {form.unknown}")
    written = [target(word, form.effect, call.site) for word in arguments.values(form.writes)]
    written += targets(form, arguments, call.site)
    yield from written
    if not written and not form.unknown:
        yield unknown(call.label, f"`{call.label}` does not name the files that it changes")


def _by_splitting(call: Call) -> Iterator[CommandReading]:
    for word in call.words:
        if word.splits and call.row.can_write:
            yield unknown(call.label, f"{word.unknown}, and may be an option of `{call.label}`")


def _by_script(call: Call, language: Script, arguments: Arguments) -> Iterator[CommandReading]:
    scripts = arguments.values(GIVING[language])
    if not scripts:
        scripts = arguments.operands[:1]
    plain = all(not word.unknown and only_prints(word.text, language) for word in scripts)
    if not plain or arguments.has(FROM_FILES[language]):
        yield unknown(call.label, f"the script of `{call.label}` may write files or run programs")


def by_options(call: Call, arguments: Arguments) -> Iterator[CommandReading]:
    """Read what options write, whatever the form."""
    site = call.site
    yield from (target(word, Effect.WRITE, site) for word in arguments.values(call.row.writes))
    for option in arguments.options:
        if option.name in call.row.risky:
            sentence = f"`{call.label} {option.name}` may change what nobody can see"
            yield unknown(call.label, sentence)


def working_place(call: Call, arguments: Arguments) -> Place:
    """Give the directory that the options say to work in."""
    place = call.place
    for word in arguments.values(call.row.enters):
        place = None if word.unknown else entered(place, word.text)
    return place


def texts_of(call: Call, arguments: Arguments) -> tuple[ShellText, ...]:
    """Give the values of options that are read as shell."""
    return tuple(ShellText(word, call.site) for word in arguments.values(call.row.texts))
