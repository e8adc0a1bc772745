"""Structure of an intents file: its entries, their fields and the items in them, with offsets.

Invariant: a text has a structure exactly if it is read as an intents file (requirements section 3).
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from intent_lsp.core.intents import Intent, Intents
from intent_lsp.core.scope.findings import PatternFinding
from intent_lsp.formats.intents.entry import ENTRY_KEYS, read_entry
from intent_lsp.formats.intents.entry_values import scope_of
from intent_lsp.formats.intents.intents_file import compose_intents
from intent_lsp.formats.intents.root import POINTERS, EntryNode
from intent_lsp.formats.text_positions import TextPositions
from intent_lsp.formats.yaml.document import YamlDocument, texts_of
from intent_lsp.formats.yaml.keys import Field, fields_of
from intent_lsp.formats.yaml.limits import YamlProblem
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode

_LISTS = frozenset({"related_files", "aliases", "recent_history"})
_PROSE = frozenset({"constraints", "acceptance_criteria"})


class FieldItem(Struct, frozen=True):
    """One item of a field: its start and end offset, and its text.

    It is a glob, a text of a list, or a sentence. Of a sentence that is a pair of a mapping, `text`
    is the source on one line.
    """

    start: int
    end: int
    text: str


class EntryField(Struct, frozen=True, kw_only=True):
    """One pair of an entry whose key is known: `name` is the usual spelling of `key`.

    `items` are the globs of `owned_scope`, the texts of a list, or the sentences of constraints or
    criteria in any form. Items outside `value`, behind a YAML alias, are left out. Any other field
    has no items.
    """

    name: str
    key: Scalar
    value: YamlNode
    items: tuple[FieldItem, ...] = ()


class StructuredEntry(Struct, frozen=True, kw_only=True):
    """One entry of an intents file, from offset `start` to `end`.

    `intent` is None if the entry is no mapping or has no usable id. `table` is the entry's mapping,
    or None if the entry is no mapping, or is an alias of another entry. `fields` are the pairs of
    `table` with known keys in order of position, and `keys` all its keys that are single values.
    `id_node` is the key or the value that holds the id. It is None if the entry has no id, or is an
    alias in a list.
    """

    start: int
    end: int
    intent: Intent | None
    id_node: YamlNode | None
    fields: tuple[EntryField, ...]
    keys: tuple[Scalar, ...]
    table: MappingNode | None


class IntentsStructure(Struct, frozen=True, kw_only=True):
    """The structure of one text of an intents file. Offsets count code points of `text`.

    `root` is None if the text has no value. `pointers` are the pairs of the root with a key such as
    `active_intent` and a single value, not null, whether or not an intent has that name. `keys` are
    the keys of the root, which are ids in a file of intents by id. Of several entries with one id,
    `intents` has the first.
    """

    text: str
    places: TextPositions
    root: YamlNode | None
    entries: tuple[StructuredEntry, ...]
    keys: tuple[Scalar, ...]
    pointers: tuple[tuple[Scalar, Scalar], ...]
    intents: Intents

    def entry_of(self, intent_id: str) -> StructuredEntry | None:
        """Return the entry of the intent with this id or alias, or None if there is none."""
        intent = self.intents.get(intent_id)
        return next((e for e in self.entries if intent is not None and e.intent is intent), None)


def read_structure(text: str) -> IntentsStructure | None:
    """Return the structure of a text, or None if it is not read as an intents file. Never raises.

    A byte order mark at the start is allowed.
    """
    made = compose_intents(text)
    if isinstance(made, YamlProblem):
        return None
    reading, node = made.reading, made.composed.root
    entries = tuple(_entry(reading, place) for place in made.entries)
    root = node.content if node else None
    pairs = root.pairs if isinstance(root, MappingNode) else ()
    return IntentsStructure(
        text=text,
        places=reading.places,
        root=node,
        entries=entries,
        keys=tuple(key for key, _ in pairs if isinstance(key, Scalar)),
        pointers=tuple(
            (key, value)
            for key, value in pairs
            if isinstance(key, Scalar) and key.value in POINTERS
            if isinstance(value, Scalar) and not value.null
        ),
        intents=_intents(entries),
    )


def _intents(entries: Sequence[StructuredEntry]) -> Intents:
    first: dict[str, Intent] = {}
    for entry in entries:
        if entry.intent is not None:
            first.setdefault(entry.intent.id, entry.intent)
    return Intents(tuple(first.values()))


def _entry(reading: YamlDocument, place: EntryNode) -> StructuredEntry:
    """Return one entry with its fields. An entry that is a YAML alias of another has none."""
    read = read_entry(reading, place, _no_findings)
    node, key = place.node, place.key
    table = node if isinstance(node, MappingNode) else None
    fields = {} if table is None else fields_of(reading, table, ENTRY_KEYS)
    id_node = key or (fields["id"].value if "id" in fields else None)
    items = (_field(reading, name, fields, id_node or node) for name in fields)
    return StructuredEntry(
        start=place.head.start,
        end=node.end,
        intent=None if read is None else read.intent,
        id_node=id_node,
        fields=tuple(sorted(items, key=lambda each: each.key.start)),
        keys=tuple(k for k, _ in (table.pairs if table else ()) if isinstance(k, Scalar)),
        table=table,
    )


def _no_findings(_: str) -> Sequence[PatternFinding]:
    return ()


def _field(
    reading: YamlDocument, name: str, fields: dict[str, Field], at_id: YamlNode
) -> EntryField:
    pair = fields[name]
    items: Iterator[FieldItem] = iter(())
    if name == "owned_scope":
        _, globs = scope_of(reading, fields, at_id, _no_findings)
        items = (FieldItem(node.start, node.end, glob) for node, glob in globs)
    elif name in _LISTS:
        texts = texts_of(reading, pair.value)
        items = (FieldItem(node.start, node.end, text) for node, text in texts)
    elif name in _PROSE:
        items = _sentences(reading, pair.value)
    own = (i for i in items if pair.value.start <= i.start and i.end <= pair.value.end)
    return EntryField(name=name, key=pair.key, value=pair.value, items=tuple(own))


def _sentences(reading: YamlDocument, node: YamlNode) -> Iterator[FieldItem]:
    """Yield the sentences of constraints or criteria: items of a list, pairs, or one value."""
    content = node.content
    if isinstance(content, SequenceNode):
        for item in content.items:
            inner = item.content
            if isinstance(inner, MappingNode):
                yield from _sentences(reading, item)
            elif isinstance(inner, Scalar) and not inner.null:
                yield FieldItem(item.start, item.end, inner.value.strip())
    elif isinstance(content, MappingNode):
        for key, value in content.pairs:
            end = max(key.end, value.end)
            yield FieldItem(key.start, end, " ".join(reading.text[key.start : end].split()))
    elif not content.null:
        yield FieldItem(node.start, node.end, content.value.strip())
