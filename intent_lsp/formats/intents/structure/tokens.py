"""Tokens of an intents file: globs by their parts, statuses, ids, references and known keys.

Invariant: tokens are in order, do not overlap, and are each on one line.
"""

from collections.abc import Iterator

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


class IntentsToken(Struct, frozen=True):
    """One token, from offset `start` to `end`: a part of the file, or a part of a glob in it.

    `status` is what the word of a STATUS means, and None for any other kind.
    """

    start: int
    end: int
    kind: PartKind | GlobPartKind
    status: Status | None = None


_NO_TOKENS = ("*", "|", ">")
"""What YAML aliases and block text begin with."""


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
    match part.kind:
        case PartKind.GLOB:
            yield from _of_glob(structure, part)
        case PartKind.STATUS:
            status = status_meant(part.text)
            if status is not None:
                yield from _inner(structure, part, part.kind, status)
        case PartKind.POINTER if structure.intents.get(part.text) is None:
            return
        case PartKind.KEY | PartKind.ID | PartKind.ALIAS | PartKind.POINTER:
            yield from _inner(structure, part, part.kind)
        case PartKind.RELATED_FILE | PartKind.CRITERION:
            return


def _of_glob(structure: IntentsStructure, part: IntentsPart) -> Iterator[IntentsToken]:
    source = structure.text[part.start : part.end]
    offsets = value_offsets(source, part.text)
    if offsets is None:
        # The glob is written elsewhere, behind a YAML alias, or over several lines.
        if not source.startswith(_NO_TOKENS):
            yield from _inner(structure, part, GlobPartKind.NAME)
        return
    for each in glob_parts(part.text):
        start, end = part.start + offsets[each.start], part.start + offsets[each.end]
        yield IntentsToken(start, end, each.kind)


def _inner(
    structure: IntentsStructure,
    part: IntentsPart,
    kind: PartKind | GlobPartKind,
    status: Status | None = None,
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
