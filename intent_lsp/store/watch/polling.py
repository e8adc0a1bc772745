"""Polling of directories, where the operating system cannot report changes.

Invariant: polling takes at most a fiftieth of the time, however much there is to look at.
"""

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress

from intent_lsp.store import clock

_SHARE = 50
_PAUSE_SECONDS = 1.0
_Entries = Mapping[str, tuple[int, int, int]]


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


def _entries(directory: str) -> _Entries:
    """Return inode, size and modification time of a directory's entries; empty if unreadable."""
    found: dict[str, tuple[int, int, int]] = {}
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                found[entry.name] = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
    return found
