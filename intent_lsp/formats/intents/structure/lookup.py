"""Parts of an intents file, such as globs, statuses, ids and keys: at an offset, and as tokens.

Invariant: no offset makes it raise.
Invariant: tokens are in order, do not overlap, and are each on one line.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.intents import Status
from intent_lsp.core.scope.glob_parts import GlobPartKind, glob_parts
from intent_lsp.formats.intents.entry import ENTRY_KEYS, status_meant
from intent_lsp.formats.intents.root import POINTERS, ROOT_KEYS
from intent_lsp.formats.intents.structure.entries import (
    EntryField,
    FieldItem,
    IntentsStructure,
    StructuredEntry,
)
from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.nodes import Scalar, YamlNode, content_span, value_offsets

_NO_TOKENS = ("*", "|", ">")
"""What YAML aliases and block text begin with."""


class PartKind(StrEnum):
    """What one part of an intents file is.

    POINTER is the value of a key beside the entries that names an intent, such as `active_intent`.
    """

    GLOB = "glob"
    RELATED_FILE = "related_file"
    STATUS = "status"
    ID = "id"
    ALIAS = "alias"
    CRITERION = "criterion"
    KEY = "key"
    POINTER = "pointer"


class IntentsPart(Struct, frozen=True, kw_only=True):
    """One part of an intents file, from offset `start` to `end`.

    `text` is its value; for a key, it is the known key that the key stands for. `entry` is the
    entry that it stands in, or None outside the entries. For a criterion, `number` is its place
    among those of its intent, from 1; for any other part it is 0.
    """

    kind: PartKind
    start: int
    end: int
    text: str
    entry: StructuredEntry | None = None
    number: int = 0


class IntentsToken(Struct, frozen=True):
    """One token, from offset `start` to `end`: a part of the file, or a part of a glob in it.

    `status` is what the word of a STATUS means, and None for any other kind.
    """

    start: int
    end: int
    kind: PartKind | GlobPartKind
    status: Status | None = None


_ITEMS = {
    "owned_scope": PartKind.GLOB,
    "related_files": PartKind.RELATED_FILE,
    "aliases": PartKind.ALIAS,
    "acceptance_criteria": PartKind.CRITERION,
}
POINTER_KEY = "active_intent"
"""The known key that stands for all keys that name the selected intent."""


def part_at(structure: IntentsStructure, offset: int) -> IntentsPart | None:
    """Return the smallest part that contains an offset or ends at it, or None without one."""
    for entry in structure.entries:
        if entry.start <= offset <= entry.end:
            found = _at(parts_of(entry), offset)
            if found is not None:
                return found
    return _at(parts_beside(structure), offset)


def parts_of(entry: StructuredEntry) -> Iterator[IntentsPart]:
    """Yield the parts of an entry: its keys with a known meaning, and values of certain keys.

    These are a usable id, the status, and the items of `owned_scope`, `related_files`, `aliases`
    and `acceptance_criteria`.
    """
    for key in entry.keys:
        meant = ENTRY_KEYS.meaning(key.value)
        if meant is not None:
            yield _part(PartKind.KEY, key, meant, entry)
    node, intent = entry.id_node, entry.intent
    if node is not None and intent is not None:
        yield _part(PartKind.ID, node, intent.id, entry)
    for field in entry.fields:
        yield from _of_field(field, entry)


def globs_of(structure: IntentsStructure) -> Iterator[IntentsPart]:
    """Yield the globs of all entries."""
    for entry in structure.entries:
        yield from (part for part in parts_of(entry) if part.kind is PartKind.GLOB)


def parts_beside(structure: IntentsStructure) -> Iterator[IntentsPart]:
    """Yield the parts beside the entries: keys with a known meaning, and pointers to an intent."""
    for key, value in structure.pointers:
        yield _part(PartKind.POINTER, value, value.value)
        yield _part(PartKind.KEY, key, POINTER_KEY)
    for key in structure.keys:
        meant = None if key.value in POINTERS else ROOT_KEYS.meaning(key.value)
        if meant is not None:
            yield _part(PartKind.KEY, key, meant)


def tokens_of(structure: IntentsStructure) -> tuple[IntentsToken, ...]:
    """Return the tokens of a text.

    These have no tokens: prose, related files, unknown keys, unknown statuses, pointers that name
    no intent, and globs behind a YAML alias or in block text.
    """
    found = (token for part in _parts(structure) for token in _tokens(structure, part))
    return tuple(sorted(found, key=lambda token: token.start))


def _of_field(field: EntryField, entry: StructuredEntry) -> Iterator[IntentsPart]:
    kind = _ITEMS.get(field.name)
    if kind is not None:
        for number, item in enumerate(field.items, 1):
            part = _part(kind, item, item.text, entry)
            yield replace(part, number=number) if kind is PartKind.CRITERION else part
    content = field.value.content
    if field.name == "status" and isinstance(content, Scalar) and not content.null:
        yield _part(PartKind.STATUS, field.value, content.value, entry)


def _part(
    kind: PartKind, at: YamlNode | FieldItem, text: str, entry: StructuredEntry | None = None
) -> IntentsPart:
    return IntentsPart(kind=kind, start=at.start, end=at.end, text=text, entry=entry)


def _at(parts: Iterator[IntentsPart] | Sequence[IntentsPart], offset: int) -> IntentsPart | None:
    """Return the smallest of the parts that contain an offset or end at it, or None."""
    found = (part for part in parts if part.start <= offset <= part.end)
    return min(found, key=lambda part: part.end - part.start, default=None)


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
