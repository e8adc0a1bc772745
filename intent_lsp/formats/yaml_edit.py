"""The smallest edits of the intents file that the server makes itself.

Invariant: every character outside the changed values stays as it was (requirements section 3).
Invariant: an edit is given only when the edited text reads as the old one with that change.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.formats.intent_entry import ENTRY_KEYS
from intent_lsp.formats.intent_root import Place, entries_of
from intent_lsp.formats.intents_yaml import IntentsFile, IntentsReader
from intent_lsp.formats.text_places import Places, line_end_of, lowered_changes
from intent_lsp.formats.unquoted_globs import INTENT_GLOBS, linked_anchors
from intent_lsp.formats.yaml_globs import compose_with_globs
from intent_lsp.formats.yaml_keys import Field, fields_of
from intent_lsp.formats.yaml_limits import Problem
from intent_lsp.formats.yaml_nodes import Node, Scalar, Table
from intent_lsp.formats.yaml_reading import Reading
from intent_lsp.formats.yaml_spelling import spelled_like
from intent_lsp.formats.yaml_split import split_items

_BLOCK_STYLES = ("|", ">")


@dataclass(frozen=True, slots=True)
class EditRefused:
    """Why a text is not edited, as the end of a sentence."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stretch:
    """A part of the file that starts at `line`; `line_end` is how the file ends its lines."""

    text: str
    line: int
    linked: frozenset[str]
    line_end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """One entry in the stretch of the text that holds it, which starts at `line`.

    `line_end` is the terminator of its lines, else of the file's.
    """

    reading: Reading
    table: Table
    fields: dict[str, Field]
    line: int
    line_end: str


def set_status(
    text: str,
    intent_id: str,
    status: Status,
    updated_at: str,
    reader: IntentsReader | None = None,
) -> tuple[TextChange, ...] | EditRefused:
    """Set an intent's status, and `updated_at` where it stands; no change where it is set already.

    `text` is without its byte order mark. A `reader` that has read it saves reading it again. An
    absent status becomes a line after the name, or after the id where there is no name.
    """
    reading = reader or IntentsReader()
    before = reading.read(text)
    known = _known(before, intent_id)
    if isinstance(known, EditRefused) or known.status is status:
        return known if isinstance(known, EditRefused) else ()
    entry = _entry_of(text, before, known.id)
    if isinstance(entry, EditRefused):
        return entry
    stated = _status_change(entry, status)
    stamped = _stamp_changes(entry, updated_at)
    if isinstance(stated, EditRefused) or isinstance(stamped, EditRefused):
        return stated if isinstance(stated, EditRefused) else _refused(stamped)
    changes = lowered_changes(sorted((stated, *stamped), key=lambda it: it.span), entry.line)
    wanted = replace(known, status=status)
    if stamped:
        wanted = replace(wanted, updated_at=updated_at)
    after = reading.read(apply_changes(text, changes))
    if not after.parsed or after.intents != _with(before.intents, wanted):
        return EditRefused("the edited file would not read as it should")
    return changes


def apply_changes(text: str, changes: Sequence[TextChange]) -> str:
    """Apply changes that do not overlap, in order of position."""
    places = Places(text)
    parts: list[str] = []
    done = 0
    for change in changes:
        start, end = places.offset(change.span.start), places.offset(change.span.end)
        parts += (text[done:start], change.new_text)
        done = end
    return "".join((*parts, text[done:]))


def _refused(value: object) -> EditRefused:
    return value if isinstance(value, EditRefused) else EditRefused("it cannot be edited")


def _known(file: IntentsFile, intent_id: str) -> Intent | EditRefused:
    if not file.parsed:
        return EditRefused(f"the file does not parse: {file.findings[0].message}")
    for intent in file.intents:
        if intent.id == intent_id:
            return intent
    return EditRefused(f"there is no intent {intent_id} in the file")


def _with(intents: Intents, changed: Intent) -> Intents:
    return Intents(tuple(changed if each.id == changed.id else each for each in intents))


def _entry_of(text: str, file: IntentsFile, intent_id: IntentId) -> _Entry | EditRefused:
    places = Places(text)
    start = places.offset(file.places[intent_id].entry.start)
    linked = linked_anchors(text)
    split = None if linked else split_items(text)
    item = bisect_right(split.starts, start) - 1 if split else -1
    whole = _Stretch(text=text, line=0, linked=linked, line_end=line_end_of(text))
    found: _Entry | None = None
    if split and item >= 0 and start < split.end:
        first = split.starts[item]
        piece = replace(whole, text=split.items(text)[item], line=places.position(first).line)
        found = _entry_in(piece, start - first)
    found = found or _entry_in(whole, start)
    return found or EditRefused("the entry is an alias")


def _entry_in(stretch: _Stretch, start: int) -> _Entry | None:
    """Find the entry that starts at an offset; None when the stretch has none of its own."""
    composed = compose_with_globs(stretch.text, INTENT_GLOBS, stretch.linked)
    if isinstance(composed, Problem):
        return None
    reading = Reading(stretch.text)
    for place in entries_of(reading, composed.root):
        if _start(place) == start and isinstance(place.node, Table):
            fields = fields_of(reading, place.node, ENTRY_KEYS)
            return _Entry(
                reading=reading,
                table=place.node,
                fields=fields,
                line=stretch.line,
                line_end=line_end_of(stretch.text, stretch.line_end),
            )
    return None


def _start(place: Place) -> int:
    return place.key.start if place.key else place.node.start


def _status_change(entry: _Entry, status: Status) -> TextChange | EditRefused:
    found = entry.fields.get("status")
    if found is not None:
        return _value_change(entry, found, status.value)
    after = entry.fields.get("name") or entry.fields.get("id")
    if entry.table.flow:
        return _flow_insertion(entry, after, status.value)
    if after is None:
        return _first_line(entry, status.value)
    return _line_after(entry, after.value, status.value)


def _stamp_changes(entry: _Entry, updated_at: str) -> tuple[TextChange, ...] | EditRefused:
    found = entry.fields.get("updated_at")
    if found is None:
        return ()
    change = _value_change(entry, found, updated_at)
    return change if isinstance(change, EditRefused) else (change,)


def _value_change(entry: _Entry, found: Field, text: str) -> TextChange | EditRefused:
    node = found.value
    if not isinstance(node, Scalar):
        return EditRefused(f"`{found.key.value}` is spelled by an alias or is no single value")
    if node.anchored or node.style in _BLOCK_STYLES:
        return EditRefused(f"`{found.key.value}` is an anchor or a block of text")
    spelled = spelled_like(node.style, text)
    if node.start == node.end:
        spelled = _apart(entry.reading.text, node.start, spelled)
    return entry.reading.change(node.start, node.end, spelled)


def _apart(text: str, at: int, spelled: str) -> str:
    """Set a value apart from what stands before and after the empty place that it fills."""
    before = "" if text[:at].endswith((" ", "\t")) else " "
    following = text[at : at + 1]
    return before + spelled + ("" if following in ("", " ", "\t", "\r", "\n", ",", "}") else " ")


def _flow_insertion(entry: _Entry, after: Field | None, text: str) -> TextChange:
    """Put the pair behind the name, with the quotes that the other key and value have."""
    if after is None:
        first = entry.table.pairs[0][0]
        return entry.reading.change(first.start, first.start, f"status: {text}, ")
    quote = after.key.style if after.key.style in ("'", '"') else ""
    pair = f"{spelled_like(quote, 'status')}: {spelled_like(quote, text)}"
    return entry.reading.change(after.value.end, after.value.end, f", {pair}")


def _first_line(entry: _Entry, text: str) -> TextChange:
    """Put the line before the first key of an entry whose id stands elsewhere."""
    reading = entry.reading
    at = reading.places.line_start(entry.table.start)
    indent = reading.text[at : entry.table.start]
    return reading.change(at, at, f"{indent}status: {text}{entry.line_end}")


def _line_after(entry: _Entry, value: Node, text: str) -> TextChange:
    """Put the line after the one on which a value ends, indented like the entry's keys."""
    reading = entry.reading
    column = reading.places.position(entry.table.pairs[0][0].start).character
    last = value.end
    # A block of text ends at the start of the line after it.
    if last == value.start or not reading.text[:last].endswith(("\n", "\r")):
        last = reading.places.next_line(last)
    line = f"{' ' * column}status: {text}"
    if reading.text[:last].endswith(("\n", "\r")):
        return reading.change(last, last, line + entry.line_end)
    return reading.change(last, last, entry.line_end + line)
