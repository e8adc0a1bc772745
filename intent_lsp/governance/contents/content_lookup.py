"""Contents found again by their hashes, wherever they are still kept (ledger section 5).

Invariant: what is given has the hash that was asked for.
Invariant: nothing is written, and no program of git's filters is started.
Invariant: a kept snapshot, the file as it is, and what commits hold; nothing is written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from intent_lsp.core.blame.runs import FileRecord
from intent_lsp.core.content import ContentHash, decode, hash_content, split_lines
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.formats.diff import MAX_DIFFED_BYTES
from intent_lsp.store.fs.files import read_bytes, stamp
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.git.conversion import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.state.blob_cache import BlobCache

LARGEST: Final = 16 << 20
"""Bytes of a file above which it is not read to be hashed."""

REVISIONS: Final = 64
"""Commits that are looked into at most, those of the newest records first."""

MERGED: Final = 64
"""Commits that were merged, and are looked into besides for each name."""

Read = Callable[[], bytes | None]


class ContentLookup:
    """Looks for contents below one root: kept ones, the file as it is now, what commits hold."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._snapshots = BlobCache(root)
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
        place = resolve_below(self._root, path)
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


class PastContents:
    """What a file held, and held under earlier names; made for one answer.

    Nothing is opened before a content is asked for, which most answers do without.
    """

    def __init__(self, root: Path, sources: Sequence[FileRecord]) -> None:
        self._root = root
        self._sources = sources
        self._paths = tuple(dict.fromkeys(file.path for _, file in reversed(sources)))

    def lines(self, wanted: ContentHash) -> Sequence[str] | None:
        """Give the lines of a content; None: nothing holds it, or it is not compared by line."""
        data = self._kept(wanted)
        if data is None and wanted in self._committed:
            data = self._committed[wanted]()
        text = None if data is None or len(data) > MAX_DIFFED_BYTES else decode(data)
        return None if text is None else split_lines(text.text)

    @cached_property
    def _known(self) -> ContentLookup:
        return ContentLookup(self._root)

    @cached_property
    def _committed(self) -> Mapping[ContentHash, Read]:
        """What reads the contents that are in the commits which records name."""
        git = Git.open(self._root)
        reads = [] if git is None else [partial(git.version_bytes, v) for v in self._versions(git)]
        found = ((read(), read) for read in reads)
        return {hash_content(data): read for data, read in found if data is not None}

    def _kept(self, wanted: ContentHash) -> bytes | None:
        found = (self._known.find(wanted, path, UNKNOWN_REVISION) for path in self._paths)
        return next((data for data in found if data is not None), None)

    def _versions(self, git: Git) -> Iterable[Version]:
        """Give the file's versions in commits that records name or that were merged, each once."""
        places = dict.fromkeys(
            (record.vcs.revision_id, file.path)
            for record, file in reversed(self._sources)
            if record.vcs.revision_id != UNKNOWN_REVISION
        )
        merged = (
            (commit, path)
            for path in self._paths
            for commit in git.merged_commits(path, limit=MERGED)
        )
        wanted = dict.fromkeys((*list(places)[:REVISIONS], *merged))
        found = [git.version_at(*place) for place in wanted]
        # A filter may fetch what it smudges, which nobody asked for.
        return dict.fromkeys(it for it in found if it is not None and not it.how.program)
