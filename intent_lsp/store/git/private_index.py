"""A private copy of git's index, which `git status` may refresh in place of the real index.

In a tree that was just copied or cloned, the stamps in the index match no file, so git reads every
file. A person's git writes the new stamps into the index. Ours must not write the real index and
would read every file each time, so it refreshes a copy.

Invariant: the copy is made from the index that exists when it is asked for, or there is no copy.
"""

import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from intent_lsp.store.fs.files import Stamp, read_bytes, stamp
from intent_lsp.store.fs.local_dir import PRIVATE_FILE_MODE, find_local_directory
from intent_lsp.store.fs.write import create_cache_file, remove_file

_log: Final = logging.getLogger(__name__)

FILE_NAME: Final = "git-index"
COPIED_AT_MOST: Final = 256 * 1024 * 1024
"""The largest index, in bytes, that is copied; an index of a million entries has a tenth of it."""

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class PrivateIndex:
    """The copy of one repository's index, in the local directory of one root. Safe for threads."""

    def __init__(self, root: Path, git_dir: Path) -> None:
        self._root = root
        self._index = git_dir / "index"
        self._lock = threading.Lock()
        self._copied: Stamp | None = None
        self._left: Stamp | None = None

    def place(self) -> Mapping[str, str]:
        """Return the environment variables that make git use and refresh the copy.

        The index is copied again if it has changed, or if anything but our git has changed the
        copy. Return no variables if there is no local directory, or if the index is missing or too
        large.
        """
        with self._lock:
            room = find_local_directory(self._root)
            now = stamp(self._index)
            if room is None or now is None or now.size > COPIED_AT_MOST:
                return _NONE
            copy = room / FILE_NAME
            if now != self._copied or self._left is None or stamp(copy) != self._left:
                self._copied = now if self._copy(copy, now) else None
                self._left = stamp(copy)
            if self._copied is None:
                return _NONE
            return {"GIT_INDEX_FILE": os.fspath(copy), "GIT_OPTIONAL_LOCKS": "1"}

    def done(self) -> None:
        """Record the stamp of the copy after a git command has used it."""
        with self._lock:
            room = find_local_directory(self._root)
            self._left = None if room is None else stamp(room / FILE_NAME)

    def _copy(self, copy: Path, now: Stamp) -> bool:
        """Copy the index, and return whether that succeeded and it did not change meanwhile."""
        try:
            data = read_bytes(self._index)
            if data is None or stamp(self._index) != now:
                return False
            # A killed git leaves its lock file, and no other process would remove it.
            remove_file(copy.with_name(f"{FILE_NAME}.lock"))
            # Git compares the index's own time with file stamps to find files that changed in the
            # same tick.
            create_cache_file(copy, data, mode=PRIVATE_FILE_MODE, mtime_ns=now.mtime_ns)
        except OSError as problem:
            _log.info("%s: the index is not copied: %s", self._root, problem)
            return False
        return True
