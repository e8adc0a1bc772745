"""Outline of an intents file: its intents and their lists as symbols, carried to a later text.

Invariant: the name of a symbol is on one line and never empty, and lies within the symbol's range.
Invariant: a place on a line that differs is not carried. The only exception is the end of a span
that ends where the first such line begins.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.findings import Position, Span
from intent_lsp.core.line_diff import common_head, common_tail
from intent_lsp.core.text import on_one_line
from intent_lsp.formats.intents.structure.entries import (
    EntryField,
    FieldItem,
    IntentsStructure,
    StructuredEntry,
)

LONGEST = 120
"""The most characters of a symbol's name."""

NO_ID = "(no id)"
"""The name of an entry without a usable id."""

_LISTED = ("owned_scope", "constraints", "acceptance_criteria", "related_files")
_FILES = ("owned_scope", "related_files")


class OutlineKind(Enum):
    """What a symbol of the outline stands for. A FILE is a glob or a related file."""

    INTENT = auto()
    LIST = auto()
    FILE = auto()
    SENTENCE = auto()


class IntentsSymbol(Struct, frozen=True, kw_only=True):
    """One symbol of the outline. `named` is the span of its name, within `span`.

    `detail` is the status of an intent or the number of a list's items, else "".
    """

    name: str
    detail: str = ""
    kind: OutlineKind
    span: Span
    named: Span
    children: tuple["IntentsSymbol", ...] = ()


class CarriedPlaces:
    """Carries places from a text with the lines `former` to one with the lines `now`, and back.

    Only the lines before the first and after the last difference are carried.
    """

    def __init__(self, former: Sequence[str], now: Sequence[str]) -> None:
        former, now = list(former), list(now)
        self.same = former == now
        """Whether both texts are equal, so that every place is carried as it is."""
        self._head = common_head(former, now)
        tail = common_tail(former, now, self._head)
        self._former_tail, self._tail = len(former) - tail, len(now) - tail
        self._has_tail = tail > 0

    def forward(self, span: Span) -> Span | None:
        """Return a span of the former text in the later one, or None if an end is not carried."""
        start, end = self._forward(span.start), self._forward(span.end)
        # The start of the first line that differs is also the end of the last one that does not.
        if span.start.line < self._head and span.end == Position(self._head, 0):
            end = span.end
        return None if start is None or end is None else Span(start, end)

    def forward_line(self, line: int) -> int | None:
        """Return the number of a line of the former text in the later one, or None if it differs.

        Lines count from 0.
        """
        found = self._forward(Position(line, 0))
        return None if found is None else found.line

    def back(self, place: Position) -> Position | None:
        """Return a position of the later text in the former one, or None if it is not carried."""
        return self._moved(place, self._tail, self._former_tail)

    def _forward(self, place: Position) -> Position | None:
        return self._moved(place, self._former_tail, self._tail)

    def _moved(self, place: Position, tail: int, other_tail: int) -> Position | None:
        """Return a position in the other text, or None if it is not carried.

        `tail` is the line at which the equal end begins, and `other_tail` the same in the other
        text.
        """
        if self._has_tail and place.line >= tail:
            return Position(place.line - tail + other_tail, place.character)
        return place if self.same or place.line < self._head else None


def outlined(structure: IntentsStructure) -> tuple[IntentsSymbol, ...]:
    """Return a symbol for each entry, in order, with its lists and their items as children.

    The lists are those of globs, constraints, criteria and related files that have items.
    """
    return tuple(_intent(structure, entry) for entry in structure.entries)


def carried(symbols: Iterable[IntentsSymbol], places: CarriedPlaces) -> tuple[IntentsSymbol, ...]:
    """Return symbols of a former text at their places in a later one.

    A symbol whose range is not carried is left out, with its children. If its name alone is not
    carried, the name is taken to be at the start of the symbol.
    """
    found = []
    for symbol in symbols:
        span = places.forward(symbol.span)
        if span is not None:
            named = places.forward(symbol.named) or Span(span.start, span.start)
            children = carried(symbol.children, places)
            found.append(replace(symbol, span=span, named=named, children=children))
    return tuple(found)


def _intent(structure: IntentsStructure, entry: StructuredEntry) -> IntentsSymbol:
    intent, node = entry.intent, entry.id_node
    name, detail = NO_ID, ""
    if intent is not None:
        name = f"{intent.id}: {intent.name}" if intent.name.strip() else intent.id
        detail = intent.status.value
    inside = node is not None and entry.start <= node.start and node.end <= entry.end
    span = structure.places.span(entry.start, entry.end)
    return IntentsSymbol(
        name=_named(name, NO_ID),
        detail=detail,
        kind=OutlineKind.INTENT,
        span=span,
        named=structure.places.span(node.start, node.end)
        if node and inside
        else Span(*[span.start] * 2),
        children=tuple(_lists(structure, entry)),
    )


def _lists(structure: IntentsStructure, entry: StructuredEntry) -> Iterator[IntentsSymbol]:
    for field in entry.fields:
        if field.name in _LISTED and field.items:
            yield IntentsSymbol(
                name=field.name,
                detail=str(len(field.items)),
                kind=OutlineKind.LIST,
                span=structure.places.span(field.key.start, max(field.key.end, field.value.end)),
                named=structure.places.span(field.key.start, field.key.end),
                children=tuple(_item(structure, field, item) for item in field.items),
            )


def _item(structure: IntentsStructure, field: EntryField, item: FieldItem) -> IntentsSymbol:
    span = structure.places.span(item.start, item.end)
    kind = OutlineKind.FILE if field.name in _FILES else OutlineKind.SENTENCE
    return IntentsSymbol(name=_named(item.text, '""'), kind=kind, span=span, named=span)


def _named(text: str, otherwise: str) -> str:
    return on_one_line(text, LONGEST).strip() or otherwise
