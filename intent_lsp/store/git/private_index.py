"""A copy of a repository's index for our own looks, which git may refresh: the real one is never.

In a tree that was copied, or cloned a moment ago, git believes no entry of the index and reads
every file. A person's git writes down what it has found; ours may not, and would read them all at
each look.

Invariant: the copy is of the index that stands there when it is asked for, or there is none.
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
"""Bytes of an index that is copied: a million entries have a tenth."""

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class PrivateIndex:
    """The copy of one repository's index, in the local room of one root; any thread may ask."""

    def __init__(self, root: Path, git_dir: Path) -> None:
        self._root = root
        self._index = git_dir / "index"
        self._lock = threading.Lock()
        self._copied: Stamp | None = None
        self._left: Stamp | None = None

    def place(self) -> Mapping[str, str]:
        """Give the variables by which git uses the copy, and may refresh it; none: there is none.

        It is made anew where the real one is another than it was, or somebody else has changed it.
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
        """Take the copy as git has left it, when a look is over."""
        with self._lock:
            room = find_local_directory(self._root)
            self._left = None if room is None else stamp(room / FILE_NAME)

    def _copy(self, copy: Path, now: Stamp) -> bool:
        try:
            data = read_bytes(self._index)
            if data is None or stamp(self._index) != now:
                return False
            # A git that was killed has left it, and no other would take it away.
            remove_file(copy.with_name(f"{FILE_NAME}.lock"))
            # By its moment git tells which files may have changed since within their stamps.
            create_cache_file(copy, data, mode=PRIVATE_FILE_MODE, mtime_ns=now.mtime_ns)
        except OSError as problem:
            _log.info("%s: the index is not copied: %s", self._root, problem)
            return False
        return True
