"""Proposals for keys, words, ids, tools and items at a place of a control file.

Invariant: a key that `YamlCursor.keys` has already, under whatever name, is not proposed.
Invariant: an id in use is never proposed as the id of an intent.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import line_body
from intent_lsp.formats.intents.completion.place import CompletionPlace
from intent_lsp.formats.intents.completion.proposal import (
    Proposal,
    ProposalKind,
    ProposedEdit,
    TextName,
)
from intent_lsp.formats.intents.completion.shapes import (
    ENTRY,
    INTENTS_ROOT,
    LeafShape,
    ListShape,
    Shape,
    ValueKind,
)
from intent_lsp.formats.intents.completion.writing import (
    ProposedValue,
    Skeletons,
    literal,
    write_closing_quote,
    write_key,
    write_value,
)

_SPECIFICATION: Final = re.compile(
    r"""["']?\b(?P<key>specification_?id|requirement_?id|req_?id|spec_?id)["']?[ \t]*:[ \t]+"""
    r"""(?:"(?P<double>[^"\\\r\n]+)"|'(?P<single>[^'\r\n]+)'|(?P<plain>[\w.][^\s,\[\]{}#]*))""",
    re.IGNORECASE,
)


class Offers(Struct, frozen=True, kw_only=True):
    """What may be proposed and is not in the text: the next free id, the time, the names of tools.

    `new_id` returns the next free id. A call of it reads the file, so it is called only where an id
    is wanted.
    """

    new_id: Callable[[], str]
    now: str
    tools: tuple[str, ...]


def proposals(place: CompletionPlace, lines: Sequence[str], offers: Offers) -> list[Proposal]:
    """Return the proposals at a place, without those for segments of globs and of files' paths."""
    return [
        *_quoted(place),
        *_items(place, offers),
        *_keys(place, offers),
        *_values(place, lines, offers),
    ]


def _quoted(place: CompletionPlace) -> Iterator[Proposal]:
    """Yield the value at a cursor with a quote at both ends, if only one quote was typed."""
    leaf, word = place.leaf, place.cursor.word
    written = None if leaf is None else write_closing_quote(place.cursor, listed=place.listed)
    if written is None:
        return
    label = f"{word.quote}{word.typed}{word.behind}{word.quote}"
    if not word.quote:
        label = f"{word.typed[-1]}{word.typed}"
    yield Proposal(label=label, kind=ProposalKind.GLOB, written=written, rank="0")


def _keys(place: CompletionPlace, offers: Offers) -> Iterator[Proposal]:
    table, cursor = place.table, place.cursor
    # Between brackets the rest of the word would be behind the new key's value.
    torn = cursor.flow and cursor.word.rest and not cursor.is_key and not cursor.word.quote
    if table is None or place.ruled or torn or _is_id(place):
        return
    used = {table.known.meaning(each.name) for each in place.cursor.keys}
    missing = [key for key in table.texts if key not in used and not _is_by_id(place, key)]
    defaults = _defaults([table.shapes[key] for key in missing], offers)
    skeletons = Skeletons(place.cursor, place.lists, defaults)
    for index, key in enumerate(missing):
        yield Proposal(
            label=key,
            kind=ProposalKind.KEY,
            written=write_key(place.cursor, key, skeletons.of(table.shapes[key])),
            rank=f"2{index:02}",
            about=TextName(table.name, key),
        )


def _is_id(place: CompletionPlace) -> bool:
    """Return whether the key at a place must stay, because intents are found by it.

    This holds for a key with a value at the root, which may be an id, and for the key of an
    intent's id.
    """
    word, table = place.cursor.word, place.table
    if not place.cursor.is_key or table is None:
        return False
    meant = table.known.meaning(word.typed + word.rest)
    return table is INTENTS_ROOT or (table is ENTRY and meant == "id")


def _is_by_id(place: CompletionPlace, key: str) -> bool:
    """Return whether `key` is `id` in an entry that stands below its id, and so needs no `id`."""
    return place.table is ENTRY and key == "id" and place.cursor.path[-1:] != (None,)


def _defaults(shapes: Iterable[Shape], offers: Offers) -> Mapping[ValueKind, str]:
    """Return the values that skeletons of these shapes are filled with: the time and a new id.

    The id is left out if none of the shapes has one.
    """
    found = {ValueKind.DATE: offers.now}
    if any(_has_id(shape) for shape in shapes):
        found[ValueKind.NEW_ID] = offers.new_id()
    return found


def _has_id(shape: Shape) -> bool:
    inner = shape.item if isinstance(shape, ListShape) else shape
    return inner is ENTRY or (isinstance(inner, LeafShape) and inner.kind is ValueKind.NEW_ID)


def _items(place: CompletionPlace, offers: Offers) -> Iterator[Proposal]:
    """Yield the skeleton of an item that is a mapping, such as an intent with the next free id."""
    table, cursor = place.item, place.cursor
    if table is None or cursor.word.rest:
        return
    defaults = _defaults([table], offers)
    pairs = Skeletons(cursor, None, defaults).pairs(table)
    new_id = defaults.get(ValueKind.NEW_ID)
    written = _item_written(place, pairs, table.first[0] if new_id is None else f"id: {new_id}")
    label = f"new {table.name}" if new_id is None else f"new intent {new_id}"
    yield Proposal(label=label, kind=ProposalKind.SKELETON, written=written, rank="1")


def _item_written(place: CompletionPlace, pairs: Sequence[str], matched: str) -> ProposedEdit:
    cursor = place.cursor
    word = cursor.word
    if cursor.flow:
        # Of the braces of a snippet's own text only the closing one is special.
        whole = "{" + ", ".join(pairs) + "\\}"
        return ProposedEdit(
            start=word.start, end=word.end, text="{}", snippet=whole, matched=matched
        )
    column = cursor.column if place.item_column is None else place.item_column
    lead = "" if place.item_column is None else " " * (column - cursor.column) + "- "
    inner = " " * (column + len(lead.lstrip(" ")) - len(cursor.indent))
    return ProposedEdit(
        start=word.start,
        end=word.end,
        text=f"{lead}{matched if ':' in matched else matched + ': '}",
        snippet=literal(lead) + f"\n{inner}".join(pairs),
        matched=matched,
    )


def _values(place: CompletionPlace, lines: Sequence[str], offers: Offers) -> Iterator[Proposal]:
    leaf = place.leaf
    if leaf is None:
        return
    match leaf.kind:
        case ValueKind.WORD:
            yield from _words(place, leaf)
        case ValueKind.NEW_ID:
            yield from _simple(place, [offers.new_id()], ProposalKind.NAME)
        case ValueKind.SPECIFICATION:
            seen = specifications(lines, place.cursor.line)
            yield from _simple(place, seen, ProposalKind.NAME)
        case ValueKind.TOOL:
            yield from _simple(place, offers.tools, ProposalKind.NAME, quoted=True)
        case ValueKind.DATE:
            yield from _simple(place, [offers.now], ProposalKind.DATE, quoted=True)
        case ValueKind.TEXT | ValueKind.GLOB | ValueKind.FILE:
            return


def _words(place: CompletionPlace, leaf: LeafShape) -> Iterator[Proposal]:
    if place.ruled:
        return
    for index, (word, text) in enumerate(leaf.words.items()):
        written = write_value(place.cursor, ProposedValue(text=str(word), listed=place.listed))
        if written is not None:
            yield Proposal(
                label=str(word),
                kind=ProposalKind.WORD,
                written=written,
                rank=f"2{index:02}",
                about=TextName(leaf.table, leaf.key, str(word)) if text else None,
            )


def _simple(
    place: CompletionPlace, values: Iterable[str], kind: ProposalKind, *, quoted: bool = False
) -> Iterator[Proposal]:
    for index, text in enumerate(values):
        value = ProposedValue(text=text, quoted=quoted, listed=place.listed)
        written = write_value(place.cursor, value)
        if written is not None:
            yield Proposal(label=text, kind=kind, written=written, rank=f"2{index:04}")


def specifications(lines: Sequence[str], line: int) -> Sequence[str]:
    """Return the ids of specifications in a text, sorted, without those on the line `line`.

    Lines count from 0. Lines that are comments are left out.
    """
    found: set[str] = set()
    for number, text in enumerate(lines):
        if number == line or text.lstrip().startswith("#"):
            continue
        for each in _SPECIFICATION.finditer(line_body(text)):
            found.add(each["double"] or each["single"] or each["plain"])
    return sorted(found)
