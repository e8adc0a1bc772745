"""Destinations of the parts of an intents file: the files and intents to which they lead.

Invariant: a destination exists at the moment when it is returned.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.paths import WorkspacePath, parse_relative
from intent_lsp.core.scope.pattern import compile_pattern
from intent_lsp.core.scope.rows import literal_path
from intent_lsp.formats.intents.structure.entries import IntentsStructure, StructuredEntry
from intent_lsp.formats.intents.structure.lookup import IntentsPart, PartKind, parts_of
from intent_lsp.governance.authoring.glob_matches import GlobMatches
from intent_lsp.store.fs.resolve import is_file

FILES_AT_MOST: Final = 100
"""The most files to which one glob leads."""

TRIED_AT_MOST: Final = 20_000
"""The most files of one glob of which it is found out whether they exist."""

LINKS_AT_MOST: Final = 2_000
"""The most links of one text."""


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


def destinations_of(
    root: Path, matches: GlobMatches, structure: IntentsStructure, part: IntentsPart
) -> Destinations:
    """Return where a part of an intents file leads.

    A glob leads to the existing files that it matches (the `!` of an exclusion is ignored), at most
    `FILES_AT_MOST`; a related file to the file, if it exists; an id, an alias and a pointer to the
    entry of the intent. Any other part leads nowhere.
    """
    match part.kind:
        case PartKind.GLOB | PartKind.RELATED_FILE:
            return Destinations(tuple(_files(root, matches, part)))
        case PartKind.ID | PartKind.ALIAS | PartKind.POINTER:
            return Destinations(entry=structure.entry_of(part.text))
        case PartKind.STATUS | PartKind.CRITERION | PartKind.KEY:
            return Destinations()


def linked_files(root: Path, structure: IntentsStructure) -> tuple[LinkedFile, ...]:
    """Return the globs without wildcards and the related files that name an existing file.

    They are in order of position, and at most `LINKS_AT_MOST`.
    """
    return tuple(islice(_linked(root, structure.entries), LINKS_AT_MOST))


def _linked(root: Path, entries: Iterable[StructuredEntry]) -> Iterator[LinkedFile]:
    for part in (part for entry in entries for part in parts_of(entry)):
        path = _named(part)
        if path is not None and is_file(root, path):
            yield LinkedFile(part.start, part.end, path)


def _files(root: Path, matches: GlobMatches, part: IntentsPart) -> Iterator[WorkspacePath]:
    path = _named(part)
    if path is not None:
        yield from filter(partial(is_file, root), (path,))
    elif part.kind is PartKind.GLOB:
        # Git also lists files that were deleted and are still tracked.
        existing = filter(partial(is_file, root), islice(matches.each(part.text), TRIED_AT_MOST))
        yield from islice(existing, FILES_AT_MOST)


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
