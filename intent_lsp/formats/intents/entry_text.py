"""One entry of the intents file, in the stretch of the text that holds it.

Invariant: places in an entry count from the first line of its stretch.
Invariant: where the file is cut into items, nothing but the entry's own item is composed.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import IntentId
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.intents_file import IntentsFile
from intent_lsp.formats.intents.root import EntryNode, entries_of
from intent_lsp.formats.text_positions import TextPositions, line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.insert import first_in_flow, line_after, lines_at, parts_after
from intent_lsp.formats.yaml.keys import Field, fields_of
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, YamlNode
from intent_lsp.formats.yaml.split import split_items
from intent_lsp.formats.yaml.unquoted_globs import INTENT_GLOBS, compose_with_globs, linked_anchors

_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryText:
    """An entry with its known keys, in the stretch of the text that starts at `line`.

    `line_end` is the terminator of its lines, else of the file's.
    """

    reading: YamlDocument
    table: MappingNode
    fields: dict[str, Field]
    line: int
    line_end: str

    @property
    def quote(self) -> str:
        """The quotes that a flow entry has around its keys; empty for none."""
        return quote_of(self.table) if self.table.flow else ""

    @property
    def column(self) -> int:
        """The column of the keys of a block entry."""
        return self.reading.places.position(self.table.pairs[0][0].start).character


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A part of the file that starts at `line`; `line_end` is how the file ends its lines."""

    text: str
    line: int
    linked: frozenset[str]
    line_end: str


def entry_of(text: str, file: IntentsFile, intent_id: IntentId) -> EntryText | None:
    """Find the entry of an intent that a file has; None when the entry is an alias."""
    places = TextPositions(text)
    start = places.offset(file.places[intent_id].entry.start)
    linked = linked_anchors(text)
    split = None if linked else split_items(text)
    item = bisect_right(split.starts, start) - 1 if split else -1
    whole = _Stretch(text=text, line=0, linked=linked, line_end=line_end_of(text))
    found: EntryText | None = None
    if split and item >= 0 and start < split.end:
        first = split.starts[item]
        piece = replace(whole, text=split.items(text)[item], line=places.position(first).line)
        found = _entry_in(piece, start - first)
    return found or _entry_in(whole, start)


def pair_put(
    entry: EntryText, after: YamlNode | None, lines: Sequence[str]
) -> tuple[TextChange, ...]:
    """Put a new pair behind the one with the value `after`, or before all others.

    `lines` start at the column of the keys; a flow entry takes the only one.
    """
    reading, table = entry.reading, entry.table
    if table.flow:
        return _flow_pair(entry, after, lines[0])
    if after is None:
        at = reading.places.line_start(table.start)
        indent = reading.text[at : table.start]
    else:
        at = line_after(reading, after)
        indent = " " * entry.column
    return (lines_at(reading, at, [indent + line for line in lines], entry.line_end),)


def quote_of(table: MappingNode) -> str:
    """Give the quotes around the first key of a mapping; empty for none."""
    key = table.pairs[0][0] if table.pairs else None
    return key.style if isinstance(key, Scalar) and key.style in _QUOTES else ""


def _entry_in(stretch: _Stretch, start: int) -> EntryText | None:
    """Find the entry that starts at an offset; None when the stretch has none of its own."""
    composed = compose_with_globs(stretch.text, INTENT_GLOBS, stretch.linked)
    if isinstance(composed, YamlProblem):
        return None
    reading = YamlDocument(stretch.text)
    for place in entries_of(reading, composed.root):
        if _start(place) == start and isinstance(place.node, MappingNode):
            fields = fields_of(reading, place.node, ENTRY_KEYS)
            return EntryText(
                reading=reading,
                table=place.node,
                fields=fields,
                line=stretch.line,
                line_end=line_end_of(stretch.text, stretch.line_end),
            )
    return None


def _start(place: EntryNode) -> int:
    return place.key.start if place.key else place.node.start


def _flow_pair(entry: EntryText, after: YamlNode | None, pair: str) -> tuple[TextChange, ...]:
    reading, table = entry.reading, entry.table
    if not table.pairs:
        return (first_in_flow(reading, table, pair),)
    if after is None:
        first = table.pairs[0][0]
        return (reading.change(first.start, first.start, f"{pair}, "),)
    parts = [(key.start, value.end) for key, value in table.pairs]
    index = next(at for at, (_, value) in enumerate(table.pairs) if value is after)
    return parts_after(reading, parts, index, [pair], entry.line_end)
