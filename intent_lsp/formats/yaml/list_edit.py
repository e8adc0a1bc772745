"""Edits of YAML lists: a new list, values appended, or values renewed with the newest first.

Invariant: values that stay keep their form, their order and the comments beside them.
Invariant: values added to a list are quoted like its last single value. They are in double quotes
if there is none, or if other YAML readers would not take them for text in that form.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from intent_lsp.core.findings import TextChange
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.insert import first_in_flow, joined, line_after, lines_at, parts_after
from intent_lsp.formats.yaml.nodes import (
    MappingNode,
    Scalar,
    SequenceNode,
    YamlNode,
    double_quoted,
    plain_allowed,
    spelled_like,
)

_DASH = re.compile(r" *-[ \t]+")
_COLON = re.compile(r"[ \t]*:")
_COMMA = re.compile(r"(?:\s|#[^\r\n]*+)*+,")
_INNER_STAR = re.compile(r"(?<=\S)\*")
# Plain values that other YAML readers take for a number, a date, a truth value or null.
_NO_TEXT = re.compile(
    r"[^A-Za-z_/.].*|\.(?:[^A-Za-z_/].*|inf|nan)?|y|n|yes|no|true|false|on|off|null",
    re.IGNORECASE | re.DOTALL,
)


def text_spelled(style: str, value: str) -> str:
    """Return a value as YAML source that every YAML reader takes for text.

    `style` is the wanted quote, or "" for none; a value that is unsafe in that style gets double
    quotes. A `*` inside a word counts as safe, so that globs can be without quotes like their
    neighbours.
    """
    plain = plain_allowed(_INNER_STAR.sub("x", value)) and _NO_TEXT.fullmatch(value) is None
    if not style:
        return value if plain else double_quoted(value)
    return spelled_like(style, value)


def list_lines(
    key: str, values: Sequence[str], style: str = '"', indent: int | None = None
) -> tuple[str, ...]:
    """Return the lines of YAML source for a key with a list of values, without line ends.

    `key` is YAML source. The list is a block list whose dashes are indented by `indent` columns. If
    `indent` is None or there are no values, it is in brackets on the key's line. `style` is the
    quote around the values, or "" for no quotes around values that are safe without.
    """
    if indent is None or not values:
        return (f"{key}: {flow_list(style, values)}",)
    return (f"{key}:", *(f"{' ' * indent}- {text_spelled(style, each)}" for each in values))


def flow_list(style: str, values: Sequence[str]) -> str:
    """Return values as a YAML list in brackets on one line. `style` is as in `list_lines`."""
    return f"[{', '.join(text_spelled(style, value) for value in values)}]"


def list_indent(reading: YamlDocument, table: MappingNode) -> int | None:
    """Return by how many columns a mapping's first block list is indented from its key.

    Return None if no value is a block list.
    """
    for key, value in table.pairs:
        if isinstance(value, SequenceNode) and not value.flow:
            inner = reading.places.position(value.start).character
            return max(0, inner - reading.places.position(key.start).character)
    return None


def values_appended(
    reading: YamlDocument, listing: SequenceNode, values: Sequence[str], line_end: str
) -> tuple[TextChange, ...]:
    """Return the changes that append `values` to a list.

    Each is quoted like the list's last single value, or in double quotes if the list has none or
    the value is not safe in that form.
    """
    spelled = _spelled(listing, values)
    if not listing.items:
        return (first_in_flow(reading, listing, ", ".join(spelled)),)
    last = listing.items[-1]
    if listing.flow:
        parts = [(item.start, item.end) for item in listing.items]
        return parts_after(reading, parts, len(parts) - 1, spelled, line_end)
    lead = item_lead(reading, listing, last)
    lines = [lead + each for each in spelled]
    return (lines_at(reading, line_after(reading, last), lines, line_end),)


def values_renewed(
    reading: YamlDocument, key: Scalar, listing: SequenceNode, values: Sequence[str], line_end: str
) -> tuple[TextChange, ...]:
    """Return the changes that make a non-empty list equal to `values`, which are newest first.

    `key` is the key of the list. New values are inserted at the top and old ones are removed from
    the end. If `values` is empty, the list becomes `[]`.
    """
    kept = _kept([_value(item) for item in listing.items], values)
    fresh = _spelled(listing, values[: len(values) - kept])
    renewal = _Renewal(reading, listing, fresh, kept, line_end)
    if listing.flow:
        return renewal.flow()
    if values:
        return renewal.block()
    colon = _COLON.match(reading.text, key.end)
    empty = [reading.change(colon.end(), colon.end(), " []")] if colon else []
    return (*empty, *renewal.block())


def item_lead(reading: YamlDocument, listing: SequenceNode, item: YamlNode) -> str:
    """Return the indent, dash and white space for a new item of a block list.

    They are those before `item` on its line. If anything else stands before `item` there, they are
    the list's indent, a dash and a space.
    """
    start = reading.places.line_start(item.start)
    lead = reading.text[start : item.start]
    indent = " " * reading.places.position(listing.start).character
    return lead if _DASH.fullmatch(lead) else f"{indent}- "


class _Renewal(Struct, frozen=True):
    """A change of a list: the values `fresh` come first, then the first `kept` items of the list.

    The other items are removed. `fresh` are values as YAML source.
    """

    reading: YamlDocument
    listing: SequenceNode
    fresh: Sequence[str]
    kept: int
    line_end: str

    def block(self) -> tuple[TextChange, ...]:
        """Return the changes to a block list: new lines above the first item, and lines removed."""
        reading, items = self.reading, self.listing.items
        removed = items[self.kept :]
        gone = joined((self._dash_line(item), line_after(reading, item), "") for item in removed)
        at = reading.places.line_start(self.listing.start)
        lead = item_lead(reading, self.listing, items[0])
        lines = "".join(lead + each + self.line_end for each in self.fresh)
        if self.kept or not lines:
            added = [reading.change(at, at, lines)] if lines else []
            return (*added, *(reading.change(*edit) for edit in gone))
        (start, end, _), *others = gone
        if end == len(reading.text) and reading.text[end - 1] not in "\r\n":
            lines = lines.removesuffix(self.line_end)
        return (reading.change(start, end, lines), *(reading.change(*edit) for edit in others))

    def flow(self) -> tuple[TextChange, ...]:
        """Return the changes to a flow list: new values before the first item, and items removed.

        The commas of removed items are removed too.
        """
        reading, listing = self.reading, self.listing
        if not self.kept and not self.fresh:
            return (reading.change(listing.start + 1, listing.end - 1, ""),)
        first = listing.items[0]
        line = reading.places.line_start(first.start)
        lead = reading.text[line : first.start]
        own = not lead.strip(" \t")
        apart = f",{self.line_end}{lead}" if own else ", "
        added = apart.join(self.fresh)
        pairs = pairwise(listing.items[max(self.kept, 1) - 1 :])
        gone = joined((*stretch, "") for pair in pairs for stretch in self._cut(*pair))
        cuts = [reading.change(*edit) for edit in gone]
        if not self.kept:
            return (reading.change(first.start, first.end, added), *cuts)
        at = first.start if own else _inner_start(reading.text, listing.start)
        return (*([reading.change(at, at, added + apart)] if added else []), *cuts)

    def _dash_line(self, item: YamlNode) -> int:
        """Return the offset of the start of the line with an item's dash.

        The dash may be on a line above the item itself.
        """
        reading = self.reading
        column = reading.places.position(self.listing.start).character
        line = reading.places.line_start(item.start)
        while (
            line > self.listing.start and reading.text[line : line + column + 1].strip(" ") != "-"
        ):
            line = reading.places.line_start(line - 1)
        return line

    def _cut(self, before: YamlNode, item: YamlNode) -> tuple[tuple[int, int], ...]:
        """Return the ranges (start and end offset) to remove so that `item` and its comma are gone.

        `before` is the item before it. A comment between the two is not removed.
        """
        text = self.reading.text
        comma = _COMMA.match(text, before.end)
        if comma is None or "#" not in text[before.end : item.start]:
            return ((before.end, item.end),)
        return ((comma.end() - 1, comma.end()), (item.start, item.end))


def _spelled(listing: SequenceNode, values: Sequence[str]) -> list[str]:
    """Return the values as YAML source, in the form in which `values_appended` appends them."""
    items = [item for item in listing.items if isinstance(item, Scalar)]
    style = items[-1].style if items else '"'
    return [text_spelled(style, value) for value in values]


def _inner_start(text: str, start: int) -> int:
    """Return the offset after the bracket at `start` and the spaces and tabs that follow it."""
    at = start + 1
    while text[at] in " \t":
        at += 1
    return at


def _value(item: YamlNode) -> str | None:
    """Return the text of a list's item; None if it is no single value, or empty without quotes."""
    content = item.content
    if isinstance(content, Scalar) and (content.value or content.style):
        return content.value
    return None


def _kept(old: Sequence[str | None], new: Sequence[str]) -> int:
    """Return the greatest n for which the first n values of `old` are the last n of `new`."""
    longest = min(len(old), len(new))
    return next(n for n in range(longest, -1, -1) if list(old[:n]) == list(new[len(new) - n :]))
