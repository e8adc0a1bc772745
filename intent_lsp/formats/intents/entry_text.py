"""The text of an entry of the intents file: where an existing entry is edited, and new entries.

Invariant: every value of a new entry reads back as text in any YAML reader (requirements section
3).
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.findings import TextChange
from intent_lsp.core.intents import Intent, IntentId
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.intents_file import IntentsFile, compose_intents
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.insert import line_after, lines_at, pair_in_flow
from intent_lsp.formats.yaml.keys import Field, fields_of
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.list_edit import list_lines, text_spelled
from intent_lsp.formats.yaml.nodes import MappingNode, YamlNode, spelled_like

_LINE_AT_MOST = 100
_STEP = 2


class EntryText(Struct, frozen=True, kw_only=True):
    """An existing entry of the intents file: its mapping, and its pairs by known key (`fields`).

    `line_end` is the line end that the entry uses.
    """

    reading: YamlDocument
    table: MappingNode
    fields: dict[str, Field]
    line_end: str

    @property
    def quote(self) -> str:
        """The quote around the keys of a flow entry; "" if there is none, or for a block entry."""
        return self.table.quote if self.table.flow else ""

    @property
    def column(self) -> int:
        """The column of the keys of a block entry."""
        return self.reading.places.position(self.table.pairs[0][0].start).character


class EntryForm(Struct, frozen=True, kw_only=True):
    """How an entry is written: `inline` if on one line, and the `quote` around its keys or "".

    `lists` is the indent of its block lists below their keys, or None if its lists are on one line.
    """

    inline: bool = False
    quote: str = ""
    lists: int | None = None


def entry_of(text: str, file: IntentsFile, intent_id: IntentId) -> EntryText | None:
    """Return the entry of an intent in `text`, or None if the entry is a YAML alias.

    `file` is the result of reading `text`. It must have the intent.
    """
    made = compose_intents(text)
    if isinstance(made, YamlProblem):
        return None
    reading = made.reading
    start = reading.places.offset(file.places[intent_id].entry.start)
    for place in made.entries:
        if place.head.start == start and isinstance(place.node, MappingNode):
            fields = fields_of(reading, place.node, ENTRY_KEYS)
            line_end = line_end_of(text[start:], line_end_of(text))
            return EntryText(reading=reading, table=place.node, fields=fields, line_end=line_end)
    return None


def pair_put(
    entry: EntryText, after: YamlNode | None, lines: Sequence[str]
) -> tuple[TextChange, ...]:
    """Return the changes that insert a key with its value into an entry.

    The pair is inserted after the value `after`, or as the first one if `after` is None. `lines`
    are its lines without indent; for a flow entry there must be only one.
    """
    reading, table = entry.reading, entry.table
    if table.flow:
        return pair_in_flow(reading, table, after, lines[0], entry.line_end)
    if after is None:
        at = reading.places.line_start(table.start)
        indent = reading.text[at : table.start]
    else:
        at = line_after(reading, after)
        indent = " " * entry.column
    return (lines_at(reading, at, [indent + line for line in lines], entry.line_end),)


def entry_block(intent: Intent, form: EntryForm) -> tuple[str, ...]:
    """Return the lines of a new entry for an intent in block form, without indent.

    They are those of `entry_lines`, but if a list would make a line of more than 100 characters,
    all lists of the entry are block lists.
    """
    lines = entry_lines(intent, form)
    long = form.lists is None and any(
        len(line) > _LINE_AT_MOST and line.endswith("]") for line in lines
    )
    return entry_lines(intent, replace(form, lists=_STEP)) if long else lines


def entry_lines(intent: Intent, form: EntryForm) -> tuple[str, ...]:
    """Return the lines of a new entry for an intent, without indent. The first line holds the id.

    The fields are those that `intent_meant` keeps, without constraints, criteria, specification or
    creation date if the intent has none. White space around constraints and criteria is removed.
    """
    listed = {"constraints": intent.constraints, "acceptance_criteria": intent.acceptance_criteria}
    sentences = {key: tuple(map(str.strip, told)) for key, told in listed.items() if told}
    lists = {"owned_scope": intent.owned_scope, **sentences}
    quoted = form.quote or '"'
    others = {"specification_id": intent.specification or None, "created_at": intent.created_at}
    return (
        _line(form, "id", text_spelled(form.quote, intent.id)),
        _line(form, "name", text_spelled(form.quote, intent.name)),
        _line(form, "status", text_spelled(form.quote, intent.status.value)),
        *(
            line
            for key, values in lists.items()
            for line in list_lines(spelled_like(form.quote, key), values, quoted, form.lists)
        ),
        *(
            _line(form, key, text_spelled(quoted, told))
            for key, told in others.items()
            if told is not None
        ),
    )


def entry_inline(intent: Intent, form: EntryForm) -> str:
    """Return a new entry for an intent on one line, as a flow mapping.

    `form.lists` must be None, which puts lists on one line.
    """
    return "{" + ", ".join(entry_lines(intent, form)) + "}"


def intent_meant(intent: Intent) -> Intent:
    """Return the intent as it reads back from a new entry, to verify the entry.

    It has no related files, history, aliases or date of change, and no white space around
    constraints and criteria.
    """
    return Intent(
        id=intent.id,
        name=intent.name,
        status=intent.status,
        owned_scope=intent.owned_scope,
        constraints=tuple(map(str.strip, intent.constraints)),
        acceptance_criteria=tuple(map(str.strip, intent.acceptance_criteria)),
        specification=intent.specification,
        created_at=intent.created_at,
    )


def _line(form: EntryForm, key: str, value: str) -> str:
    return f"{spelled_like(form.quote, key)}: {value}"
