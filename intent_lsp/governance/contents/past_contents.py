"""The past contents of one file by their hashes, as far as anything still holds them.

Invariant: a kept snapshot, the file as it is, and what commits hold; nothing is written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final

from intent_lsp.core.blame.runs import Source
from intent_lsp.core.content import ContentHash, decode, hash_content, split_lines
from intent_lsp.core.records import UNKNOWN_REVISION
from intent_lsp.formats.diff import MAX_DIFFED_BYTES
from intent_lsp.governance.contents.content_lookup import KnownContents
from intent_lsp.store.git.conversion import Version
from intent_lsp.store.git.repository import Git

REVISIONS: Final = 64
"""Commits that are looked into at most, those of the newest records first."""

MERGED: Final = 64
"""Commits that were merged, and are looked into besides for each name."""

Read = Callable[[], bytes | None]


class PastContents:
    """What a file held, and held under earlier names; made for one answer.

    Nothing is opened before a content is asked for, which most answers do without.
    """

    def __init__(self, root: Path, sources: Sequence[Source]) -> None:
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
    def _known(self) -> KnownContents:
        return KnownContents(self._root)

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
