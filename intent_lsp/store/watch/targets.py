"""The places that a watch looks at: directories, or what is above them while they are missing.

Invariant: two values are equal as long as the same directories stand at the same places.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

_GONE = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What is wanted, what stands there, and where events come from.

    `standing` tells each wanted directory from one that takes its place; `sources` are the
    directories to watch; `names` leads from a directory as events spell it to the one wanted;
    `places` are those names, and of all that is above them; `nameable`: events can name them all.
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
        """Give the directories that appeared, vanished or were replaced."""
        return frozenset(
            directory
            for directory, identity in self.standing.items()
            if before.standing.get(directory, identity) != identity
        )

    def may_differ(self, paths: frozenset[str]) -> bool:
        """Whether something else may stand by now, as far as changes of these paths tell.

        A whole work tree is thousands of directories, and what is written in them changes none.
        """
        rooms = set(map(os.path.dirname, paths))
        return (
            not self.nameable
            or not self.places.isdisjoint(paths)
            or any(self._is_another(room) for room in rooms)
        )

    def _is_another(self, room: str) -> bool:
        wanted = self.names.get(room, room)
        return self.standing.get(wanted, _GONE) != _identity(wanted)

    def wanted_path(self, path: str) -> str | None:
        """Give a changed path as it is wanted; None: it is in no wanted directory."""
        directory, name = os.path.split(path)
        if directory in self.names:
            return os.path.join(self.names[directory], name)  # noqa: PTH118 - strings throughout
        return self.names.get(path)


def _above(directory: str) -> Iterator[str]:
    """Give the directories above one, up to the top."""
    while (above := os.path.dirname(directory)) != directory:  # noqa: PTH120 - strings throughout
        yield above
        directory = above


def _identity(directory: str) -> tuple[int, ...]:
    try:
        found = os.stat(directory)  # noqa: PTH116 - strings throughout
    except (OSError, ValueError):
        return _GONE
    if _nameable(directory):
        return found.st_dev, found.st_ino
    # Nothing can be told about names that are not UTF-8 but that something came or went there.
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _nearest(directory: str) -> str:
    """Give the directory, or the nearest one above that is there."""
    while not os.path.isdir(directory):  # noqa: PTH112 - strings throughout
        above = os.path.dirname(directory)  # noqa: PTH120 - strings throughout
        if above == directory:
            break
        directory = above
    return directory


def _nameable(directory: str) -> bool:
    try:
        directory.encode()
    except UnicodeEncodeError:
        return False
    return True
