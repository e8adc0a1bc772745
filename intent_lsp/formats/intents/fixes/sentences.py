"""Fixes that make a value a list of sentences: one text, a mapping, or mappings in a list.

Invariant: a pair of a mapping becomes the sentence `key: value`, or `key` if it has no value. No
comment is lost.
"""

from collections.abc import Iterator

from intent_lsp.core.findings import Fix, TextChange
from intent_lsp.formats.intents.fixes.comments import (
    comments_in,
    has_properties,
    in_flow,
    properties_start,
    without_comments,
)
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.list_edit import item_lead
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, double_quoted

_TITLE = "Make the value a list"
_BREAKS = ("\n", "\r")


def pair_sentences(reading: YamlDocument, table: MappingNode) -> Iterator[str]:
    """Yield the sentence `key: value` for each pair of a mapping.

    It is the key alone if the pair has no value.
    """
    for pair in table.pairs:
        yield _sentence(reading, pair)


def one_text_fix(reading: YamlDocument, node: YamlNode) -> Fix | None:
    """Return the fix that makes a single value, or an alias of one, a list with that value.

    The value is put into brackets where it stands. But a value on several lines becomes the item of
    a block list, unless it is inside brackets or braces. Return None if a block list has no place
    there.
    """
    start = properties_start(reading, node)
    several = any(each in reading.source(node) for each in _BREAKS)
    if several and not in_flow(reading.text, node.end):
        change = _dash_change(reading, start)
        return None if change is None else Fix(_TITLE, (change,))
    if several or not isinstance(node, Scalar):
        inner = reading.text[start : node.end]
    else:
        quoted = node.style and not node.block
        text = reading.source(node) if quoted else double_quoted(node.value)
        inner = reading.text[start : node.start] + text
    return Fix(_TITLE, (reading.change(start, node.end, f"[{inner}]"),))


def mapping_fix(reading: YamlDocument, table: MappingNode) -> Fix | None:
    """Return the fix that turns a mapping into a list of its `key: value` sentences.

    Return None if the mapping has a tag or an anchor, or if in a block mapping a `?`, a tag or an
    anchor stands before a key.
    """
    if has_properties(reading, table) or not _plain_keys(reading, table):
        return None
    dash = "" if table.flow else "- "
    changes = [_pair_change(reading, pair, dash=dash) for pair in table.pairs]
    if table.flow:
        changes.insert(0, reading.change(table.start, table.start + 1, "["))
        changes.append(reading.change(table.end - 1, table.end, "]"))
    return Fix(_TITLE, tuple(changes))


def item_fix(reading: YamlDocument, listing: SequenceNode, item: YamlNode) -> Fix | None:
    """Return the fix that replaces a mapping in a list by one text `key: value` for each pair.

    `item` is the mapping, or an alias of one. Each text becomes an item of `listing`.
    Return None if the mapping has no pairs, if `item` itself has a tag or an anchor, or if in a
    block mapping a `?`, a tag or an anchor stands before a key.
    """
    table = item.content
    if not isinstance(table, MappingNode) or not table.pairs or item.start == item.end:
        return None
    if has_properties(reading, item) or not _plain_keys(reading, table):
        return None
    title = "Quote it" if len(table.pairs) == 1 else "Make each pair an item"
    if item is table and not table.flow:
        return Fix(title, tuple(_item_lines(reading, listing, table)))
    notes = comments_in(reading.text, item.start, item.end, item)
    texts = [double_quoted(text) for text in pair_sentences(reading, table)]
    if listing.flow:
        new = _noted(reading, notes, item.start) + ", ".join(texts)
    else:
        apart = line_end_of(reading.text) + item_lead(reading, listing, item)
        # A comment would end the line that it is on, so it comes before the last item.
        texts[-1] = _noted(reading, notes, item.start) + texts[-1]
        new = apart.join(texts)
    return Fix(title, (reading.change(item.start, item.end, new),))


def _plain_keys(reading: YamlDocument, table: MappingNode) -> bool:
    """Return whether each key of a block mapping stands first on its line, or behind a dash.

    Return True for a flow mapping.
    """
    if table.flow:
        return True
    starts = (key.start for key, _ in table.pairs)
    leads = (reading.text[reading.places.line_start(start) : start] for start in starts)
    return all(not lead.strip(" -") for lead in leads)


def _item_lines(
    reading: YamlDocument, listing: SequenceNode, table: MappingNode
) -> Iterator[TextChange]:
    """Yield the changes that replace the item `table` of a block list by an item for each pair.

    `table` is a block mapping, and `listing` is the list.
    """
    first, *others = table.pairs
    yield _pair_change(reading, first)
    lead = item_lead(reading, listing, table)
    for pair in others:
        at = reading.places.line_start(pair[0].start)
        indent = reading.text[at : pair[0].start]
        yield _pair_change(reading, pair, lead=lead, before=len(indent))


def _pair_change(
    reading: YamlDocument,
    pair: tuple[YamlNode, YamlNode],
    *,
    lead: str = "",
    dash: str = "",
    before: int = 0,
) -> TextChange:
    """Return the change of a pair to its sentence in quotes.

    The new text is `lead`, the comments inside the pair on lines of their own, `dash` and the
    sentence. It also replaces the `before` characters before the pair.
    """
    key, value = pair
    end = key.start + len(reading.text[key.start : max(key.end, value.end)].rstrip())
    notes = comments_in(reading.text, key.start, end, key, value)
    spelled = dash + double_quoted(_sentence(reading, pair))
    new = lead + _noted(reading, notes, key.start) + spelled
    return reading.change(key.start - before, end, new)


def _noted(reading: YamlDocument, notes: tuple[str, ...], at: int) -> str:
    """Return comments as lines that come before what is at the offset `at`, in its column."""
    if not notes:
        return ""
    apart = line_end_of(reading.text) + " " * reading.places.position(at).character
    space = "" if reading.text[at - 1 : at].isspace() else " "
    return space + apart.join((*notes, ""))


def _dash_change(reading: YamlDocument, start: int) -> TextChange | None:
    """Return the change that makes the value at an offset the item of a block list.

    The value is in a block mapping, on the line of its key or on a line of its own. Return None if
    there is no place for a dash.
    """
    text = reading.text
    line = reading.places.line_start(start)
    before = text[line:start]
    if not before.strip(" "):
        # The value stays in its column, since the lines below it are indented like it.
        return reading.change(start - 2, start, "- ") if len(before) > 1 else None
    kept = before.rstrip(" \t")
    if not kept.endswith(":"):
        return None
    indent = " " * (len(kept) - len(kept.lstrip(" -")))
    return reading.change(line + len(kept), start, f"{line_end_of(text)}{indent}- ")


def _sentence(reading: YamlDocument, pair: tuple[YamlNode, YamlNode]) -> str:
    key, value = _words(reading, pair[0]), _words(reading, pair[1])
    return f"{key}: {value}" if value else key


def _words(reading: YamlDocument, node: YamlNode) -> str:
    """Return a node's text: a single value, or a list or a mapping on one line as it is written."""
    content = node.content
    if isinstance(content, Scalar):
        return "" if content.null else content.value.strip()
    return " ".join(without_comments(reading.text, content).split())
