"""Whether git tracks a file, with the answer cached until the index changes.

Invariant: an index change under way (`index.lock`) is reported, since the answer may soon differ.
"""

import os
from contextlib import suppress
from pathlib import Path

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import Stamp, stamp
from intent_lsp.store.git.repository import Git


class TrackedFiles:
    """Queries the index of the repository around one root, which is opened on first use."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._git: Git | None = None
        self._known: tuple[WorkspacePath, Stamp | None, bool] | None = None

    def holds(self, path: WorkspacePath) -> bool:
        """Return whether git tracks a file; False without a repository."""
        git = self._repository()
        if git is None:
            return False
        # Stamped before git is asked, so that a change in between makes the cached answer stale.
        now = stamp(git.git_dir / "index")
        if self._known is None or self._known[:2] != (path, now):
            self._known = path, now, git.tracked(path)
        return self._known[2]

    def being_changed(self) -> str:
        """Return a name that is different for each index change under way, or "" if none is."""
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
