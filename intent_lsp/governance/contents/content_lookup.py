"""Lookup of contents by hash: in the blob cache, on disk, and in commits (ledger section 5).

Invariant: a returned content has the wanted hash.
Invariant: nothing is written, and no git filter program is started.
Invariant: only the blob cache, the file on disk and commits are searched.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from intent_lsp.core.blame.attribution import FileRecord
from intent_lsp.core.content import ContentHash, decode, hash_content, split_lines
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.formats.diff import MAX_DIFFED_BYTES
from intent_lsp.store.fs.files import read_bytes, stamp
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.git.objects import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.state.blob_cache import BlobCache

LARGEST: Final = 16 << 20
"""Bytes of a file above which it is not read to be hashed."""

REVISIONS: Final = 64
"""The most commits named by records that are searched, those of the newest records first."""

MERGED: Final = 64
"""The most merged commits that are searched in addition, for each name of the file."""

Read = Callable[[], bytes | None]


class ContentLookup:
    """Looks up contents below one root by hash: in the blob cache, on disk and in commits."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._snapshots = BlobCache(root)
        self._git = Git.open(root)

    def find(self, wanted: ContentHash, path: WorkspacePath, revision: str) -> bytes | None:
        """Return a file's content with the hash `wanted`, or None if it is not found.

        `revision` is a commit that is searched besides HEAD, or UNKNOWN_REVISION.
        """
        for read in self._places(wanted, path, revision):
            data = read()
            if data is not None and hash_content(data) == wanted:
                return data
        return None

    def _places(self, wanted: ContentHash, path: WorkspacePath, revision: str) -> Iterator[Read]:
        yield lambda: self._snapshots.get(wanted)
        yield lambda: self._on_disk(path)
        if self._git is not None:
            git = self._git
            yield lambda: self._committed(git, git.head_version(path))
            if revision != UNKNOWN_REVISION:
                yield lambda: self._committed(git, git.version_at(revision, path))

    def _on_disk(self, path: WorkspacePath) -> bytes | None:
        """Return the content of a file of the root on disk.

        Return None if the file is absent, unreadable, too large or outside the root. The path comes
        from a record and may be any string.
        """
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
        # A filter program may download content (Git LFS does), so do not run one here.
        return None if version is None or version.how.program else git.version_bytes(version)


class PastContents:
    """The past contents of one file under all its names; made for a single blame.

    The repository is opened only when a content is requested, which is rare.
    """

    def __init__(self, root: Path, sources: Sequence[FileRecord]) -> None:
        self._root = root
        self._sources = sources
        self._paths = tuple(dict.fromkeys(file.path for _, file in reversed(sources)))

    def lines(self, wanted: ContentHash) -> Sequence[str] | None:
        """Return the lines of the content with the hash `wanted`.

        Return None if the content is not found, not text, or too large to diff.
        """
        kept = (self._known.find(wanted, path, UNKNOWN_REVISION) for path in self._paths)
        data = next((each for each in kept if each is not None), None)
        if data is None and wanted in self._committed:
            data = self._committed[wanted]()
        text = None if data is None or len(data) > MAX_DIFFED_BYTES else decode(data)
        return None if text is None else split_lines(text.text)

    @cached_property
    def _known(self) -> ContentLookup:
        return ContentLookup(self._root)

    @cached_property
    def _committed(self) -> Mapping[ContentHash, Read]:
        """The file's committed contents: from each content's hash to a function that reads it.

        The commits searched are those of `_versions`.
        """
        git = Git.open(self._root)
        reads = [] if git is None else [partial(git.version_bytes, v) for v in self._versions(git)]
        found = ((read(), read) for read in reads)
        return {hash_content(data): read for data, read in found if data is not None}

    def _versions(self, git: Git) -> Iterable[Version]:
        """Return the file's distinct versions in commits named by records and in parents of merges.

        Of the commits named by records, at most REVISIONS are searched, those of the newest
        records. For each path that the file has had, up to MERGED parents of merges
        (`Git.merge_parents`) are searched. Versions that git would convert by a filter program are
        left out.
        """
        places = dict.fromkeys(
            (record.vcs.revision_id, file.path)
            for record, file in reversed(self._sources)
            if record.vcs.revision_id != UNKNOWN_REVISION
        )
        merged = (
            (commit, path)
            for path in self._paths
            for commit in git.merge_parents(path, limit=MERGED)
        )
        wanted = dict.fromkeys((*list(places)[:REVISIONS], *merged))
        found = [git.version_at(*place) for place in wanted]
        # A filter program may download content (Git LFS does), so do not run one here.
        return dict.fromkeys(it for it in found if it is not None and not it.how.program)
