"""One simple command weighed by the row of its program.

Invariant: `weigh` is total: a program or form without a row is destructive, and says so.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from intent_lsp.core.command_forms import (
    Call,
    ShellText,
    Weighed,
    by_options,
    fitting,
    texts_of,
    weigh_form,
    working_place,
)
from intent_lsp.core.command_options import Arguments, all_arguments, leading_arguments
from intent_lsp.core.command_variables import chosen_programs
from intent_lsp.core.command_words import Word, filled, joined
from intent_lsp.core.commands import CommandReading, Place, entered, together, unknown
from intent_lsp.core.program_rows import Form, Text, Wraps
from intent_lsp.core.programs import find_program, is_installed

MAX_WRAPPERS: Final = 16
"""Programs that run programs, one inside the other, above which nothing more is read."""


def weigh(words: Sequence[Word], place: Place, depth: int = 0) -> Weighed:
    """Weigh one simple command, redirections and assignments aside (requirements section 6)."""
    if not words:
        return Weighed(place=place)
    name = words[0]
    row = None if name.unknown else find_program(name.text)
    if row is None or depth > MAX_WRAPPERS:
        known = f"`{name.text}` is not a program known to only read"
        deep = f"`{name.text}` is run by too many programs inside each other"
        reason = name.unknown or (known if row is None else deep)
        return Weighed(reading=unknown(name.text, reason), place=place)
    call = Call(row=row, label=name.text, words=words[1:], place=place, depth=depth)
    weighed = _weigh_row(call)
    if is_installed(name.text, place):
        return weighed
    # It is judged by what it says that it is, and not believed.
    doubt = unknown(name.text, f"`{name.text}` is not where programs are kept: it may be any other")
    return replace(weighed, reading=together([weighed.reading, doubt]))


def _weigh_row(call: Call) -> Weighed:
    if call.row.moves:
        return _moved(call)
    if call.row.wraps and call.row.wraps.execs:
        return _weigh_searched(call, call.row.wraps)
    if call.row.wraps or call.row.subcommands:
        return _weigh_outer(call)
    return weigh_form(call, all_arguments(call.words, call.row))


def _moved(call: Call) -> Weighed:
    operands = all_arguments(call.words, call.row).operands
    there = None if call.words else call.row.moves[0]
    if operands:
        word = operands[0]
        lost = word.unknown or word.text.startswith(("-", "+"))
        there = None if lost else entered(call.place, word.text)
    return Weighed(reading=CommandReading(program=call.label), place=there)


def _weigh_outer(call: Call) -> Weighed:
    arguments = leading_arguments(call.words, call.row)
    form = fitting(call.row, arguments)
    rest = arguments.operands
    wraps = call.row.wraps
    if form is not None and form != Form(kind=form.kind, unknown=form.unknown):
        return weigh_form(call, arguments)
    inside = replace(call, place=working_place(call, arguments), depth=call.depth + 1)
    if rest and not rest[0].unknown and rest[0].text in call.row.subcommands:
        row, label = call.row.subcommands[rest[0].text], f"{call.label} {rest[0].text}"
        inner = _weigh_row(replace(inside, row=row, label=label, words=rest[1:]))
    elif wraps and rest and _does_wrap(wraps, arguments):
        inner = _weigh_wrapped(inside, wraps, arguments)
    else:
        return weigh_form(call, arguments)
    reading = together([*by_options(call, arguments), inner.reading])
    # What an inner `cd` does to us depends on whether its wrapper is a process of its own.
    place = call.place if inner.place == inside.place else None
    return Weighed(reading=reading, texts=(*inner.texts, *texts_of(call, arguments)), place=place)


def _does_wrap(wraps: Wraps, arguments: Arguments) -> bool:
    return not wraps.needs or arguments.has(wraps.needs)


def _weigh_wrapped(call: Call, wraps: Wraps, arguments: Arguments) -> Weighed:
    words = arguments.operands[wraps.skip :]
    if wraps.text is not Text.NONE:
        word = words[0] if wraps.text is Text.FIRST else joined(words)
        return Weighed(texts=(ShellText(word, call.site),), place=call.place)
    if wraps.only and arguments.has(wraps.by) and words[0].text not in wraps.only:
        return call.without_answer(f"`{words[0].text}` is not a module known to only read")
    count = _assignments(words) if wraps.assignments else 0
    chosen = [_chosen(word, call.label) for word in words[:count]]
    words = words[count:]
    if wraps.appends:
        words = _with_input(words, wraps, arguments, call.label)
    inner = weigh(words, call.place, call.depth)
    return replace(inner, reading=together([*chosen, inner.reading]))


def _chosen(word: Word, label: str) -> CommandReading:
    name, _, value = word.text.partition("=")
    return chosen_programs(name, label, None if word.unknown else value)


def _assignments(words: Sequence[Word]) -> int:
    """Count the words at the start that set a variable."""
    for count, word in enumerate(words):
        name, equals, _ = word.text.partition("=")
        if not equals or not name.isidentifier():
            return count
    return len(words)


def _with_input(
    words: Sequence[Word], wraps: Wraps, arguments: Arguments, label: str
) -> tuple[Word, ...]:
    if not arguments.has(wraps.fills):
        return (*words, Word("…", f"`{label}` takes operands from its input"))
    tokens = [word.text for word in arguments.values(wraps.fills)] or ["{}"]
    return tuple(filled(word, tokens[-1], label) for word in words)


def _weigh_searched(call: Call, wraps: Wraps) -> Weighed:
    """Weigh a search with the commands that it runs on what it finds."""
    own: list[Word] = []
    inner = []
    words = list(call.words)
    while words:
        word = words.pop(0)
        if word.text not in wraps.execs:
            own.append(word)
            continue
        ends = [at for at, end in enumerate(words) if end.text in {";", "+"}]
        end = ends[0] if ends else len(words)
        place = None if word.text.endswith("dir") else call.place
        run = [filled(part, "{", call.label) for part in words[:end]]
        if not any("{" in part.text for part in run):
            run.append(Word("{}", f"`{call.label}` fills in what it finds"))
        inner.append(weigh(run, place, call.depth + 1))
        words = words[end + 1 :]
    alone = weigh_form(call, all_arguments(own, call.row))
    readings = [alone.reading, *(each.reading for each in inner)]
    texts = tuple(text for each in inner for text in each.texts)
    return replace(alone, reading=together(readings), texts=texts)
