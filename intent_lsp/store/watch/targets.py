"""The directories that a watch observes; for a missing one, the nearest directory above it.

Invariant: two values are equal as long as the same directories exist at the same paths.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

_GONE = (0, 0)
"""The identity of a directory that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A look at the wanted directories at one moment.

    `standing` maps each wanted directory to its identity, which changes if the directory is
    replaced. `sources` are the directories to get events from. `names` maps a directory as events
    name it to the wanted one. `places` are those names and all directories above them. `nameable`:
    all wanted names are UTF-8, so that events can name them.
    """

    standing: Mapping[str, tuple[int, ...]]
    sources: tuple[str, ...]
    names: Mapping[str, str]
    places: frozenset[str]
    nameable: bool

    @classmethod
    def look(cls, wanted: Iterable[str]) -> Self:
        """Look at each wanted directory now."""
        standing: dict[str, tuple[int, ...]] = {}
        sources: dict[str, None] = {}
        names: dict[str, str] = {}
        for directory in wanted:
            standing[directory] = _identity(directory)
            sources |= dict.fromkeys(filter(_nameable, [_nearest(directory)]))
            names[directory] = names[os.path.realpath(directory)] = directory
        places = frozenset(place for name in names for place in (name, *_above(name)))
        return cls(
            standing=standing,
            sources=tuple(sources),
            names=names,
            places=places,
            nameable=all(map(_nameable, standing)),
        )

    def changed_since(self, before: Self) -> frozenset[str]:
        """Return the directories that were created, deleted or replaced."""
        return frozenset(
            directory
            for directory, identity in self.standing.items()
            if before.standing.get(directory, identity) != identity
        )

    def may_differ(self, paths: frozenset[str]) -> bool:
        """Whether a wanted directory may have been replaced, judging by the changed paths.

        This saves looking at the thousands of directories of a work tree after each event.
        """
        rooms = set(map(os.path.dirname, paths))
        return (
            not self.nameable
            or not self.places.isdisjoint(paths)
            or any(self._is_another(room) for room in rooms)
        )

    def _is_another(self, room: str) -> bool:
        """Whether a directory is not the one that it was at the time of the look."""
        wanted = self.names.get(room, room)
        return self.standing.get(wanted, _GONE) != _identity(wanted)

    def wanted_path(self, path: str) -> str | None:
        """Return a changed path below its wanted directory, or None if it is in none."""
        directory, name = os.path.split(path)
        if directory in self.names:
            return os.path.join(self.names[directory], name)  # noqa: PTH118 - strings throughout
        return self.names.get(path)


def _above(directory: str) -> Iterator[str]:
    """Yield the directories above one, up to the file system's root."""
    while (above := os.path.dirname(directory)) != directory:  # noqa: PTH120 - strings throughout
        yield above
        directory = above


def _identity(directory: str) -> tuple[int, ...]:
    """Return what distinguishes a directory from another at the same path."""
    try:
        found = os.stat(directory)  # noqa: PTH116 - strings throughout
    except (OSError, ValueError):
        return _GONE
    if _nameable(directory):
        return found.st_dev, found.st_ino
    # Events cannot name a path that is not UTF-8: its change time shows that an entry was added
    # or removed.
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _nearest(directory: str) -> str:
    """Return the directory, or the nearest existing one above it."""
    while not os.path.isdir(directory):  # noqa: PTH112 - strings throughout
        above = os.path.dirname(directory)  # noqa: PTH120 - strings throughout
        if above == directory:
            break
        directory = above
    return directory


def _nameable(directory: str) -> bool:
    """Whether a path is valid UTF-8."""
    try:
        directory.encode()
    except UnicodeEncodeError:
        return False
    return True
