"""The directories that a watch observes, by their identity, and the polling of their entries.

For a missing directory, the nearest one above it is observed. Directories are polled where the
operating system cannot report changes.

Invariant: two values are equal as long as the same directories exist at the same paths.
Invariant: polling takes at most a fiftieth of the time, however much there is to look at.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from intent_lsp.store import clock

_GONE = (0, 0)
"""The identity of a directory that does not exist."""

_SHARE = 50
_PAUSE_SECONDS = 1.0
_Entries = Mapping[str, tuple[int, int, int]]


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


class Polled:
    """Polling: the entries of some directories as last seen. For use in one thread."""

    def __init__(self, directories: Iterable[str]) -> None:
        self._directories = tuple(directories)
        self._pause = _PAUSE_SECONDS
        self._known = self._look()

    def wait(self, interrupt: threading.Event) -> frozenset[str]:
        """Wait until the next poll is due, then return the changed paths. Empty if interrupted."""
        if interrupt.wait(self._pause):
            return frozenset()
        return self.changed()

    def changed(self) -> frozenset[str]:
        """Poll now. Return the paths that were created, deleted or changed since the last poll."""
        before, self._known = self._known, self._look()
        return frozenset(
            os.path.join(directory, name)  # noqa: PTH118 - strings throughout
            for directory, now in self._known.items()
            for name in now.keys() | before[directory].keys()
            if now.get(name) != before[directory].get(name)
        )

    def _look(self) -> dict[str, _Entries]:
        passed = clock.stopwatch()
        found = {directory: _entries(directory) for directory in self._directories}
        self._pause = max(_PAUSE_SECONDS, _SHARE * passed())
        return found


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


def _entries(directory: str) -> _Entries:
    """Return inode, size and modification time of a directory's entries; empty if unreadable."""
    found: dict[str, tuple[int, int, int]] = {}
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                found[entry.name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
