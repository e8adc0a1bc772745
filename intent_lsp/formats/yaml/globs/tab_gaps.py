"""Tabs between a dash and its item, which YAML 1.2 allows and the parser refuses.

Invariant: replacing a gap's tabs by blanks changes no position in the text.
"""

import re
from collections.abc import Iterator, Sequence

from intent_lsp.core.text import spliced
from intent_lsp.formats.yaml.nodes import MappingNode, SequenceNode, YamlNode

TabGap = tuple[int, int]
"""The offsets at which the white space between a dash and its item begins and ends."""

_GAP = re.compile(r"(?:\A|(?<=[\r\n])) *(?:- +)*-(?P<gap> *\t[ \t]*)(?P<item>[^ \t\r\n#][^\r\n]*)")
_PROPERTY = re.compile(r"([&!]\S*)\s*")
# A mapping that begins behind a tab is no YAML, since the columns of its keys are unknown.
_MAPPED = re.compile(r"([\"']?)[\w-]+\1 *:(?=[ \t]|\Z)")


def tab_gaps(text: str) -> Sequence[TabGap]:
    """Return, in order, the gaps with a tab after what looks like the dash of a list's item.

    Gaps before what looks like a key of a mapping are left out.
    """
    return [each.span("gap") for each in _GAP.finditer(text) if not _MAPPED.match(each["item"])]


def without_tabs(text: str, gaps: Sequence[TabGap]) -> str:
    """Return the text with blanks in place of the tabs in its gaps, which are in order."""
    return spliced(text, ((start, end, " " * (end - start)) for start, end in gaps))


def before_items(text: str, gaps: Sequence[TabGap], root: YamlNode | None) -> Sequence[TabGap]:
    """Return the gaps of a text that an item of a list follows; others may be in block text.

    An anchor and a tag may stand before the item. `root` is the root node of the text without the
    tabs of `gaps`, or None if it has no value.
    """
    starts = set(_item_starts(root))
    return [gap for gap in gaps if not starts.isdisjoint(_possible_starts(text, gap[1]))]


def _possible_starts(text: str, at: int) -> Iterator[int]:
    """Yield `at`, and the offsets behind and after each anchor or tag that stands there."""
    yield at
    while (found := _PROPERTY.match(text, at)) is not None:
        at = found.end()
        yield from (found.end(1), at)


def _item_starts(root: YamlNode | None) -> Iterator[int]:
    """Yield the offsets at which the items of all lists begin."""
    left = [] if root is None else [root]
    while left:
        node = left.pop()
        if isinstance(node, SequenceNode):
            yield from (item.start for item in node.items)
            left += node.items
        elif isinstance(node, MappingNode):
            left += (each for pair in node.pairs for each in pair)
