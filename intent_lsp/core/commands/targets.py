"""The paths that a call's operands and options name, by the program's row in the command lists.

Invariant: an operand that is a target becomes a path, or a sentence that says why its path is not
known, unless it is no file, such as `/dev/null`.
"""

from collections.abc import Iterator
from glob import escape
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.commands.arguments import Arguments, Word
from intent_lsp.core.commands.reading import (
    SINKS,
    CommandKind,
    CommandReading,
    Effect,
    KnownPath,
    TouchedPath,
    entered,
    unknown,
)
from intent_lsp.core.commands.rows import Operands, ProgramRow

_INTO: Final = frozenset({"-t", "--target-directory"})
"""Options whose value is the directory to write into."""
_OPEN_FILES: Final = "/dev/fd/"
_GLOB: Final = frozenset("*?[{")
_HERE: Final = frozenset({".", "..", "./", "../"})

_OPERANDS: Final = {
    Operands.NONE: slice(0),
    Operands.ALL: slice(None),
    Operands.FIRST: slice(1),
    Operands.SECOND: slice(1, 2),
    Operands.BUT_FIRST: slice(1, None),
}
"""The operands that are written, where a row of the command lists chooses them by position."""


class Site(Struct, frozen=True):
    """A program, and its working directory, from which relative paths start."""

    program: str
    place: KnownPath


def targets(row: ProgramRow, arguments: Arguments, site: Site) -> Iterator[CommandReading]:
    """Yield readings of the operands that the program changes.

    `row` fits the call, and says which operands these are. If it has `shares`, the sources are
    included: they are other names of the same files. `site` is the program and its directory.
    """
    operands = arguments.operands
    match row.operands:
        case Operands.COPY | Operands.MOVE | Operands.SEND:
            yield from _copied(row, arguments, site)
        case Operands.BELOW:
            yield from (_below(word, site) for word in operands)
        case Operands.DASHED:
            yield from (target(word, row.effect, site) for word in arguments.dashed or ())
        case kind:
            given = kind is Operands.BUT_FIRST and arguments.has(row.given)
            chosen = operands if given else operands[_OPERANDS[kind]]
            found = (target(word, row.effect, site) for word in chosen)
            yield from map(_directory, found) if row.directories else found
    if row.shares:
        yield from (target(word, Effect.WRITE, site) for word in _sources(arguments)[0])


def target(word: Word, effect: Effect, site: Site, source: str | None = None) -> CommandReading:
    """Return the reading of a word as a path on which the program has the given effect.

    A word that is not a file, such as `/dev/null`, changes nothing. If the word's path is not
    known, or is `.` or `..` and written, the reading is unknown. `source` is the path that the
    content comes from, if any.
    """
    if word.unknown and not word.pattern:
        return unknown(site.program, word.unknown)
    if not word.text or word.text in SINKS or _is_open_file(word.text):
        return CommandReading(program=site.program)
    if word.text in _HERE and effect is Effect.WRITE:
        return unknown(site.program, f"`{site.program}` may change any file below `{word.text}`")
    place = site.place
    if word.pattern and place:
        # Only the word is a glob: special characters in the directory's name are literal.
        place = escape(place)
    path = entered(place, word.pattern or word.text)
    if path is None:
        return unknown(site.program, f"`{word.text}` is relative to a directory that is not known")
    touched = TouchedPath(path, effect, source, pattern=bool(word.pattern))
    return CommandReading(kind=CommandKind.LOOKING, paths=(touched,), program=site.program)


def _is_open_file(path: str) -> bool:
    """Return whether a path is that of an open file: `/dev/fd/3`, but not `/dev/fd/3/a`."""
    return path.startswith(_OPEN_FILES) and "/" not in path.removeprefix(_OPEN_FILES)


def _directory(reading: CommandReading) -> CommandReading:
    """Return a reading with each path marked so that it changes no file if it is a directory."""
    paths = (replace(path, directory=True) for path in reading.paths)
    return replace(reading, paths=tuple(paths))


def _below(word: Word, site: Site) -> CommandReading:
    """Return the reading of an operand whose program also changes all files below it.

    A glob that the shell expands counts as the files that it matches. For a glob that the program
    itself expands, the reading is unknown. Any other known word counts as one file if its last part
    has a dot inside, as in `a.py`; if not, the reading is unknown. The disk is not read.
    """
    last = word.text.rpartition("/")[2]
    if not _GLOB.isdisjoint(word.text) and not word.unknown:
        return unknown(
            site.program,
            f"`{site.program}` expands `{word.text}` itself, so its files are not known",
        )
    if word.unknown or "." in last.strip("."):
        return target(word, Effect.WRITE, site)
    return unknown(site.program, f"`{site.program}` may change any file below `{word.text}`")


def _copied(row: ProgramRow, arguments: Arguments, site: Site) -> Iterator[CommandReading]:
    """Yield the readings of a program that copies or moves all operands but the last to the last.

    With `-t DIR`, all operands are copied or moved into DIR instead. `row` says whether they are
    moved, so that their old paths are deleted. `site` is the program and its directory.
    """
    into = arguments.values(_INTO)
    sources, last = _sources(arguments)
    moves = row.operands is Operands.MOVE
    effect = Effect.MOVE if moves else row.effect
    if moves:
        yield from (target(word, Effect.DELETE, site) for word in sources)
    if not sources:
        yield unknown(
            site.program,
            f"`{site.program}` is given no source or no target, so its files are not known",
        )
    elif row.operands is Operands.SEND:
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
    """Return the words that are copied or moved, and a tuple with the target's word, if any."""
    names = (*arguments.operands, *arguments.values(_INTO)[:1])
    return names[:-1], names[-1:]


def _inside(directory: Word, source: Word) -> Word:
    """Return the path in `directory` that ends in the last name of `source`.

    It is unknown if one of the two is, or if that name is empty, `.` or `..`.
    """
    name = source.text.rstrip("/").rpartition("/")[2]
    path = f"{directory.text}{name}" if directory.text.endswith("/") else f"{directory.text}/{name}"
    if name in {"", ".", ".."}:
        copied, into = source.text, directory.text
        return Word(path, f"all files below `{copied}` are written into `{into}`")
    return Word(path, directory.unknown or source.unknown)


def _source(word: Word, site: Site) -> str | None:
    """Return the path that a source's word stands for, or None if it is not known."""
    return None if word.unknown else entered(site.place, word.text)


def _sent(word: Word, site: Site) -> CommandReading:
    """Return the reading of a copy's target: unknown if it is on another machine (`host:path`)."""
    if ":" in word.text.partition("/")[0]:
        return unknown(
            site.program, f"`{word.text}` is on another machine, so what is written is not recorded"
        )
    return target(word, Effect.WRITE, site)
