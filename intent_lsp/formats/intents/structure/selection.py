"""Selection in an intents file: the ranges around an offset, from the smallest to the whole text.

Invariant: each range contains the one before it and is larger.
"""

from collections.abc import Iterator

from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.yaml.nodes import QUOTES, MappingNode, Scalar, SequenceNode, YamlNode


def enclosing(structure: IntentsStructure, offset: int) -> tuple[tuple[int, int], ...]:
    """Return the offsets of the ranges around `offset`, the smallest first and the text last.

    They are those of a value, of its item, its list, the pair of a key and the list, the intent,
    and so on. In a quoted value the smallest is the text between the quotes.
    """
    text = structure.text
    kept = [(0, len(text))]
    if structure.root is not None:
        for start, end in _around(structure, structure.root, offset):
            outer = kept[-1]
            inside = outer[0] <= start <= offset <= end <= outer[1]
            if inside and (start, end) != outer:
                kept.append((start, end))
    return tuple(reversed(kept))


def visible_end(text: str, node: YamlNode) -> int:
    """Return the end of a node without the white space at its end, which block text may have."""
    return max(node.start, node.start + len(text[node.start : node.end].rstrip()))


def _around(structure: IntentsStructure, node: YamlNode, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a node and of what is in it that contain `offset`, the largest first."""
    text = structure.text
    yield node.start, visible_end(text, node)
    match node:
        case SequenceNode():
            for start, item in _item_at(structure, node, offset):
                yield start, visible_end(text, item)
                yield from _around(structure, item, offset)
        case MappingNode():
            for key, value in node.pairs:
                if key.start <= offset <= max(key.end, value.end):
                    yield key.start, max(key.end, visible_end(text, value))
                    inner = key if offset <= key.end else value
                    yield from _around(structure, inner, offset)
                    return
        case Scalar() if node.style in QUOTES:
            yield node.start + 1, node.end - 1
        case _:
            return


def _item_at(
    structure: IntentsStructure, node: SequenceNode, offset: int
) -> Iterator[tuple[int, YamlNode]]:
    """Yield the one item of a list that contains `offset`, if any, with the start of its dash."""
    for item in node.items:
        if item.end < offset:
            continue
        start = item.start if node.flow else _dash(structure, item.start)
        if start <= offset:
            yield start, item
            return


def _dash(structure: IntentsStructure, start: int) -> int:
    """Return the offset of the dash of the item at `start`, or `start` if it is on another line."""
    text, line = structure.text, structure.places.line_start(start)
    dash = text.rfind("-", line, start)
    return dash if dash >= 0 and not text[line:dash].strip(" -") else start
