"""Contents found again by their hashes, wherever they are still kept (ledger section 5).

Invariant: what is given has the hash that was asked for.
Invariant: nothing is written, and no program of git's filters is started.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.store.fs.files import read_bytes, stamp
from intent_lsp.store.fs.resolve import real_relative
from intent_lsp.store.git.conversion import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.state.blob_cache import Snapshots

LARGEST: Final = 16 << 20
"""Bytes of a file above which it is not read to be hashed."""


class KnownContents:
    """Looks for contents below one root: kept ones, the file as it is now, what commits hold."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._snapshots = Snapshots(root)
        self._git = Git.open(root)

    def find(self, wanted: ContentHash, path: WorkspacePath, revision: str) -> bytes | None:
        """Give the content of a hash, which a file had around a commit; None: it is not kept."""
        for read in self._places(wanted, path, revision):
            data = read()
            if data is not None and hash_content(data) == wanted:
                return data
        return None

    def _places(
        self, wanted: ContentHash, path: WorkspacePath, revision: str
    ) -> Iterator[Callable[[], bytes | None]]:
        yield lambda: self._snapshots.get(wanted)
        yield lambda: self._on_disk(path)
        if self._git is not None:
            git = self._git
            yield lambda: self._committed(git, git.head_version(path))
            if revision != UNKNOWN_REVISION:
                yield lambda: self._committed(git, git.version_at(revision, path))

    def _on_disk(self, path: WorkspacePath) -> bytes | None:
        """Read a file of the root; a record's path may be anything that somebody wrote."""
        place = real_relative(self._root, path)
        if place is None or place.real is None:
            return None
        file = self._root / place.path
        found = stamp(file)
        try:
            return None if found is None or found.size > LARGEST else read_bytes(file)
        except OSError:
            return None

    def _committed(self, git: Git, version: Version | None) -> bytes | None:
        # A filter may fetch what it smudges, which nobody asked for.
        return None if version is None or version.how.program else git.version_bytes(version)
