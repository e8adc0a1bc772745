"""Authoring of one root's intents file: what editor features ask about its parts and intents.

Invariant: a destination exists at the moment when it is returned.
Invariant: what is offered to do with an intent is not refused, unless something changes in between.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final

from msgspec import Struct

from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.rows import literal_path
from intent_lsp.formats.intents.structure.entries import IntentsStructure, StructuredEntry
from intent_lsp.formats.intents.structure.lookup import IntentsPart, PartKind, parts_of
from intent_lsp.formats.yaml.nodes import Alias
from intent_lsp.governance.authoring.explanations import NAMED_AT_MOST, Explanations, matched_words
from intent_lsp.governance.authoring.glob_matches import GlobMatches, MatchedFiles
from intent_lsp.governance.plan.checkout import CheckoutRefusal, selectable
from intent_lsp.governance.plan.tree_listing import TreeListing
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.resolve import is_file

FILES_AT_MOST: Final = 100
"""The most files to which one glob leads."""

TRIED_AT_MOST: Final = 20_000
"""The most files of one glob of which it is found out whether they exist."""

LINKS_AT_MOST: Final = 2_000
"""The most links of one text."""

_WRITTEN: Final = ("status", "updated_at")


class GlobCount(Struct, frozen=True):
    """How many files a glob matches, in `words`, and the `first` of them, at most NAMED_AT_MOST."""

    words: str
    first: tuple[WorkspacePath, ...]


class Destinations(Struct, frozen=True):
    """Where a part leads: to files, or to the entry of an intent in the same text.

    If it leads nowhere, there are no files and `entry` is None.
    """

    files: tuple[WorkspacePath, ...] = ()
    entry: StructuredEntry | None = None


class LinkedFile(Struct, frozen=True):
    """A part of the text, from offset `start` to before `end`, that names one existing file."""

    start: int
    end: int
    path: WorkspacePath


class IntentChoices(Struct, frozen=True, kw_only=True):
    """Whether one intent is selected, and what can be done with it now.

    `selected`: the intent is the session's active one, and so not `selectable`.
    """

    selected: bool = False
    selectable: bool = False
    completable: bool = False


class IntentsAuthoring:
    """Answers questions about the parts of an intents file, saved or not. Any thread may ask.

    `explanations` makes the texts that hovers show.
    """

    def __init__(self, stores: Stores, listing: TreeListing) -> None:
        self._stores = stores
        self._matches = GlobMatches(listing)
        self._is_file: Final = partial(is_file, stores.root)
        self.explanations: Final = Explanations(stores, self._matches)

    def destinations(self, structure: IntentsStructure, part: IntentsPart) -> Destinations:
        """Return where a part of an intents file leads.

        A glob leads to the existing files that it matches, at most `FILES_AT_MOST`. The `!` of an
        exclusion is ignored. A related file leads to the file, if it exists. An id, an alias and a
        pointer lead to the entry of the intent. Any other part leads nowhere.
        """
        match part.kind:
            case PartKind.GLOB | PartKind.RELATED_FILE:
                return Destinations(tuple(self._files(part)))
            case PartKind.ID | PartKind.ALIAS | PartKind.POINTER:
                return Destinations(entry=structure.entry_of(part.text))
            case PartKind.STATUS | PartKind.CRITERION | PartKind.KEY:
                return Destinations()

    def links(self, structure: IntentsStructure) -> tuple[LinkedFile, ...]:
        """Return the globs without wildcards and the related files that name an existing file.

        They are in order of position, and at most `LINKS_AT_MOST`.
        """
        parts = (part for entry in structure.entries for part in parts_of(entry))
        named = ((part, _named(part)) for part in parts)
        linked = (
            LinkedFile(part.start, part.end, path)
            for part, path in named
            if path is not None and self._is_file(path)
        )
        return tuple(islice(linked, LINKS_AT_MOST))

    def _files(self, part: IntentsPart) -> Iterator[WorkspacePath]:
        path = _named(part)
        if path is not None:
            yield from filter(self._is_file, (path,))
        elif part.kind is PartKind.GLOB:
            # Git also lists files that were deleted and are still tracked.
            existing = filter(self._is_file, islice(self._matches.each(part.text), TRIED_AT_MOST))
            yield from islice(existing, FILES_AT_MOST)

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
        existing = filter(self._is_file, found.first)
        return MatchedFiles(found.count, tuple(islice(existing, FILES_AT_MOST)))

    def record_count(self, intents: Intents, intent: Intent) -> int:
        """Return the number of an intent's records, those under its earlier ids included."""
        return self._stores.past.count_of(intents, intent)


def choices_of(
    rules: Rules, active: str | None, entry: StructuredEntry, *, unsaved: bool
) -> IntentChoices:
    """Return whether the intent of one entry of an intents file can be selected or completed.

    The file may have unsaved text, but the intents on disk, in `rules`, decide. There is no choice
    while governance is off, and none if no intent on disk has the entry's id, or if that intent is
    closed there or matched by `.intentignore`. `active` is the id of the session's active intent,
    or None. `unsaved`: the file has unsaved text, so the intent cannot be completed.
    """
    intent_id = "" if entry.intent is None else entry.intent.id
    intent = selectable(rules, intent_id)
    if isinstance(intent, CheckoutRefusal) or intent.id != intent_id:
        return IntentChoices()
    selected = rules.present_id(active) == intent.id
    return IntentChoices(
        selected=selected, selectable=not selected, completable=not unsaved and _is_writable(entry)
    )


def _is_writable(entry: StructuredEntry) -> bool:
    """Return whether a status can be set in an entry.

    It cannot if the entry has no known key, or if its status or `updated_at` is an alias of YAML.
    """
    return bool(entry.fields) and not any(
        field.name in _WRITTEN and isinstance(field.value, Alias) for field in entry.fields
    )


def _named(part: IntentsPart) -> WorkspacePath | None:
    """Return the one path that a glob or related file names; None if it names none or several."""
    if part.kind is PartKind.RELATED_FILE:
        return parse_relative(part.text)
    if part.kind is not PartKind.GLOB:
        return None
    # Also where names are compared without regard to case, the path is meant as it is written.
    rows = compile_pattern(part.text).rows
    path = literal_path(rows[0]) if len(rows) == 1 else None
    return None if path is None else parse_relative(path)
