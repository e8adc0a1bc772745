"""Authoring of one root's intents file: everything that editor features ask about its parts."""

from functools import partial
from itertools import islice

from msgspec import Struct

from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.intents.structure.lookup import IntentsPart
from intent_lsp.governance.authoring.destinations import (
    FILES_AT_MOST,
    Destinations,
    LinkedFile,
    destinations_of,
    linked_files,
)
from intent_lsp.governance.authoring.explanations import (
    NAMED_AT_MOST,
    Explanation,
    explained_part,
    explained_records,
    explained_scope,
    matched_words,
)
from intent_lsp.governance.authoring.glob_matches import GlobMatches, MatchedFiles
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import is_file


class GlobCount(Struct, frozen=True):
    """How many files a glob matches, in `words`, and the `first` of them, at most NAMED_AT_MOST."""

    words: str
    first: tuple[WorkspacePath, ...]


class IntentsAuthoring:
    """Answers questions about the parts of an intents file, saved or not. Any thread may ask."""

    def __init__(self, stores: Stores, listing: TreeListing) -> None:
        self._stores = stores
        self._matches = GlobMatches(listing)

    def explained(self, structure: IntentsStructure, part: IntentsPart) -> Explanation | None:
        """Return what a hover shows of a part, or None if there is nothing to say."""
        return explained_part(self._stores, self._matches, structure, part)

    def destinations(self, structure: IntentsStructure, part: IntentsPart) -> Destinations:
        """Return where a part leads: to files, to the entry of an intent, or nowhere."""
        return destinations_of(self._stores.root, self._matches, structure, part)

    def links(self, structure: IntentsStructure) -> tuple[LinkedFile, ...]:
        """Return the globs and related files that name one existing file, in order of position.

        They are at most LINKS_AT_MOST.
        """
        return linked_files(self._stores.root, structure)

    def count(self, glob: str) -> GlobCount | None:
        """Return how many files a glob matches, or None if git does not list the files.

        Of an exclusion, it is how many it excludes.
        """
        found = self._matches.of(glob)
        if found is None:
            return None
        return GlobCount(matched_words(self._matches, glob, found), found.first[:NAMED_AT_MOST])

    @property
    def lists_files(self) -> bool:
        """Whether the files of the work tree can be known, since there is a git repository."""
        return self._stores.git is not None

    def owned(self, intent: Intent) -> MatchedFiles | None:
        """Return the files that the globs of an intent cover, or None if git does not list files.

        `first` are at most FILES_AT_MOST that exist; `count` includes tracked files that were
        deleted.
        """
        found = self._matches.owned(intent.owned_scope)
        if found is None:
            return None
        # Git also lists files that were deleted and are still tracked.
        existing = filter(partial(is_file, self._stores.root), found.first)
        return MatchedFiles(found.count, tuple(islice(existing, FILES_AT_MOST)))

    def record_count(self, intents: Intents, intent: Intent) -> int:
        """Return the number of an intent's records, those under its earlier ids included."""
        return self._stores.past.count_of(intents, intent)

    def scope_of(self, intent: Intent) -> Explanation | None:
        """Return which files an intent's globs cover, for people; None if git lists no files."""
        return explained_scope(self._matches, intent)

    def records_of(self, intents: Intents, intent: Intent) -> Explanation:
        """Return how many records an intent has, and the newest NAMED_AT_MOST, for people."""
        return explained_records(self._stores, intents, intent)
