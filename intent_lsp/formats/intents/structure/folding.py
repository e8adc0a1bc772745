"""Folding and selection in an intents file: runs of lines, and the ranges around an offset.

Invariant: at most one run begins at a line, and a run has at least two lines.
Invariant: each range contains the one before it and is larger.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct

from intent_lsp.formats.intents.structure.entries import IntentsStructure
from intent_lsp.formats.intents.structure.outline import CarriedPlaces
from intent_lsp.formats.text_positions import LINE_END
from intent_lsp.formats.yaml.nodes import QUOTES, Alias, MappingNode, Scalar, SequenceNode, YamlNode

_COMMENT = re.compile(r"[ \t]*#")


class FoldedRun(Struct, frozen=True, order=True):
    """A run of lines that can be hidden below its first one, from line `first` to line `last`.

    Lines count from 0, and both ends are included. `comment`: the lines are comments.
    """

    first: int
    last: int
    comment: bool = False


def folded_runs(structure: IntentsStructure) -> tuple[FoldedRun, ...]:
    """Return the runs of lines that can be folded, in order.

    They are the items of lists, the pairs of mappings and the runs of comment lines that have at
    least two lines. Of runs that begin on the same line, only the longest is returned. The line of
    a closing bracket stays visible if nothing stands before the bracket.
    """
    texts: list[range] = []
    found: dict[int, FoldedRun] = {}
    runs = [] if structure.root is None else list(_runs(structure, structure.root, texts))
    for run in (*runs, *_comments(structure, texts)):
        known = found.get(run.first)
        if run.last > run.first and (known is None or run.last > known.last):
            found[run.first] = run
    return tuple(sorted(found.values()))


def carried_runs(runs: Iterable[FoldedRun], places: CarriedPlaces) -> Iterator[FoldedRun]:
    """Yield runs of a former text at their lines in a later one.

    A run whose first or last line is not carried is left out.
    """
    for run in runs:
        first, last = places.forward_line(run.first), places.forward_line(run.last)
        if first is not None and last is not None:
            yield FoldedRun(first, last, comment=run.comment)


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


def _runs(structure: IntentsStructure, node: YamlNode, texts: list[range]) -> Iterator[FoldedRun]:
    """Yield the lines of each list item and each pair in a node.

    The lines of each text on several lines are added to `texts`.
    """
    match node:
        case SequenceNode():
            for item in node.items:
                yield _run(structure, item.start, item)
                yield from _runs(structure, item, texts)
        case MappingNode():
            for key, value in node.pairs:
                yield _run(structure, key.start, value)
                yield from _runs(structure, value, texts)
        case Scalar():
            first, last = _lines(structure, node.start, node.end)
            if last > first:
                texts.append(range(first, last + 1))
        case Alias():
            return


def _run(structure: IntentsStructure, start: int, node: YamlNode) -> FoldedRun:
    text, end = structure.text, visible_end(structure.text, node)
    first, last = _lines(structure, start, end)
    if isinstance(node, SequenceNode | MappingNode) and node.flow:
        line = structure.places.line_start(end)
        last -= not text[line : end - 1].strip()
    return FoldedRun(first, last)


def _lines(structure: IntentsStructure, start: int, end: int) -> tuple[int, int]:
    place = structure.places.position
    return place(start).line, place(max(start, end)).line


def _comments(structure: IntentsStructure, texts: list[range]) -> Iterator[FoldedRun]:
    """Yield the runs of lines that are comments. A `#` in one of `texts` begins no comment."""
    inside = set[int]().union(*texts)
    lines = LINE_END.split(structure.text)
    comments = [
        number
        for number, line in enumerate(lines)
        if _COMMENT.match(line) is not None and number not in inside
    ]
    for _, run in groupby(enumerate(comments), key=lambda each: each[1] - each[0]):
        numbers = [number for _, number in run]
        yield FoldedRun(numbers[0], numbers[-1], comment=True)


def _around(structure: IntentsStructure, node: YamlNode, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a node and of its inner nodes around `offset`, the largest first.

    Not every range contains `offset`: the caller checks that.
    """
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
    """Return the offset of the dash of the item at `start`, or `start` if its line has no dash."""
    text, line = structure.text, structure.places.line_start(start)
    dash = text.rfind("-", line, start)
    return dash if dash >= 0 and not text[line:dash].strip(" -") else start
