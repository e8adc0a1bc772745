"""What a shell command would do: its class, the paths it names, what cannot be known.

Invariant: `together` is never milder than any of its parts, and loses none of their paths.
Invariant: a relative path stays relative to the directory in which the command is run.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

KnownPath = str | None
"""A directory as the command names it; empty: where it is run; None: not known."""

START: Final = ""

SINKS: Final = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/fd", "-"}
)
"""What can be written to without a file being changed; `-` is a program's own output."""


MAX_SENTENCE: Final = 200
"""Characters of a sentence; a longer one, which quotes too much, loses its middle."""


class CommandKind(IntEnum):
    """What a command does beside writing the paths that it names, the mildest first.

    `PLAIN` reads, and nothing in its text can mean anything else. `LOOKING` reads or verifies, as
    far as its programs' names tell. `CHANGING` may do anything.
    """

    PLAIN = 0
    LOOKING = 1
    CHANGING = 2


class Effect(StrEnum):
    """What becomes of a path."""

    WRITE = "write"
    CREATE = "create"
    DELETE = "delete"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class TouchedPath:
    """One path that would change.

    `path` is as the command names it, behind the directories that it enters first; a leading `~`
    is left for the caller, and a file that is really named so begins with `./~`. `source`: where
    the content comes from. When `path` is a directory, the source's last name below it changes.
    What is moved away has an entry of its own, with `DELETE`. `restores`: it is given the content
    that git has of it. `pattern`: it is a glob that the shell fills in. `directory`: if it is
    one, or becomes one, no file is changed.
    """

    path: str
    effect: Effect
    source: str | None = None
    restores: bool = False
    pattern: bool = False
    directory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReading:
    """What one command, or several together, would do.

    `unknown` are sentences: what cannot be known, and why. `program` names the part that decided.
    `verifying`: a part of it is a test, a linter or a build. `git`: a part of it is git, which can
    be configured to run other programs.
    """

    kind: CommandKind = CommandKind.PLAIN
    paths: tuple[TouchedPath, ...] = ()
    unknown: tuple[str, ...] = ()
    program: str = ""
    verifying: bool = False
    git: bool = False


NOTHING: Final = CommandReading()


def together(readings: Iterable[CommandReading]) -> CommandReading:
    """Read several parts as one command: the severest kind, every path and sentence once."""
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
    """Return the reading of a part of which we only know why we do not know it."""
    return CommandReading(
        kind=CommandKind.CHANGING, unknown=(_shortened(sentence),), program=program
    )


def entered(place: KnownPath, directory: str) -> KnownPath:
    """Return the place of a path named in `place`; absolute ones and `~` stand for themselves."""
    if directory.startswith(("/", "~")):
        return directory
    if place is None:
        return None
    # Never less than was spelled: what looks like an address has to go on looking like one.
    return f"{place}/{directory}" if place and not place.endswith("/") else place + directory


def _shortened(sentence: str) -> str:
    half = MAX_SENTENCE // 2
    return sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:half]}…{sentence[-half:]}"
