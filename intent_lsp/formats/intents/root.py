"""Finds the entries of the intents file, in each form that the root of the file may have.

Invariant: the forms are those of requirements section 3. A root in another form has no entries.
"""

from collections.abc import Iterator

from msgspec import Struct

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Fix
from intent_lsp.formats.intents.fixes.intent_list import bare_list_fix, entry_list_fix
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode

ROOT_KEY = "active_intents"
ROOT_KEYS = MappingKeys(known=(ROOT_KEY,), others={"intents": ROOT_KEY})
POINTERS = frozenset({"active_intent", "active_intent_id", "activeIntent", "activeIntentId"})
"""Keys that may name the selected intent. They are not taken for a misspelled `active_intents`."""


class EntryNode(Struct, frozen=True):
    """The node of an entry in the intents file.

    `key` is the entry's key, which is its id, in a mapping by id, or None in a list.
    """

    node: YamlNode
    key: Scalar | None = None

    @property
    def head(self) -> YamlNode:
        """The node that the entry begins with: its key, or else its node."""
        return self.key or self.node


def entries_of(reading: YamlDocument, root: YamlNode | None) -> tuple[EntryNode, ...]:
    """Return the entries of an intents file, whose root node is `root`; none if the root is None.

    Add findings on unusual forms, and on a root that can have no entries.
    """
    content = root.content if root else None
    if content is None or content.null:
        return ()
    if isinstance(content, SequenceNode):
        message = f"`{ROOT_KEY}` is missing; this list is read as its value"
        span = reading.places.span(content.start, content.start + 1)
        reading.other_form(message, span, bare_list_fix(reading, content, ROOT_KEY))
        return tuple(EntryNode(item) for item in content.items)
    if isinstance(content, Scalar):
        reading.wrong_type(content, f"a mapping with `{ROOT_KEY}`")
        return ()
    return _entries_of_table(reading, content)


def _entries_of_table(reading: YamlDocument, table: MappingNode) -> tuple[EntryNode, ...]:
    """Return the entries of a root that is a mapping."""
    if not any(_meant(key) for key, _ in table.pairs):
        by_id = tuple(_entries_by_id(table))
        if by_id:
            _note_by_id(reading, table, by_id, bare=True)
            return by_id
    found = fields_of(reading, _without_pointers(table), ROOT_KEYS).get(ROOT_KEY)
    if found is None:
        place = table.pairs[0][0] if table.pairs else table
        message = f"the key `{ROOT_KEY}` is missing, so this file has no intents"
        reading.add(FileCode.WRONG_TYPE, message, place)
        return ()
    return _entries_below(reading, found)


def _entries_below(reading: YamlDocument, found: Field) -> tuple[EntryNode, ...]:
    """Return the entries in the value of `found`, the key `active_intents` at the root."""
    value = found.value.content
    if isinstance(value, SequenceNode):
        return tuple(EntryNode(item) for item in value.items)
    if isinstance(value, MappingNode):
        by_id = tuple(_entries_by_id(value))
        _note_by_id(reading, value, by_id, bare=False)
        return by_id
    if not value.null:
        reading.wrong_type(found.value, "a list of intents")
    return ()


def _meant(key: YamlNode) -> bool:
    """Return whether a key is the root key or a known variant of it, such as `intents`."""
    return isinstance(key, Scalar) and ROOT_KEYS.meaning(key.value) is not None


def _without_pointers(table: MappingNode) -> MappingNode:
    """Return the mapping without keys that name the selected intent, such as `active_intent`.

    Such a key whose value is a list or a mapping is kept.
    """
    pairs = tuple(
        (key, value)
        for key, value in table.pairs
        if not (isinstance(key, Scalar) and key.value in POINTERS)
        or not isinstance(value.content, Scalar)
    )
    return MappingNode(start=table.start, end=table.end, pairs=pairs, flow=table.flow)


def _entries_by_id(table: MappingNode) -> Iterator[EntryNode]:
    """Yield the entries of a mapping from id to entry: the pairs whose value is a mapping.

    Of two such pairs with equal keys, only the first counts.
    """
    seen: set[str] = set()
    for key, value in table.pairs:
        if isinstance(key, Scalar) and isinstance(value.content, MappingNode):
            if key.value not in seen:
                yield EntryNode(value, key)
            seen.add(key.value)


def _note_by_id(
    reading: YamlDocument, table: MappingNode, entries: tuple[EntryNode, ...], *, bare: bool
) -> None:
    for key, value in table.pairs:
        if not isinstance(value.content, MappingNode) and not bare:
            reading.wrong_type(value if value.end > value.start else key, "an intent")
    if not table.pairs:
        fix = None
        if not table.anchored and "#" not in reading.source(table):
            change = reading.change(table.start, table.end, "[]")
            fix = Fix("Make it a list of intents", (change,))
        message = "a list of intents is expected; this empty mapping is read as an empty list"
        reading.other_form(message, table, fix)
    if entries:
        fix = entry_list_fix(reading, table, ROOT_KEY if bare else None)
        message = (
            "a list of intents is expected; this mapping from ids to intents is read as that list"
        )
        reading.other_form(message, entries[0].head, fix)
