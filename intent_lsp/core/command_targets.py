"""The paths that a call's operands and options name, as its form tells them.

Invariant: an operand that is a target becomes a path or a sentence that says why it is none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from intent_lsp.core.command_options import Arguments
from intent_lsp.core.command_words import Word
from intent_lsp.core.commands import (
    SINKS,
    CommandKind,
    CommandReading,
    Effect,
    Place,
    TouchedPath,
    entered,
    unknown,
)
from intent_lsp.core.program_rows import Form, Operands

_INTO: Final = frozenset({"-t", "--target-directory"})
_HERE: Final = frozenset({".", "..", "./", "../"})

OPERANDS: Final = {
    Operands.NONE: slice(0),
    Operands.ALL: slice(None),
    Operands.FIRST: slice(1),
    Operands.SECOND: slice(1, 2),
    Operands.LAST: slice(-1, None),
    Operands.BUT_FIRST: slice(1, None),
}
"""Where the operands stand that a row speaks of by their place."""


@dataclass(frozen=True, slots=True)
class Site:
    """Who writes, and from which directory its paths are named."""

    program: str
    place: Place


def targets(form: Form, arguments: Arguments, site: Site) -> Iterator[CommandReading]:
    """Read each target of a form's operands, and its sources where they are the same files."""
    for reading in _targets(form, arguments, site):
        made = (touched.path for touched in reading.paths if touched.effect is not Effect.DELETE)
        yield replace(reading, links=tuple(made)) if form.links else reading
    if form.shares:
        sources, _ = _sources(arguments)
        yield from (target(word, Effect.WRITE, site) for word in sources)


def _targets(form: Form, arguments: Arguments, site: Site) -> Iterator[CommandReading]:
    operands = arguments.operands
    match form.operands:
        case Operands.COPY | Operands.MOVE | Operands.SEND:
            yield from _copied(form, arguments, site)
        case Operands.BELOW:
            yield from (_below(word, site) for word in operands)
        case Operands.DASHED:
            yield from (target(word, form.effect, site) for word in arguments.dashed or ())
        case kind:
            given = kind is Operands.BUT_FIRST and arguments.has(form.given)
            chosen = operands if given else operands[OPERANDS[kind]]
            yield from (target(word, form.effect, site) for word in chosen)


def target(word: Word, effect: Effect, site: Site, source: str | None = None) -> CommandReading:
    """Read one word as a path that is written; what is no file changes nothing."""
    if word.unknown:
        return unknown(site.program, word.unknown)
    if not word.text or word.text in SINKS or word.text.startswith("/dev/fd/"):
        return CommandReading(program=site.program)
    if word.text in _HERE and effect is Effect.WRITE:
        return unknown(site.program, f"`{site.program}` changes files below `{word.text}`")
    path = entered(site.place, word.text)
    if path is None:
        return unknown(site.program, f"`{word.text}` is named in a directory that is not known")
    return CommandReading(
        kind=CommandKind.DESTRUCTIVE,
        paths=(TouchedPath(path, effect, source),),
        program=site.program,
    )


def _below(word: Word, site: Site) -> CommandReading:
    last = word.text.rpartition("/")[2]
    if word.unknown or "." in last.strip("."):
        return target(word, Effect.WRITE, site)
    return unknown(site.program, f"`{site.program}` changes files below `{word.text}`")


def _copied(form: Form, arguments: Arguments, site: Site) -> Iterator[CommandReading]:
    into = arguments.values(_INTO)
    sources, last = _sources(arguments)
    moves = form.operands is Operands.MOVE
    effect = Effect.MOVE if moves else form.effect
    if moves:
        yield from (target(word, Effect.DELETE, site) for word in sources)
    if not sources:
        yield unknown(site.program, f"`{site.program}` names no file that it writes")
    elif form.operands is Operands.SEND:
        yield _sent(last[0], site)
    elif into or len(sources) > 1 or last[0].text.endswith("/"):
        yield from (
            target(_inside(last[0], word), effect, site, _source(word, site)) for word in sources
        )
    elif sources[0].unknown:
        yield unknown(site.program, sources[0].unknown)
        yield target(last[0], effect, site)
    else:
        yield target(last[0], effect, site, _source(sources[0], site))


def _sources(arguments: Arguments) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Give what is copied, and where it goes."""
    names = (*arguments.operands, *arguments.values(_INTO)[:1])
    return names[:-1], names[-1:]


def _inside(directory: Word, source: Word) -> Word:
    name = source.text.rstrip("/").rpartition("/")[2]
    path = f"{directory.text}{name}" if directory.text.endswith("/") else f"{directory.text}/{name}"
    if name in {"", ".", ".."}:
        return Word(path, f"what is below `{source.text}` goes to `{directory.text}`")
    return Word(path, directory.unknown or source.unknown)


def _source(word: Word, site: Site) -> str | None:
    return None if word.unknown else entered(site.place, word.text)


def _sent(word: Word, site: Site) -> CommandReading:
    if ":" in word.text.partition("/")[0]:
        return unknown(site.program, f"`{word.text}` is on another machine")
    return target(word, Effect.WRITE, site)
