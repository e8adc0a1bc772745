"""Watches what changes rules and files from outside: control files, git's HEAD, open files.

Invariant: a watch event only means that something may have changed. The disk decides what did.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path

from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.governance.governance import Governance
from intent_lsp.store.watch.watch import Watch

OnRulesChange = Callable[[frozenset[str]], Coroutine[object, object, None]]


class RulesWatcher:
    """The watches of one connection, one for each root: of control files, git and open files."""

    def __init__(self, changed: OnRulesChange, is_open: Callable[[Path], bool]) -> None:
        """Set the functions to call: `changed` gets the absolute paths that have changed.

        `is_open` gets the path of a file and returns whether its changes matter even if it came and
        went, as those of an open file do.
        """
        self._changed, self._is_open = changed, is_open
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._watches: dict[Path, Watch] = {}
        self._watched: dict[Path, set[Path]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def add(self, governance: Governance, directories: frozenset[Path]) -> frozenset[Path]:
        """Watch `directories`, and at the first call for a root its control files and git files.

        Once the watch is active, return the directories that were not watched before.
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
            self._loop.call_soon_threadsafe(self._begin, paths)
        except RuntimeError:
            # The loop was closed while the watch still reports.
            return

    def _begin(self, paths: frozenset[Path]) -> None:
        task = self._loop.create_task(self._changed(frozenset(map(str, paths))))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _of_root(governance: Governance) -> set[Path]:
    git = governance.stores.git
    moving = () if git is None else git.watch_paths()
    directories = {path if path.is_dir() else path.parent for path in moving}
    return {governance.root, governance.root / CONTROL_ROOM, *directories}
