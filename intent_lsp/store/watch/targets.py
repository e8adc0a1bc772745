"""The directories that a watch observes, with their identities, and the polling of their entries.

For a missing directory, the nearest one above it is observed. Directories are polled where the
operating system cannot report changes.

Invariant: two `Watched` values of the same paths are equal, unless a directory at or above one of
them was created, deleted or replaced. If a path is not UTF-8, they also differ if an entry of that
directory was added or removed.
Invariant: unless interrupted, `wait` pauses at least fifty times as long as the last poll took.
"""

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Self

from msgspec import Struct

from intent_lsp.store.fs.root_search import directories_above
from intent_lsp.store.stopwatch import stopwatch

_GONE = (0, 0)
"""The identity of a directory that does not exist."""

_SHARE = 50
_PAUSE_SECONDS = 1.0
_Entries = Mapping[str, tuple[int, int, int]]


class Watched(Struct, frozen=True, kw_only=True):
    """The state of the directories to be watched, at one moment.

    `standing` maps each of them, existing or not, to its identity, which changes if the directory
    is created, deleted or replaced (see `_identity`). `sources` are the existing directories to get
    events from. `names` maps each path by which an event may name a directory to the directory's
    path in `standing`. `places` are those event paths and all directories above them. `nameable` is
    whether all paths are valid UTF-8, as events require.
    """

    standing: Mapping[str, tuple[int, ...]]
    sources: tuple[str, ...]
    names: Mapping[str, str]
    places: frozenset[str]
    nameable: bool

    @classmethod
    def look(cls, wanted: Iterable[str]) -> Self:
        """Return the state of the directories `wanted` at this moment."""
        standing: dict[str, tuple[int, ...]] = {}
        sources: dict[str, None] = {}
        names: dict[str, str] = {}
        for directory in wanted:
            standing[directory] = _identity(directory)
            sources |= dict.fromkeys(filter(_nameable, [_nearest(directory)]))
            names[directory] = names[os.path.realpath(directory)] = directory
        places = frozenset(place for name in names for place in (name, *directories_above(name)))
        return cls(
            standing=standing,
            sources=tuple(sources),
            names=names,
            places=places,
            nameable=all(map(_nameable, standing)),
        )

    def changed_since(self, before: Self) -> frozenset[str]:
        """Return the directories created, deleted or replaced from the state `before` to this one.

        A directory that was not watched in `before` is left out. One whose path is not UTF-8 is
        also returned if an entry was added or removed.
        """
        return frozenset(
            directory
            for directory, identity in self.standing.items()
            if before.standing.get(directory, identity) != identity
        )

    def may_differ(self, paths: frozenset[str]) -> bool:
        """Return whether events at `paths` may mean that a watched directory is no longer the same.

        It may have been created, deleted or replaced. This avoids checking thousands of directories
        of a work tree after each event.
        """
        directories = set(map(os.path.dirname, paths))
        return (
            not self.nameable
            or not self.places.isdisjoint(paths)
            or any(self._is_another(each) for each in directories)
        )

    def _is_another(self, directory: str) -> bool:
        """Return whether the directory at a path is another one than when `look` made this state.

        Return True also for an existing directory that is not watched.
        """
        wanted = self.names.get(directory, directory)
        return self.standing.get(wanted, _GONE) != _identity(wanted)

    def wanted_path(self, path: str) -> str | None:
        """Return an event's path in the spelling in which the caller named the watched directory.

        Return None if the path is neither a watched directory nor an entry of one.
        """
        directory, name = os.path.split(path)
        if directory in self.names:
            return os.path.join(self.names[directory], name)  # noqa: PTH118 - strings throughout
        return self.names.get(path)


class Polled:
    """Polls some directories for changed entries. For use in one thread."""

    def __init__(self, directories: Iterable[str]) -> None:
        self._directories = tuple(directories)
        self._pause = _PAUSE_SECONDS
        self._known = self._look()

    def wait(self, interrupt: threading.Event) -> frozenset[str]:
        """Wait until the next poll is due, poll, and return the paths that have changed.

        If `interrupt` is set meanwhile, return an empty set at once.
        """
        if interrupt.wait(self._pause):
            return frozenset()
        return self.changed()

    def changed(self) -> frozenset[str]:
        """Poll now. Return the paths of entries created, deleted or changed since the last poll."""
        before, self._known = self._known, self._look()
        return frozenset(
            os.path.join(directory, name)  # noqa: PTH118 - strings throughout
            for directory, now in self._known.items()
            for name in now.keys() | before[directory].keys()
            if now.get(name) != before[directory].get(name)
        )

    def _look(self) -> dict[str, _Entries]:
        passed = stopwatch()
        found = {directory: _entries(directory) for directory in self._directories}
        self._pause = max(_PAUSE_SECONDS, _SHARE * passed())
        return found


def _identity(directory: str) -> tuple[int, ...]:
    """Return the identity of the directory at a path, or (0, 0) if there is none.

    The identity changes if another directory takes the path. If the path is not UTF-8, the identity
    also changes if an entry is added or removed.
    """
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
    """Return `directory` if it exists, or else the nearest existing directory above it."""
    places = (directory, *directories_above(directory))
    return next(filter(os.path.isdir, places), directory)


def _nameable(directory: str) -> bool:
    """Return whether a path is valid UTF-8, so that an event can name it."""
    try:
        directory.encode()
    except UnicodeEncodeError:
        return False
    return True


def _entries(directory: str) -> _Entries:
    """Return (inode, size in bytes, modification time in ns) of each entry of a directory, by name.

    An entry that cannot be read is left out. The result is empty if the directory cannot be read.
    """
    found: dict[str, tuple[int, int, int]] = {}
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                found[entry.name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
