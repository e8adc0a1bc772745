"""Authoring of one root's intents file: everything that editor features ask about its parts."""

from msgspec import Struct

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.intents.structure.lookup import IntentsPart
from intent_lsp.governance.authoring.destinations import (
    Destinations,
    LinkedFile,
    destinations_of,
    linked_files,
)
from intent_lsp.governance.authoring.explanations import (
    NAMED_AT_MOST,
    Explanation,
    explained_part,
    matched_words,
)
from intent_lsp.governance.authoring.glob_matches import GlobMatches
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.root.stores import Stores


class GlobCount(Struct, frozen=True):
    """How many files a glob matches, in `words`, and the `first` of these files."""

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
        """Return the files or the intent to which a part leads."""
        return destinations_of(self._stores.root, self._matches, structure, part)

    def links(self, structure: IntentsStructure) -> tuple[LinkedFile, ...]:
        """Return the parts of a text that name one existing file, in order of position."""
        return linked_files(self._stores.root, structure)

    def count(self, glob: str) -> GlobCount | None:
        """Return how many files a glob matches, or None if that is unknown."""
        found = self._matches.of(glob)
        if found is None:
            return None
        return GlobCount(matched_words(self._matches, glob, found), found.first[:NAMED_AT_MOST])
