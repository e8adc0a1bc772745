"""Tokens of an intents file: globs by their parts, statuses, ids, references and known keys.

Invariant: tokens are in order, do not overlap, and are each on one line.
"""

from collections.abc import Iterator
from enum import Enum, auto

from msgspec import Struct

from intent_lsp.core.intents import Status
from intent_lsp.core.scope.glob_parts import GlobPartKind, glob_parts
from intent_lsp.formats.intents.entry import status_meant
from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.intents.structure.lookup import (
    IntentsPart,
    PartKind,
    parts_beside,
    parts_of,
)
from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.value_source import content_span, value_offsets


class SemanticKind(Enum):
    """What a token is. A REFERENCE is an alias or a pointer that names an intent."""

    KEY = auto()
    ID = auto()
    REFERENCE = auto()
    STATUS = auto()
    NAME = auto()
    SEPARATOR = auto()
    WILDCARD = auto()
    BRACE = auto()
    EXCLUSION = auto()


class IntentsToken(Struct, frozen=True):
    """One token, from offset `start` to `end`.

    `status` is what the word of a STATUS means, and None for any other kind.
    """

    start: int
    end: int
    kind: SemanticKind
    status: Status | None = None


_NO_TOKENS = ("*", "|", ">")
"""What YAML aliases and block text begin with."""

_OF_GLOBS = {
    GlobPartKind.NAME: SemanticKind.NAME,
    GlobPartKind.SEPARATOR: SemanticKind.SEPARATOR,
    GlobPartKind.WILDCARD: SemanticKind.WILDCARD,
    GlobPartKind.BRACE: SemanticKind.BRACE,
    GlobPartKind.EXCLUSION: SemanticKind.EXCLUSION,
}

_OF_PARTS = {
    PartKind.ID: SemanticKind.ID,
    PartKind.KEY: SemanticKind.KEY,
    PartKind.ALIAS: SemanticKind.REFERENCE,
    PartKind.POINTER: SemanticKind.REFERENCE,
}


def tokens_of(structure: IntentsStructure) -> tuple[IntentsToken, ...]:
    """Return the tokens of a text.

    These have no tokens: prose, related files, unknown keys, unknown statuses, pointers that name
    no intent, and globs behind a YAML alias or in block text.
    """
    found = (token for part in _parts(structure) for token in _tokens(structure, part))
    return tuple(sorted(found, key=lambda token: token.start))


def _parts(structure: IntentsStructure) -> Iterator[IntentsPart]:
    yield from parts_beside(structure)
    for entry in structure.entries:
        yield from parts_of(entry)


def _tokens(structure: IntentsStructure, part: IntentsPart) -> Iterator[IntentsToken]:
    if part.kind is PartKind.GLOB:
        yield from _of_glob(structure, part)
    elif part.kind is PartKind.STATUS:
        status = status_meant(part.text)
        if status is not None:
            yield from _inner(structure, part, SemanticKind.STATUS, status)
    elif part.kind is not PartKind.POINTER or structure.intents.get(part.text) is not None:
        kind = _OF_PARTS.get(part.kind)
        if kind is not None:
            yield from _inner(structure, part, kind)


def _of_glob(structure: IntentsStructure, part: IntentsPart) -> Iterator[IntentsToken]:
    source = structure.text[part.start : part.end]
    offsets = value_offsets(source, part.text)
    if offsets is None:
        # The glob is written elsewhere, behind a YAML alias, or over several lines.
        if not source.startswith(_NO_TOKENS):
            yield from _inner(structure, part, SemanticKind.NAME)
        return
    for each in glob_parts(part.text):
        start, end = part.start + offsets[each.start], part.start + offsets[each.end]
        yield IntentsToken(start, end, _OF_GLOBS[each.kind])


def _inner(
    structure: IntentsStructure, part: IntentsPart, kind: SemanticKind, status: Status | None = None
) -> Iterator[IntentsToken]:
    """Yield a token for each line of a part, without its quotes and the white space around it."""
    source = structure.text[part.start : part.end]
    begin, last = content_span(source)
    for found in (*LINE_END.finditer(source, begin, last), None):
        end = last if found is None else found.start()
        line = source[begin:end]
        start = begin + len(line) - len(line.lstrip())
        if line.strip():
            stop = start + len(line.strip())
            yield IntentsToken(part.start + start, part.start + stop, kind, status)
        begin = end if found is None else found.end()
