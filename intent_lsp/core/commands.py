"""What a shell command would do: its kind, the paths it would change, what cannot be known.

Invariant: `together` is never milder than any of its parts, and loses none of their paths.
Invariant: a relative path stays relative to the directory in which the command is run.
Invariant: what is written through a link that the same command makes is not known.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from intent_lsp.core.link_paths import LinkPaths

Place = str | None
"""A directory as the command names it; empty: where it is run; None: not known."""

START: Final = ""

SINKS: Final = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/fd", "-"}
)
"""What can be written to without a file being changed; `-` is a program's own output."""


MAX_SENTENCE: Final = 200
"""Characters of a sentence; a longer one, which quotes too much, loses its middle."""


class CommandKind(StrEnum):
    """Which of the three sets a command belongs to (requirements section 6)."""

    READ_ONLY = "read-only"
    VERIFICATION = "verification"
    DESTRUCTIVE = "destructive"


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
    that git has of it.
    """

    path: str
    effect: Effect
    source: str | None = None
    restores: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandReading:
    """What one command, or several together, would do.

    `unknown` are sentences: what cannot be known, and why. `program` names the part that decided.
    `links` are those of the paths at which a link may stand afterwards.
    """

    kind: CommandKind = CommandKind.READ_ONLY
    paths: tuple[TouchedPath, ...] = ()
    unknown: tuple[str, ...] = ()
    program: str = ""
    links: tuple[str, ...] = ()


NOTHING: Final = CommandReading()


def together(readings: Iterable[CommandReading]) -> CommandReading:
    """Read several parts as one command: the severest kind, every path and sentence once."""
    parts = [part for part in readings if part != NOTHING]
    if not parts:
        return NOTHING
    decisive = max(parts, key=lambda part: _SEVERITY.index(part.kind))
    sentences = [*(sentence for part in parts for sentence in part.unknown), *_through(parts)]
    return CommandReading(
        kind=decisive.kind,
        paths=tuple(dict.fromkeys(path for part in parts for path in part.paths)),
        unknown=tuple(dict.fromkeys(sentences)),
        program=decisive.program,
        links=tuple(dict.fromkeys(link for part in parts for link in part.links)),
    )


def unknown(program: str, sentence: str) -> CommandReading:
    """Give the reading of a part of which we only know why we do not know it."""
    return CommandReading(
        kind=CommandKind.DESTRUCTIVE, unknown=(_shortened(sentence),), program=program
    )


def entered(place: Place, directory: str) -> Place:
    """Give the place of a path named in `place`; absolute ones and `~` stand for themselves."""
    if directory.startswith(("/", "~")):
        return directory
    if place is None:
        return None
    # Never less than was spelled: what looks like an address has to go on looking like one.
    return f"{place}/{directory}" if place and not place.endswith("/") else place + directory


def _through(parts: Sequence[CommandReading]) -> Iterator[str]:
    """Tell the paths of a part that lead through links of the others."""
    links = [(maker, link) for maker, part in enumerate(parts) for link in part.links]
    if not links:
        return
    made = LinkPaths(links)
    for maker, part in enumerate(parts):
        for touched in part.paths:
            if made.lead(maker, touched.path, beyond=touched.effect is Effect.DELETE):
                sentence = f"`{touched.path}` is written through a link that the same command makes"
                yield _shortened(sentence)


def _shortened(sentence: str) -> str:
    half = MAX_SENTENCE // 2
    return sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:half]}…{sentence[-half:]}"


_SEVERITY: Final = (CommandKind.READ_ONLY, CommandKind.VERIFICATION, CommandKind.DESTRUCTIVE)
