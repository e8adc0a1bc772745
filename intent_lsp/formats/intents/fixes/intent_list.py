"""Fixes that put the intents of a file into a list below its root key.

A bare list gets the root key; a mapping from id to entry becomes a list, and its keys become ids.

Invariant: nothing moves but the keys of entries, and pairs of the root that stand between entries.
No line is indented anew.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from intent_lsp.core.findings import Fix
from intent_lsp.formats.intents.fixes.comments import empty_between, has_properties
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.insert import TextEdit, joined, line_after
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, spelled_like

_Pair = tuple[YamlNode, YamlNode]


class _Entry(Struct, frozen=True):
    """An entry below its key, which is its id. `named`: it has a key `id` with that id, too."""

    key: Scalar
    table: MappingNode
    named: bool


def bare_list_fix(reading: YamlDocument, listing: SequenceNode, root_key: str) -> Fix | None:
    """Return the fix that puts a list, which is the root of its file, below the root key.

    Return None for a list that does not begin its line, or that has an anchor or a tag.
    """
    start = listing.start
    line = reading.places.line_start(start)
    if reading.text[line:start].strip(" ") or has_properties(reading, listing):
        return None
    title = f"Put the list below `{root_key}`"
    if listing.flow:
        first = next((item for item in listing.items if isinstance(item, MappingNode)), listing)
        head, tail = _flow_head(reading, listing, first.quote, root_key)
        return _fix(reading, title, [(start, start, head), (listing.end, listing.end, tail)])
    head = f"{root_key}:{line_end_of(reading.text)}"
    return _fix(reading, title, [(line, line, head)])


def entry_list_fix(reading: YamlDocument, table: MappingNode, root_key: str | None) -> Fix | None:
    """Return the fix that turns a mapping from id to entry into a list of entries.

    `root_key` is put above the list; None if the mapping is below the root key already. Pairs of
    the root that are no entries stay beside the list. Return None in these cases:
    - there is no entry,
    - a pair below the root key is no entry,
    - in braces, a pair that is no entry stands between entries,
    - an entry is an alias or has an `id` that is not its key,
    - the key of an entry is no single value or is block text,
    - outside braces, the key of an entry is not first on its line.
    """
    entries: list[_Entry] = []
    others: list[_Pair] = []
    for key, value in table.pairs:
        found = _entry(key, value)
        if found is not None:
            entries.append(found)
        elif root_key is None or isinstance(value.content, MappingNode):
            return None
        else:
            others.append((key, value))
    if not entries:
        return None
    if table.flow:
        changes = _flow_changes(reading, table, entries, others, root_key)
    else:
        changes = _block_changes(reading, entries, others, root_key)
    return None if changes is None else _fix(reading, "Make it a list of intents", changes)


def _entry(key: YamlNode, value: YamlNode) -> _Entry | None:
    """Return an entry below its key, or None if it is no mapping or has an `id` unlike the key.

    None also stands for an alias of a mapping, and for a key that is no single value or is block
    text.
    """
    if not isinstance(key, Scalar) or key.block or not isinstance(value, MappingNode):
        return None
    ids = [inner for name, inner in value.pairs if isinstance(name, Scalar) and name.value == "id"]
    if not ids:
        return _Entry(key, value, named=False)
    same = isinstance(ids[0], Scalar) and ids[0].value == key.value and not ids[0].null
    return _Entry(key, value, named=True) if same and len(ids) == 1 else None


def _block_changes(
    reading: YamlDocument, entries: Sequence[_Entry], others: Sequence[_Pair], root_key: str | None
) -> list[TextEdit] | None:
    text = reading.text
    changes: list[TextEdit] = []
    first = entries[0].key.start
    if root_key is not None:
        between = [pair for pair in others if first < pair[0].start < entries[-1].key.start]
        moved = [
            (reading.places.line_start(key.start), _line_after(reading, key, value))
            for key, value in between
        ]
        at = reading.places.line_start(first)
        head = "".join(text[start:end] for start, end in moved)
        changes.append((at, at, f"{head}{text[at:first]}{root_key}:{line_end_of(text)}"))
        changes += ((start, end, "") for start, end in moved)
    for entry in entries:
        made = _item(reading, entry)
        if made is None:
            return None
        changes += made
    return changes


def _line_after(reading: YamlDocument, key: YamlNode, value: YamlNode) -> int:
    """Return the offset of the line below a pair."""
    return line_after(reading, value if value.end > value.start else key)


def _item(reading: YamlDocument, entry: _Entry) -> list[TextEdit] | None:
    """Return the changes that make an entry of a block mapping an item of a block list.

    Return None if the entry's key is not at the start of its line, or no colon follows it.
    """
    text, key, table = reading.text, entry.key, entry.table
    lead = text[reading.places.line_start(key.start) : key.start]
    colon = text.find(":", key.end, table.start) + 1
    if lead.strip(" ") or not colon:
        return None
    if table.flow:
        dash = "-" if text[colon].isspace() else "- "
        return [(key.start, colon, dash), *_inner_id(entry, text)]
    wider = reading.places.position(table.start).character - len(lead)
    if entry.named:
        lifted = wider > 1 and not text[colon : table.start].strip()
        dash = "-" + " " * (wider - 1) if lifted else "-"
        return [(key.start, table.start if lifted else colon, dash)]
    own = f"id: {spelled_like(key.style, key.value)}"
    if wider > 1 and empty_between(text, colon, table.start):
        return [(key.start, colon, "-" + " " * (wider - 1) + own)]
    below = f"{own}{line_end_of(text)}{' ' * (len(lead) + wider)}"
    return [(key.start, colon, "-"), (table.start, table.start, below)]


def _flow_changes(
    reading: YamlDocument,
    table: MappingNode,
    entries: Sequence[_Entry],
    others: Sequence[_Pair],
    root_key: str | None,
) -> list[TextEdit] | None:
    text, first, last = reading.text, entries[0], entries[-1]
    if any(first.key.start < key.start < last.key.start for key, _ in others):
        return None
    changes: list[TextEdit] = []
    for entry in entries:
        colon = text.find(":", entry.key.end, entry.table.start) + 1
        if not colon:
            return None
        plain = not text[colon : entry.table.start].strip()
        changes.append((entry.key.start, entry.table.start if plain else colon, ""))
        changes += _inner_id(entry, text)
    if others and root_key is not None:
        opening = f"{spelled_like(table.quote, root_key)}: ["
        edges = [(first.key.start, first.key.start, opening), (last.table.end, last.table.end, "]")]
    else:
        head, tail = "", ""
        if root_key is not None:
            head, tail = _flow_head(reading, table, table.quote, root_key)
        edges = [(table.start, table.start + 1, f"{head}["), (table.end - 1, table.end, f"]{tail}")]
    return [edges[0], *changes, edges[1]]


def _inner_id(entry: _Entry, text: str) -> list[TextEdit]:
    """Return the change that puts an entry's key, as its id, first into its braces.

    The list is empty if the entry has that id inside already.
    """
    table, key = entry.table, entry.key
    if entry.named:
        return []
    at = table.start + 1
    quote = table.quote or (key.style if key.style == '"' else "")
    comma = ", " if table.pairs else ""
    if comma and text[at].isspace():
        comma = ","
    pair = f"{spelled_like(quote, 'id')}: {spelled_like(key.style, key.value)}{comma}"
    return [(at, at, pair)]


def _flow_head(reading: YamlDocument, node: YamlNode, quote: str, root_key: str) -> tuple[str, str]:
    """Return what has to stand before and after a root in flow form, to be below the root key.

    Braces are added where keys are quoted, since the text may be JSON. They are also added to a
    root on several lines, since other YAML readers want the lines below a key indented.
    """
    source = reading.source(node)
    key = spelled_like(quote, root_key)
    if quote or "\n" in source or "\r" in source:
        return f"{{{key}: ", "}"
    return f"{key}: ", ""


def _fix(reading: YamlDocument, title: str, changes: Iterable[TextEdit]) -> Fix:
    """Return a fix of these changes; those of which one ends where the next starts become one."""
    ordered = sorted((start, end, new) for start, end, new in changes if end > start or new)
    return Fix(title, tuple(reading.change(*change) for change in joined(ordered)))
