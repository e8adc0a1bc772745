"""Reading of constraints and criteria: a list, a string or a mapping becomes sentences.

Invariant: each pair of a mapping becomes the sentence `key: value`.
"""

from collections.abc import Iterator

from intent_lsp.core.findings import Fix, TextChange
from intent_lsp.formats.yaml.document import YamlDocument, listed
from intent_lsp.formats.yaml.nodes import (
    MappingNode,
    Scalar,
    SequenceNode,
    YamlNode,
    content_of,
    double_quoted,
)


def prose_of(reading: YamlDocument, node: YamlNode) -> tuple[str, ...]:
    """Return the sentences of a value in any form.

    A form other than a list of values gets a hint.
    """
    content = content_of(node)
    if isinstance(content, SequenceNode):
        return tuple(_items(reading, content))
    if isinstance(content, MappingNode):
        fix = _pairs_fix(reading, content) if content is node else None
        reading.other_form(
            "a list of texts is expected; this mapping is read as one, of `key: value` texts",
            node,
            fix,
        )
        return tuple(_pairs(reading, content))
    if content.null:
        return ()
    fixes = listed(reading, node)
    reading.other_form(
        "a list is expected; this value is read as a list of one item",
        node,
        fixes[0] if fixes else None,
    )
    return (content.value.strip(),)


def _items(reading: YamlDocument, listing: SequenceNode) -> Iterator[str]:
    """Yield the sentences of a list."""
    for item in listing.items:
        content = content_of(item)
        if isinstance(content, MappingNode):
            fix = _quote_fix(reading, content) if content is item else None
            reading.other_form(
                "a text is expected; this mapping is read as the text `key: value`", item, fix
            )
            yield from _pairs(reading, content)
        elif isinstance(content, Scalar) and not content.null:
            yield content.value.strip()
        else:
            reading.wrong_type(item, "one value")


def _pairs(reading: YamlDocument, table: MappingNode) -> Iterator[str]:
    """Yield the sentence of each pair of a mapping."""
    for key, value in table.pairs:
        yield f"{_words(reading, key)}: {_words(reading, value)}".rstrip(" :")


def _words(reading: YamlDocument, node: YamlNode) -> str:
    """Return a node's text on one line."""
    content = content_of(node)
    if isinstance(content, Scalar):
        return "" if content.null else content.value.strip()
    return " ".join(reading.source(content).split())


def _quote_fix(reading: YamlDocument, table: MappingNode) -> Fix | None:
    """Return the fix that quotes a list item which a colon made a mapping, or None."""
    if len(table.pairs) != 1 or not _on_one_line(reading, table):
        return None
    text = double_quoted(next(_pairs(reading, table)))
    return Fix("Quote it", (reading.change(table.start, table.end, text),))


def _pairs_fix(reading: YamlDocument, table: MappingNode) -> Fix | None:
    """Return the fix that turns a mapping into a list, or None if a pair is not on one line."""
    sentences = tuple(_pairs(reading, table))
    if table.flow:
        listed_pairs = "[" + ", ".join(double_quoted(text) for text in sentences) + "]"
        change = reading.change(table.start, table.end, listed_pairs)
        return Fix("Make it a list", (change,)) if _on_one_line(reading, table) else None
    changes: list[TextChange] = []
    for (key, value), text in zip(table.pairs, sentences, strict=True):
        if "\n" in reading.text[key.start : value.end] or isinstance(
            value, SequenceNode | MappingNode
        ):
            return None
        changes.append(reading.change(key.start, value.end, f"- {double_quoted(text)}"))
    return Fix("Make it a list", tuple(changes))


def _on_one_line(reading: YamlDocument, node: YamlNode) -> bool:
    source = reading.source(node)
    return "\n" not in source and "\r" not in source
