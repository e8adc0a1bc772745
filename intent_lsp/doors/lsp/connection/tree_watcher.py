"""Watching whole work trees: every directory in which a file can change that counts.

Invariant: a watch only says that something may have changed; what did is looked at again.
Invariant: what a work tree costs to watch is never paid by the watch of its rules.
"""

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.store.git.directories import tree_rooms
from intent_lsp.store.watch.watch import Polling, Watch

_log: Final = logging.getLogger(__name__)

ROOMS_AT_MOST: Final = 10_000
"""Directories of a work tree above which it is not watched."""

_RECHECK_MS: Final = 60_000
_IGNORE_FILE: Final = ".gitignore"

Noticed = Callable[[Path, frozenset[Path]], None]


class TreeWatching:
    """The watches of one connection's work trees; its methods wait, and are called from threads."""

    def __init__(self, noticed: Noticed) -> None:
        self._noticed = noticed
        self._lock = threading.Lock()
        self._watches: dict[Path, Watch] = {}
        self._rooms: dict[Path, frozenset[Path]] = {}
        self._over = False

    def watch(self, root: Path, polling: Polling | None = None) -> None:
        """Watch the work tree of a root; returns when changes are seen.

        `polling` is told when the system cannot tell of changes.
        """
        with self._lock:
            if self._over or root in self._watches:
                return
            noticed = partial(self._noticed, root)
            self._watches[root] = Watch(noticed, recheck_ms=_RECHECK_MS, polling=polling)
            self._watch_rooms(root)

    def follow(self, root: Path, paths: frozenset[Path]) -> None:
        """Watch the directories, too, that came with a change of these paths."""
        with self._lock:
            rooms = self._rooms.get(root, frozenset())
            new = (path for path in paths if path not in rooms and path.is_dir())
            if any(path.name == _IGNORE_FILE for path in paths) or any(new):
                self._watch_rooms(root)

    def end(self) -> None:
        """Stop every watch."""
        with self._lock:
            self._over = True
            watches = tuple(self._watches.values())
            self._watches.clear()
        for watch in watches:
            watch.close()

    def _watch_rooms(self, root: Path) -> None:
        rooms = tree_rooms(root, at_most=ROOMS_AT_MOST)
        if rooms is None:
            _log.warning("%s: not watched, it has too many directories", root)
            rooms = frozenset({root})
        if root in self._watches and self._rooms.get(root) != rooms:
            self._rooms[root] = rooms
            self._watches[root].watch(rooms)
            # What came before its directory was watched is seen now.
            self._noticed(root, frozenset())
