"""Comments inside a YAML node, and the anchor and tag before one: what an edit has to keep.

Invariant: a `#` inside a value is no comment.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.nodes import Alias, Scalar, YamlNode, nodes_in

_COMMENT = re.compile(r"#[^\r\n]*")
_HEADER = re.compile(r"[^\r\n]*")
_PROPERTIES = re.compile(r"(?:(?<=[\s\[{,:])|\A)(?:[&!]\S*[ \t]+)+\Z")
_NOTHING = re.compile(r"(?:\s|#[^\r\n]*)*")
_FLOW_GOES_ON = re.compile(r"(?:\s|#[^\r\n]*)*[,}\]]")


def comments_in(text: str, start: int, end: int, *nodes: YamlNode) -> tuple[str, ...]:
    """Return the comments between two offsets of a text, each from its `#` to the line's end.

    `nodes` are the nodes that lie between the offsets, in order. White space at a comment's end is
    left out.
    """
    found: list[str] = []
    at = start
    for value in _values(nodes):
        found += _COMMENT.findall(text, at, min(value.start, end))
        at = max(at, value.end)
        if isinstance(value, Scalar) and value.block:
            header = _HEADER.match(text, value.start, value.end)
            found += _COMMENT.findall(header.group()) if header else ()
    found += _COMMENT.findall(text, at, max(at, end))
    return tuple(comment.rstrip() for comment in found)


def without_comments(text: str, node: YamlNode) -> str:
    """Return the source of a node without the comments in it, and without white space around."""
    parts: list[str] = []
    at = node.start
    for value in _values((node,)):
        parts.append(_COMMENT.sub("", text[at : value.start]))
        parts.append(text[value.start : value.end])
        at = value.end
    parts.append(_COMMENT.sub("", text[at : node.end]))
    return "".join(parts).strip()


def properties_start(reading: YamlDocument, node: YamlNode) -> int:
    """Return the offset where a node begins, its anchor and tag included if on the same line."""
    line = reading.places.line_start(node.start)
    found = _PROPERTIES.search(reading.text[line : node.start])
    return node.start if found is None else line + found.start()


def has_properties(reading: YamlDocument, node: YamlNode) -> bool:
    """Return whether a node has an anchor or a tag, before it on its line or on a line above.

    A line above counts only if the node begins its line. It is the nearest one that is not blank,
    and must have no `#`.
    """
    if properties_start(reading, node) != node.start:
        return True
    text, line = reading.text, reading.places.line_start(node.start)
    if text[line : node.start].strip():
        return False
    last = ""
    while line and not last:
        end, line = line, reading.places.line_start(line - 1)
        last = text[line:end].strip()
    return "#" not in last and _PROPERTIES.search(last + " ") is not None


def empty_between(text: str, start: int, end: int) -> bool:
    """Return whether a text has only white space and comments between two offsets."""
    found = _NOTHING.match(text, start, end)
    return found is not None and found.end() == end


def in_flow(text: str, end: int) -> bool:
    """Return whether a value that ends at an offset is in a flow collection.

    Then `,`, `]` or `}` comes next, which never follows a value in a block collection.
    """
    return _FLOW_GOES_ON.match(text, end) is not None


def _values(nodes: Iterable[YamlNode]) -> Iterator[Scalar | Alias]:
    """Yield the single values and aliases in nodes, in the order of the text."""
    each_node = chain.from_iterable(map(nodes_in, nodes))
    return (node for node in each_node if isinstance(node, Scalar | Alias))
