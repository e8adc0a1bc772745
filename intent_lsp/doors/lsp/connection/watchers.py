"""The file watches of one connection's roots: of what changes their rules, and of work trees.

Invariant: a watch event only means that something may have changed. The disk decides what did.
Invariant: the watch of a large work tree is separate from, and never delays, the watch of its
rules.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.governance.governance import Governance
from intent_lsp.store.git.ignored import tree_rooms
from intent_lsp.store.watch.watch import Polling, Watch

_log: Final = logging.getLogger(__name__)

ROOMS_AT_MOST: Final = 10_000
"""The most directories of a work tree that are watched. If it has more, only its root is."""

_RECHECK_MS: Final = 60_000
_IGNORE_FILE: Final = ".gitignore"

Noticed = Callable[[Path, frozenset[Path]], None]


class RulesWatcher:
    """The watches of one connection, one for each root: of control files, git and open files."""

    def __init__(
        self, changed: Callable[[frozenset[str]], object], is_open: Callable[[Path], bool]
    ) -> None:
        """Set the functions to call: `changed` gets the absolute paths that changed, on the loop.

        `is_open` gets the path of a file and returns whether an editor has it open. Changes of an
        open file are passed on even if the file was created and deleted again.
        """
        self._changed, self._is_open = changed, is_open
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._watches: dict[Path, Watch] = {}
        self._watched: dict[Path, set[Path]] = {}

    def add(self, governance: Governance, directories: frozenset[Path]) -> frozenset[Path]:
        """Watch `directories`, and at the first call for a root its control files and git files.

        Wait until all are watched. Return those that were not watched before.
        """
        with self._lock:
            watched = self._watched.setdefault(governance.root, set())
            wanted = directories
            if governance.root not in self._watches:
                self._watches[governance.root] = Watch(
                    partial(self._noticed, governance),
                    polling=partial(governance.note_polling, "rules"),
                )
                wanted |= _of_root(governance)
            added = wanted - watched
            if added:
                watched |= added
                self._watches[governance.root].watch(watched)
            return added

    def end(self) -> None:
        """Close every watch."""
        with self._lock:
            for watch in self._watches.values():
                watch.close()
            self._watches.clear()

    def _noticed(self, governance: Governance, paths: frozenset[Path]) -> None:
        """Pass changed paths from the watch's thread to the event loop.

        Leave out those that need no examination, such as this server's own changes.
        """
        paths = governance.watch_events.of_rules(paths, self._is_open)
        if not paths:
            return
        try:
            self._loop.call_soon_threadsafe(self._changed, frozenset(map(str, paths)))
        except RuntimeError:
            # The loop was closed while the watch still reports.
            return


class TreeWatcher:
    """The file watches of one connection's work trees.

    `noticed` is called with a root and its changed paths; without paths, anything may have changed.
    Methods may block; call them from a thread.
    """

    def __init__(self, noticed: Noticed) -> None:
        self._noticed = noticed
        self._lock = threading.Lock()
        self._watches: dict[Path, Watch] = {}
        self._rooms: dict[Path, frozenset[Path]] = {}
        self._over = False

    def watch(self, root: Path, polling: Polling | None = None) -> None:
        """Start to watch the work tree of a root. Return once the watch is active.

        All directories are watched that `tree_rooms` returns, or, if they are more than
        ROOMS_AT_MOST, only the root. `polling` is called with the reason if the tree is polled,
        because the system cannot report changes, and with None when that ends. Do nothing if the
        root is watched already, or after `end`.
        """
        with self._lock:
            if self._over or root in self._watches:
                return
            noticed = partial(self._noticed, root)
            self._watches[root] = Watch(noticed, recheck_ms=_RECHECK_MS, polling=polling)
            self._watch_rooms(root)

    def follow(self, root: Path, paths: frozenset[Path]) -> None:
        """Adapt the watch of a root to directories that are new, now ignored or no longer ignored.

        `paths` are the root's paths that have changed. Do nothing if none of them is a `.gitignore`
        or a directory that is not watched yet, or if the root is not watched.
        """
        with self._lock:
            rooms = self._rooms.get(root, frozenset())
            new = (path for path in paths if path not in rooms and path.is_dir())
            if any(path.name == _IGNORE_FILE for path in paths) or any(new):
                self._watch_rooms(root)

    def end(self) -> None:
        """Close the watches of all work trees."""
        with self._lock:
            self._over = True
            watches = tuple(self._watches.values())
            self._watches.clear()
        for watch in watches:
            watch.close()

    def _watch_rooms(self, root: Path) -> None:
        rooms = tree_rooms(root, at_most=ROOMS_AT_MOST)
        if rooms is None:
            _log.warning("%s: only its top is watched, since it has too many directories", root)
            rooms = frozenset({root})
        if root in self._watches and self._rooms.get(root) != rooms:
            self._rooms[root] = rooms
            self._watches[root].watch(rooms)
            # A file created before its new directory was watched would otherwise be missed.
            self._noticed(root, frozenset())


def _of_root(governance: Governance) -> set[Path]:
    git = governance.stores.git
    moving = () if git is None else git.watch_paths()
    directories = {path if path.is_dir() else path.parent for path in moving}
    return {governance.root, governance.root / CONTROL_ROOM, *directories}
