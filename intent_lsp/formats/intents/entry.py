"""Parses one entry of the intents file: its intent, and the spans of the intent's parts.

Invariant: an entry without a usable id is not an intent. An entry with any other mistake is one.
Invariant: id, globs and dates are read as text, whatever type YAML gives them.
"""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Fix, Span
from intent_lsp.core.intents import Intent, IntentId, Status
from intent_lsp.formats.intents.entry_dates import date_of, note_order
from intent_lsp.formats.intents.entry_values import PatternFindings, prose_of, scope_of
from intent_lsp.formats.yaml.document import YamlDocument, text_of, texts_of
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, YamlNode, content_of

MAX_ID = 256
"""The most characters of an id."""

ENTRY_KEYS = MappingKeys(
    known=(
        "id",
        "name",
        "status",
        "owned_scope",
        "constraints",
        "acceptance_criteria",
        "related_files",
        "recent_history",
        "aliases",
        "created_at",
        "updated_at",
        "specification_id",
    ),
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
    reading: YamlDocument, node: YamlNode, key: Scalar | None, pattern_findings: PatternFindings
) -> EntryRead | None:
    """Return the intent of an entry and the spans of its parts; add findings to `reading`.

    Add a finding and return None if the entry is not a mapping or has no usable id. `node` is the
    entry. `key` is its key, which is its id, if entries are in a mapping by id, else None.
    `pattern_findings` returns the findings on a glob.
    """
    table = content_of(node)
    if not isinstance(table, MappingNode):
        reading.wrong_type(node, "an intent (a mapping with an `id`)")
        return None
    fields = fields_of(reading, table, ENTRY_KEYS)
    found = _id_of(reading, node, key, fields)
    if found is None:
        return None
    scope, globs = scope_of(reading, fields, found[1], pattern_findings)
    values = _Values(reading, fields)
    intent = Intent(
        id=IntentId(found[0]),
        name=values.text("name") or "",
        status=_status_of(reading, fields),
        owned_scope=tuple(glob for _, glob in globs),
        constraints=values.prose("constraints"),
        acceptance_criteria=values.prose("acceptance_criteria"),
        related_files=values.texts("related_files"),
        recent_history=values.texts("recent_history"),
        aliases=values.texts("aliases"),
        specification=values.text("specification_id") or "",
        created_at=values.date("created_at"),
        updated_at=values.date("updated_at"),
    )
    places = IntentPlaces(
        entry=reading.places.span(key.start if key else node.start, node.end),
        id=reading.span(found[1]),
        name=values.span("name"),
        status=values.span("status"),
        owned_scope=reading.span(scope) if scope else None,
        globs=tuple(reading.span(item) for item, _ in globs),
        created_at=values.span("created_at"),
        updated_at=values.span("updated_at"),
    )
    note_order(
        reading, (intent.created_at, places.created_at), (intent.updated_at, places.updated_at)
    )
    return EntryRead(intent, places)


class _Values(Struct, frozen=True):
    """Reads the values of one entry by key, and adds findings on values in another form.

    A missing key or a null value gives None, or an empty tuple where a list is read.
    """

    reading: YamlDocument
    fields: dict[str, Field]

    def text(self, name: str) -> str | None:
        found = self.fields.get(name)
        return text_of(self.reading, found.value) if found else None

    def texts(self, name: str) -> tuple[str, ...]:
        found = self.fields.get(name)
        return tuple(text for _, text in texts_of(self.reading, found.value)) if found else ()

    def prose(self, name: str) -> tuple[str, ...]:
        found = self.fields.get(name)
        return prose_of(self.reading, found.value) if found else ()

    def date(self, name: str) -> str | None:
        found = self.fields.get(name)
        return date_of(self.reading, name, found.value) if found else None

    def span(self, name: str) -> Span | None:
        found = self.fields.get(name)
        return self.reading.span(found.value) if found else None


def _id_of(
    reading: YamlDocument, node: YamlNode, key: Scalar | None, fields: dict[str, Field]
) -> tuple[str, YamlNode] | None:
    """Return the id of the entry `node` and the id's node, or add a finding and return None.

    None means that the entry has no usable id. `key` is the entry's key if entries are in a mapping
    by id, and then holds the id; else it is None. `fields` are the entry's pairs by known key.
    """
    place = key or (fields["id"].value if "id" in fields else None)
    text = text_of(reading, place) if place else None
    if place is None or (text is None and isinstance(content_of(place), Scalar)):
        table = content_of(node)
        first = table.pairs[0][0] if isinstance(table, MappingNode) and table.pairs else node
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
