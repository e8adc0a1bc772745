"""Insertion into YAML collections, on new lines or in flow form, and joining of edits that touch.

Invariant: inserting an item keeps all existing text but white space, comments included.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from intent_lsp.core.findings import TextChange
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.nodes import MappingNode, SequenceNode, YamlNode

TextPart: TypeAlias = tuple[int, int]
"""Start and end offset of an item of a flow collection, in code points."""

TextEdit: TypeAlias = tuple[int, int, str]
"""Start and end offset of a change in code points, and the new text."""

_BREAKS = ("\n", "\r")
_TO_LINE_END = re.compile(r"[ \t]*(,?)[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
_CLOSED = re.compile(r"[ \t]*[\]}]")


def joined(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """Return the edits; an edit that starts where the one before it ends is joined to that one.

    The edits must be sorted by position, and stay so.
    """
    found: list[TextEdit] = []
    for start, end, new_text in edits:
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end, found[-1][2] + new_text)
        else:
            found.append((start, end, new_text))
    return found


def line_after(reading: YamlDocument, node: YamlNode) -> int:
    """Return the offset of the start of the line below a node's last line, or of the text's end."""
    # A block scalar (`|`, `>`) already ends at the start of the next line.
    if node.end > node.start and reading.text[node.end - 1 : node.end] in _BREAKS:
        return node.end
    return reading.places.next_line(node.end)


def lines_at(reading: YamlDocument, at: int, lines: Sequence[str], line_end: str) -> TextChange:
    """Return the change that inserts `lines` at the offset `at`.

    `at` is the start of a line or the end of the text. `lines` have no line ends; each is followed
    by `line_end`, or preceded if the text before `at` has no line end.
    """
    if at and reading.text[at - 1 : at] not in _BREAKS:
        return reading.change(at, at, "".join(line_end + line for line in lines))
    return reading.change(at, at, "".join(line + line_end for line in lines))


def value_put(reading: YamlDocument, node: YamlNode, spelled: str) -> TextChange:
    """Return the change that replaces the source of a node by `spelled`, which is YAML source.

    If the node is an empty value, `spelled` is set off from its neighbours by spaces.
    """
    if node.start == node.end:
        spelled = _apart(reading.text, node.start, spelled)
    return reading.change(node.start, node.end, spelled)


def first_in_flow(
    reading: YamlDocument, node: SequenceNode | MappingNode, spelled: str
) -> TextChange:
    """Return the change that puts `spelled` as the first item into an empty flow collection.

    `spelled` is YAML source. A comment inside the collection is kept, after the item.
    """
    start, end = node.start + 1, node.end - 1
    inner = reading.text[start:end]
    if not inner.strip(" \t"):
        return reading.change(start, end, spelled)
    return reading.change(start, start, spelled + ("" if inner[0].isspace() else " "))


def parts_after(
    reading: YamlDocument, parts: Sequence[TextPart], index: int, new: Sequence[str], line_end: str
) -> tuple[TextChange, ...]:
    """Return the changes that insert items into a flow collection, after the item at `index`.

    `parts` are the offsets of the existing items; `new` are the new items as YAML source. The new
    items get lines of their own if the item at `index` begins its line, and only a comma, a comment
    or the closing bracket follows it there.
    """
    start, end = parts[index]
    lead = reading.text[reading.places.line_start(start) : start]
    rest = _TO_LINE_END.match(reading.text, end)
    if lead.strip(" \t"):
        between = reading.text[parts[index - 1][1] : start] if index else ""
        apart = "," if between == "," else ", "
        return (reading.change(end, end, "".join(apart + each for each in new)),)
    if rest is None:
        apart = f",{line_end}{lead}" if _CLOSED.match(reading.text, end) else ", "
        return (reading.change(end, end, "".join(apart + each for each in new)),)
    following = reading.places.next_line(end)
    lines = lead + f",{line_end}{lead}".join(new) + rest.group(1) + line_end
    added = reading.change(following, following, lines)
    return (added,) if rest.group(1) else (reading.change(end, end, ","), added)


def pair_in_flow(
    reading: YamlDocument, table: MappingNode, after: YamlNode | None, pair: str, line_end: str
) -> tuple[TextChange, ...]:
    """Return the changes that insert `pair`, a key and its value as YAML source, into braces.

    `table` is the mapping in braces. The pair is inserted after the value `after` in it, or as the
    first one if `after` is None. `line_end` ends each line that is added.
    """
    if not table.pairs:
        return (first_in_flow(reading, table, pair),)
    if after is None:
        first = table.pairs[0][0]
        return (reading.change(first.start, first.start, f"{pair}, "),)
    parts = [(key.start, value.end) for key, value in table.pairs]
    index = next(at for at, (_, value) in enumerate(table.pairs) if value is after)
    return parts_after(reading, parts, index, [pair], line_end)


def _apart(text: str, at: int, spelled: str) -> str:
    """Return `spelled` with the spaces that separate it from its neighbours at the offset `at`."""
    before = "" if text[at - 1 : at] in (" ", "\t") else " "
    following = text[at : at + 1]
    return before + spelled + ("" if following in ("", " ", "\t", "\r", "\n", ",", "}") else " ")
