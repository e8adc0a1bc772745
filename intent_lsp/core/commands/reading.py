"""The reading of a shell command: its kind, the paths that it touches, and what is not known.

Invariant: the kind that `together` returns is at least as severe as that of each part, and no path
of a part is lost.
Invariant: a relative path stays relative to the directory in which the command is run.
"""

from collections.abc import Iterable
from enum import IntEnum, StrEnum
from typing import Final

from msgspec import Struct

from intent_lsp.core.text import without_middle

KnownPath = str | None
"""A directory as the command names it. "" is the one where the command is run. None: not known."""

START: Final = ""
"""The directory where the command is run."""

SINKS: Final = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/fd", "-"}
)
"""Paths that can be written to without changing a file. `-` is a program's own output."""


MAX_SENTENCE: Final = 200
"""The most characters of a message. The middle of a longer one is cut out."""


class CommandKind(IntEnum):
    """How severe a command is, apart from the paths that it writes. The mildest kind comes first.

    `PLAIN` only reads: its text can mean nothing else. `LOOKING` reads or verifies, if its programs
    do what their names say. `CHANGING` may do anything.
    """

    PLAIN = 0
    LOOKING = 1
    CHANGING = 2


class Effect(StrEnum):
    """How a command changes a path: it writes, creates, deletes or moves it."""

    WRITE = "write"
    CREATE = "create"
    DELETE = "delete"
    MOVE = "move"


class TouchedPath(Struct, frozen=True):
    """A path that a command would change.

    `path` is as the command names it, prefixed by the directories that the command enters first.
    The caller must expand a leading `~`; a file whose name really begins with `~` is given as
    `./~…`.

    `source` is the path that the content comes from, or None. If `path` is a directory, the entry
    in it that is named like the last part of `source` is changed instead: `cp a/b.py src` changes
    `src/b.py`. A path that is moved away has its own entry with `DELETE`.

    `restores`: the path gets the content that git has for it. `pattern`: the path is a glob that
    the shell expands. `directory`: if the path is or becomes a directory, no file is changed.
    """

    path: str
    effect: Effect
    source: str | None = None
    restores: bool = False
    pattern: bool = False
    directory: bool = False


def changed_paths(path: str, effect: Effect, source: str | None) -> tuple[TouchedPath, ...]:
    """Return the paths that one change of a file concerns: `path`, and the `source` of a move.

    `source` is the old path, which is deleted, or None if the file is not moved.
    """
    new = TouchedPath(path, effect, source)
    return (new,) if source is None else (TouchedPath(source, Effect.DELETE), new)


class CommandReading(Struct, frozen=True, kw_only=True):
    """What one command, or several together, would do.

    `paths` would be changed. Each sentence in `unknown` says what is not known, and why. `program`
    is the program that decided `kind`. `verifying`: a part is a test, a linter or a build. `git`: a
    part is git, which can be configured to run other programs.
    """

    kind: CommandKind = CommandKind.PLAIN
    paths: tuple[TouchedPath, ...] = ()
    unknown: tuple[str, ...] = ()
    program: str = ""
    verifying: bool = False
    git: bool = False


NOTHING: Final = CommandReading()


def together(readings: Iterable[CommandReading]) -> CommandReading:
    """Merge several readings into one: the severest kind, all paths and sentences, each once."""
    parts = [part for part in readings if part != NOTHING]
    if not parts:
        return NOTHING
    decisive = max(parts, key=lambda part: (part.kind, bool(part.paths), part.verifying))
    return CommandReading(
        kind=decisive.kind,
        paths=tuple(dict.fromkeys(path for part in parts for path in part.paths)),
        unknown=tuple(dict.fromkeys(sentence for part in parts for sentence in part.unknown)),
        program=decisive.program,
        verifying=any(part.verifying for part in parts),
        git=any(part.git for part in parts),
    )


def unknown(program: str, sentence: str) -> CommandReading:
    """Return the reading of a part that may do anything. `sentence` says why.

    `program` is the program that would do it.
    """
    short = without_middle(sentence, MAX_SENTENCE)
    return CommandReading(kind=CommandKind.CHANGING, unknown=(short,), program=program)


def entered(place: KnownPath, directory: str) -> KnownPath:
    """Return the directory that `cd directory` leads to from the directory `place`.

    A `directory` that begins with `/` or `~` is returned unchanged. Return None if `directory` is
    relative and `place` is not known.
    """
    if directory.startswith(("/", "~")):
        return directory
    if place is None:
        return None
    # Join without normalizing: `a//b` may be part of a URL, which must still look like one.
    return f"{place}/{directory}" if place and not place.endswith("/") else place + directory
