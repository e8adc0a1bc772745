"""Mentions of an intent in the intents file: its id, its aliases, and the pointers that name it.

Invariant: prose and comments are no mentions.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from intent_lsp.core.intents import Intent
from intent_lsp.formats.intents.entry import ENTRY_KEYS
from intent_lsp.formats.intents.structure.entries import IntentsStructure, StructuredEntry
from intent_lsp.formats.yaml.nodes import Scalar, SequenceNode, YamlNode, content_span


class MentionKind(StrEnum):
    """How a mention names its intent.

    DECLARATION is the id of the intent's entry. SAME_ID is that id where it stands once more: as
    the value of a further key of the entry, such as `intent_id`, or as the id of a later entry,
    which is not read. ALIAS is an item of the intent's `aliases`. POINTER is the value of a key
    beside the entries, such as `active_intent`.
    """

    DECLARATION = "declaration"
    SAME_ID = "same_id"
    ALIAS = "alias"
    POINTER = "pointer"


class IdMention(Struct, frozen=True):
    """One mention of an intent: the node that names it, by the id or alias `text`."""

    kind: MentionKind
    node: YamlNode
    text: str


class NamedIntent(Struct, frozen=True):
    """An intent, and the `mention` of it at some place."""

    intent: Intent
    mention: IdMention


def mentions_of(structure: IntentsStructure, intent: Intent) -> tuple[IdMention, ...]:
    """Return the mentions of one of the intents of a text, in order of position."""
    found = (
        *(each for entry in structure.entries for each in _in_entry(structure, entry, intent)),
        *_pointers(structure, intent),
    )
    return tuple(sorted(found, key=lambda mention: mention.node.start))


def named_at(structure: IntentsStructure, offset: int) -> NamedIntent | None:
    """Return the intent that is named at an offset, by an id, an alias or a pointer, or None.

    The mention contains the offset or ends at it.
    """
    names = [
        *(e.intent.id for e in structure.entries if e.intent and e.start <= offset <= e.end),
        *(value.value for _, value in structure.pointers if _contains(value, offset)),
    ]
    for intent in filter(None, map(structure.intents.get, names)):
        for mention in mentions_of(structure, intent):
            if _contains(mention.node, offset):
                return NamedIntent(intent, mention)
    return None


def inner_range(text: str, node: YamlNode) -> tuple[int, int]:
    """Return the start and end offset of a node of a text, without quotes."""
    start, end = content_span(text[node.start : node.end])
    return node.start + start, node.start + end


def _in_entry(
    structure: IntentsStructure, entry: StructuredEntry, intent: Intent
) -> Iterator[IdMention]:
    if entry.intent is None or entry.intent.id != intent.id:
        return
    own, node = entry.intent is intent, entry.id_node
    if node is not None:
        kind = MentionKind.DECLARATION if own else MentionKind.SAME_ID
        yield IdMention(kind, node, intent.id)
    for key, value in entry.table.pairs if own and entry.table else ():
        content = value.content
        if value is node or not isinstance(key, Scalar) or not isinstance(content, Scalar):
            continue
        if ENTRY_KEYS.meaning(key.value) == "id" and content.value == intent.id:
            yield IdMention(MentionKind.SAME_ID, value, intent.id)
    if own:
        yield from _aliases(structure, entry, intent)


def _aliases(
    structure: IntentsStructure, entry: StructuredEntry, intent: Intent
) -> Iterator[IdMention]:
    names = structure.intents.names(intent)
    for field in entry.fields:
        listed = field.value if field.name == "aliases" else None
        for item in listed.items if isinstance(listed, SequenceNode) else ():
            content = item.content
            if isinstance(content, Scalar) and content.value in names:
                yield IdMention(MentionKind.ALIAS, item, content.value)


def _pointers(structure: IntentsStructure, intent: Intent) -> Iterator[IdMention]:
    for _, value in structure.pointers:
        if structure.intents.get(value.value) is intent:
            yield IdMention(MentionKind.POINTER, value, value.value)


def _contains(node: YamlNode, offset: int) -> bool:
    return node.start <= offset <= node.end
