"""Parses one entry of the intents file: its intent, and the spans of the intent's parts.

Invariant: an entry without a usable id is no intent. An entry with any other mistake is an intent.
Invariant: id, globs and dates are read as text, whatever type YAML gives them. A date that is a
single value is kept as it is written, whatever is wrong with it (requirements section 3.1).
"""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Fix, RelatedSpan, Span
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.core.written_dates import date_range, iso_date
from intent_lsp.formats.intents.entry_values import PatternFindings, prose_of, scope_of
from intent_lsp.formats.intents.root import EntryNode
from intent_lsp.formats.key_texts.intents_keys import ENTRY_TEXTS
from intent_lsp.formats.yaml.document import YamlDocument, text_of, texts_of
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, YamlNode, double_quoted

MAX_ID = 256
"""The most characters of an id."""

ENTRY_KEYS = MappingKeys(
    known=tuple(ENTRY_TEXTS),
    others={
        "intent_id": "id",
        "title": "name",
        "description": "name",
        "scope": "owned_scope",
        "requirement_id": "specification_id",
        "req_id": "specification_id",
        "spec_id": "specification_id",
    },
    quiet=frozenset({"intent_id", "title", "description", "requirement_id", "req_id", "spec_id"}),
)
STATUS_WORDS: Final[Mapping[str, Status]] = {
    **{status.value: status for status in Status},
    "PENDING": Status.PLANNED,
    "DRAFT": Status.PLANNED,
    "ACTIVE": Status.IN_PROGRESS,
    "COMPLETE": Status.COMPLETED,
    "DONE": Status.COMPLETED,
}
"""The words for a status, older ones included, in upper case."""

_T = TypeVar("_T")
_SEPARATORS = re.compile(r"[-_ ]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class IntentPlaces(Struct, frozen=True, kw_only=True):
    """The spans of an intent's parts in the intents file. A span is None if the part is missing.

    `owned_scope` is the span of the list of globs: of `paths` for `scope: {paths: [...]}`.
    """

    entry: Span
    id: Span
    name: Span | None
    status: Span | None
    owned_scope: Span | None
    globs: tuple[Span, ...]
    created_at: Span | None = None
    updated_at: Span | None = None


class EntryRead(Struct, frozen=True):
    """An intent and the spans of its parts in the text that it was read from."""

    intent: Intent
    places: IntentPlaces


def status_meant(value: str) -> Status | None:
    """Return the status that a word stands for, or None for an unknown word.

    Letter case and outer white space do not matter. Older words, such as `DONE`, are accepted.
    """
    return STATUS_WORDS.get(value.strip().upper())


def is_id(text: str) -> bool:
    """Return whether a text may be an id: 1 to `MAX_ID` characters, not white space alone.

    It may have no line end, no other control character and no lone surrogate.
    """
    return len(text) <= MAX_ID and bool(text.strip()) and _CONTROL.search(text) is None


def read_entry(
    reading: YamlDocument, place: EntryNode, pattern_findings: PatternFindings
) -> EntryRead | None:
    """Return an entry's intent with the spans of its parts, and add findings to `reading`.

    Add a finding and return None if the entry is not a mapping or has no usable id. `place` is
    where the entry stands, and `pattern_findings` returns the findings on a glob.
    """
    table = place.node.content
    if not isinstance(table, MappingNode):
        reading.wrong_type(place.node, "an intent (a mapping with an `id`)")
        return None
    fields = fields_of(reading, table, ENTRY_KEYS)
    found = _id_of(reading, place, table, fields)
    if found is None:
        return None
    scope, globs = scope_of(reading, fields, found[1], pattern_findings)
    values = _Values(reading, fields)
    intent = Intent(
        id=IntentId(found[0]),
        name=values.text("name") or "",
        status=_status_of(reading, fields),
        owned_scope=tuple(glob for _, glob in globs),
        constraints=values.read("constraints", prose_of) or (),
        acceptance_criteria=values.read("acceptance_criteria", prose_of) or (),
        related_files=values.texts("related_files"),
        recent_history=values.texts("recent_history"),
        aliases=values.texts("aliases"),
        specification=values.text("specification_id") or "",
        created_at=values.date("created_at"),
        updated_at=values.date("updated_at"),
    )
    places = IntentPlaces(
        entry=reading.places.span(place.head.start, place.node.end),
        id=reading.span(found[1]),
        name=values.span("name"),
        status=values.span("status"),
        owned_scope=reading.span(scope) if scope else None,
        globs=tuple(reading.span(item) for item, _ in globs),
        created_at=values.span("created_at"),
        updated_at=values.span("updated_at"),
    )
    _note_order(reading, intent, places)
    return EntryRead(intent, places)


class _Values(Struct, frozen=True):
    """Reads the values of one entry by key. A missing key gives None, or no texts."""

    reading: YamlDocument
    fields: dict[str, Field]

    def read(self, name: str, how: Callable[[YamlDocument, YamlNode], _T]) -> _T | None:
        found = self.fields.get(name)
        return how(self.reading, found.value) if found else None

    def text(self, name: str) -> str | None:
        return self.read(name, text_of)

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(text for _, text in self.read(name, texts_of) or ())

    def date(self, name: str) -> str | None:
        return self.read(name, partial(_date_of, name=name))

    def span(self, name: str) -> Span | None:
        return self.read(name, YamlDocument.span)


def _id_of(
    reading: YamlDocument, entry: EntryNode, table: MappingNode, fields: dict[str, Field]
) -> tuple[str, YamlNode] | None:
    """Return the id of an entry and the id's node, or add a finding and return None.

    None means that the entry has no usable id. `table` is the entry's mapping, and `fields` are its
    pairs by known key.
    """
    place = entry.key or (fields["id"].value if "id" in fields else None)
    text = text_of(reading, place) if place else None
    if place is None or (text is None and isinstance(place.content, Scalar)):
        first = table.pairs[0][0] if table.pairs else entry.node
        message = "this intent has no `id`, so it is ignored"
        reading.add(FileCode.MISSING_ID, message, place or first)
        return None
    if text is None:
        return None
    if not is_id(text):
        message = (
            f"an `id` must have 1 to {MAX_ID} characters on one line, not blanks alone and no"
            " control character, so this intent is ignored"
        )
        reading.add(FileCode.BAD_VALUE, message, place)
        return None
    return text, place


def _status_of(reading: YamlDocument, fields: dict[str, Field]) -> Status:
    """Return the status of an entry from its pairs. A missing or unknown status counts as PLANNED.

    An unknown status also gets a finding.
    """
    found = fields.get("status")
    text = text_of(reading, found.value) if found else None
    if found is None or text is None:
        return Status.PLANNED
    status = status_meant(text)
    if status is None:
        fixes = _status_fixes(reading, found.value, text)
        message = f"unknown status `{text}`, read as PLANNED; use one of {', '.join(Status)}"
        reading.add(FileCode.UNKNOWN_STATUS, message, found.value, fixes)
    return status or Status.PLANNED


def _status_fixes(reading: YamlDocument, node: YamlNode, text: str) -> tuple[Fix, ...]:
    """Return the fix, if there is one, that changes an unknown status to the nearest known one.

    `node` is the status, and `text` its value.
    """
    guess = _SEPARATORS.sub("_", text.strip()).upper()
    meant = status_meant(guess)
    if meant is not None:
        fix = reading.respell(node, meant.value, f"Change to `{meant.value}`")
        return (replace(fix, safe=True),)
    close = get_close_matches(guess, [status.value for status in Status], n=1, cutoff=0.7)
    return tuple(reading.respell(node, name, f"Change to `{name}`") for name in close)


def _date_of(reading: YamlDocument, node: YamlNode, name: str) -> str | None:
    """Return the value of the key `name` as it is written, or None for null.

    For a list or a mapping, add a finding and return None. For a text that is not empty, add a hint
    if it has no quotes, and a warning if it is no date or time of ISO 8601.
    """
    text = text_of(reading, node)
    if not text:
        return text
    if isinstance(node, Scalar) and not node.style:
        quote = reading.change(node.start, node.end, double_quoted(text))
        message = f"`{name}` is not quoted: other YAML parsers may not read it as text"
        reading.other_form(message, node, Fix("Quote it", (quote,)))
    if date_range(text) is None:
        meant = iso_date(text)
        change = reading.replaced(node, double_quoted(meant)) if meant else None
        fixes = (Fix(f"Change to `{meant}`", (change,)),) if change else ()
        message = (
            f"the value of `{name}` is no date or time of ISO 8601, such as 2026-02-16T12:00:00Z"
        )
        reading.add(FileCode.BAD_DATE, message, node, fixes)
    return text


def _note_order(reading: YamlDocument, intent: Intent, places: IntentPlaces) -> None:
    """Add a warning if an intent was updated before it was created.

    For a date without a time zone, this must hold whatever the zone is. Nothing is added if one of
    the two dates is missing or is no date of ISO 8601.
    """
    begun_at, ended_at = places.created_at, places.updated_at
    if not intent.created_at or not intent.updated_at or begun_at is None or ended_at is None:
        return
    first, last = date_range(intent.created_at), date_range(intent.updated_at)
    if first is not None and last is not None and last.last < first.first:
        message = f"`updated_at` is before `created_at`, which is {intent.created_at}"
        related = (RelatedSpan(span=begun_at, message="the intent was created then"),)
        reading.add(FileCode.BAD_DATE, message, ended_at, related=related)
