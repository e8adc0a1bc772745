"""What files held when they were seen first, where no commit tells (requirements section 8).

Invariant: what was seen first stays; what is found in the tree later was not there at first.
Invariant: a file that an editor has opened is remembered whole, others by their hash.
"""

import threading
from collections.abc import Callable, Mapping

from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.content import FileContent, content_of


class InitialContents:
    """The first sight of one root's files; any thread may call.

    `kept` gives the content that has a hash; None: that of no file.
    """

    def __init__(self, kept: Callable[[ContentHash | None], FileContent]) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._opened: dict[WorkspacePath, bytes | None] = {}
        self._found: dict[WorkspacePath, ContentHash | None] | None = None

    def opened(self) -> tuple[WorkspacePath, ...]:
        """List the files that are remembered whole."""
        with self._lock:
            return tuple(self._opened)

    def open(self, path: WorkspacePath, data: bytes | None) -> None:
        """Remember a file that an editor opens (None: there is none), unless it was another."""
        held = hash_if_there(data)
        with self._lock:
            if (self._found or {}).get(path, held) == held:
                self._opened.setdefault(path, data)

    def find(self, files: Mapping[WorkspacePath, ContentHash | None]) -> None:
        """Take a look at the whole tree; the first one tells what there was."""
        with self._lock:
            if self._found is None:
                self._found = dict(files)
            for path in files.keys() - self._found.keys():
                self._found[path] = None

    def forget_found(self) -> None:
        """Forget what was found in the tree: a commit tells by now."""
        with self._lock:
            self._found = None

    def found(self, path: WorkspacePath) -> ContentHash | None:
        """Give the hash with which a file was found in the tree; None: it was not."""
        with self._lock:
            return (self._found or {}).get(path)

    def content(self, path: WorkspacePath) -> FileContent | None:
        """Give what a file held; None: it was not seen."""
        with self._lock:
            if path in self._opened:
                return content_of(self._opened[path])
            if self._found is None or path not in self._found:
                return None
            held = self._found[path]
        return self._kept(held)

    def correct(self, path: WorkspacePath, before: bytes | None) -> None:
        """Take `before` for what a file held, where it was seen."""
        with self._lock:
            if path in self._opened or path in (self._found or ()):
                self._opened[path] = before

    def follow(self, old: WorkspacePath, new: WorkspacePath) -> None:
        """Take what is known of a file to the name that it was moved to."""
        with self._lock:
            if old in self._opened:
                self._opened[new] = self._opened[old]
            elif self._found is not None and old in self._found:
                self._found[new] = self._found[old]
                self._opened.pop(new, None)
