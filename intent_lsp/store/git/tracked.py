"""Whether git tracks a file, asked again only when its index has changed.

Invariant: while git holds its index, nobody knows what it is about to track; that is told apart.
"""

import os
from contextlib import suppress
from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import Stamp, stamp
from intent_lsp.store.git.repository import Git


class TrackedFiles:
    """Asks the index of the repository around one root; opened when first asked."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._git: Git | None = None
        self._known: tuple[WorkspacePath, Stamp | None, bool] | None = None

    def holds(self, path: WorkspacePath) -> bool:
        """Whether git tracks a file; without a repository it tracks none."""
        git = self._repository()
        if git is None:
            return False
        # Taken before git is asked: what comes meanwhile is another state of it.
        now = stamp(git.git_dir / "index")
        if self._known is None or self._known[:2] != (path, now):
            self._known = path, now, git.tracked(path)
        return self._known[2]

    def being_changed(self) -> str:
        """Name the change of the index that is under way, each by another name; "": none is."""
        git = self._repository()
        if git is not None:
            with suppress(OSError):
                lock = os.lstat(git.git_dir / "index.lock")
                return f"{lock.st_ino}:{lock.st_mtime_ns}"
        return ""

    def _repository(self) -> Git | None:
        if self._git is None:
            self._git = Git.open(self._root)
        return self._git
