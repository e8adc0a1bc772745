"""Detection of unchanged files: compares a file's stamp with the one noted when it was read.

Invariant: a file counts as unchanged only if any later change would have given it another stamp.
"""

import threading
from pathlib import Path
from typing import Final

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store import clock
from intent_lsp.store.fs.files import Stamp, stamp

_STEP_SECONDS: Final = 0.001
_STEPS: Final = 20
"""How many times to wait for the next tick of the clock for files, which is 1 to 10 ms away."""

_COARSE_NS: Final = 1_000_000
"""A time that is a multiple of this counts as one of a file system with a coarse clock."""


class KnownFiles:
    """Stores stamps of files of one root in memory, to detect later whether a file has changed.

    Thread-safe.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._stamps: dict[WorkspacePath, Stamp] = {}

    def settled_stamp(self, path: WorkspacePath) -> Stamp | None:
        """Return a file's present stamp if any further change is certain to change the stamp.

        Two changes within one tick of the clock have the same time, so this waits for the next
        tick, for about 20 ms. Return None if the stamp is not certain even then, if its change time
        is in whole milliseconds, as from a coarse clock, or if there is no regular file.
        """
        for _ in range(_STEPS):
            tick = clock.file_time_ns()
            found = stamp(self._root / path)
            if found is None or not found.changed_ns % _COARSE_NS:
                return None
            if found.changed_ns < tick:
                return found
            clock.pause(_STEP_SECONDS)
        return None

    def note(self, path: WorkspacePath, known: Stamp | None) -> None:
        """Store the stamp `known` that a file had before it was read; if None, forget the file."""
        with self._lock:
            if known is None:
                self._stamps.pop(path, None)
            else:
                self._stamps[path] = known

    def is_unchanged(self, path: WorkspacePath) -> bool:
        """Return whether a file's present stamp equals the stored one. False if none is stored."""
        with self._lock:
            known = self._stamps.get(path)
        return known is not None and stamp(self._root / path) == known
