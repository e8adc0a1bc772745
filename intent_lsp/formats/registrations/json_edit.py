"""Edits of JSON texts: a member or an item added, replaced or removed, and all else kept.

Invariant: bytes outside of the edited part stay as they are: comments, order and white space.
Invariant: removing what was added restores the earlier text. The layout shows what was added: in an
existing empty object or array, a new part begins directly after the bracket; an object or array
that was added has its parts on lines of their own.
Invariant: the text after an edit is parsed again, and must have the value that the edit was to give
it. Else the edit is refused.
"""

import json
import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from intent_lsp.formats.registrations.jsonc import (
    JsonNode,
    JsonPart,
    JsonValue,
    UnreadableText,
    parse_jsonc,
    unreadable_at,
)
from intent_lsp.formats.text_positions import TextPositions, line_end_of

JsonPath: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead from the root to a value."""

BEHIND: Final = 1_000_000_000
"""An index behind the last item of any array, which appends."""

Edited: TypeAlias = str | UnreadableText

INDENT: Final = "  "
# Without backtracking, so that no part of a comment is taken for text outside of it.
_REST_OF_LINE = re.compile(
    r"[ \t]*+(,?+)[ \t]*+(?>(?>/\*[^\r\n]*?\*/)[ \t]*+)*+(?://[^\r\n]*+)?+(?=[\r\n])"
)
_COMMA = re.compile(r"(?>[ \t\r\n]++|//[^\r\n]*+|/\*.*?\*/)*+,", re.DOTALL)
_BLANK = re.compile(r"[ \t]*")
_AFTER_LINE = ("\r", "\n", "/", "")


def new_json(value: JsonValue) -> str:
    """Return the text of a new JSON file that holds `value`."""
    return json.dumps(value, indent=INDENT, ensure_ascii=False) + "\n"


def value_at(node: JsonNode, path: JsonPath) -> JsonNode | None:
    """Return the node to which `path` leads from `node`, or None if there is none."""
    for step in path:
        part = node.at(step)
        if part is None:
            return None
        node = part.node
    return node


def with_value(text: str, path: JsonPath, value: JsonValue) -> Edited:
    """Return a text in which the member or the item to which `path` leads has the value `value`.

    What is missing on the way is added, each part as the last of its object or array. An index
    behind the last one appends. Return UnreadableText if the text is not JSON, has a value of
    another kind on the way, or cannot be edited without touching other text.
    """
    tree = parse_jsonc(text)
    if isinstance(tree, UnreadableText):
        return tree
    node, known = tree, 0
    while known < len(path) and (part := node.at(path[known])) is not None:
        node, known = part.node, known + 1
    if known == len(path):
        made = _put(text, [(node.start, node.end, _shown(text, tree, node.start, value))])
    else:
        added = value
        for step in reversed(path[known + 1 :]):
            added = {step: added} if isinstance(step, str) else [added]
        kind = _kind_problem(text, node, path[known])
        if kind is not None:
            return kind
        made = _appended(text, tree, node, path[known], added)
    return _verified(made, value_with(tree.value, path, value))


def without(text: str, path: JsonPath) -> Edited | None:
    """Return a text without the member or item to which `path` leads.

    Objects and arrays that become empty by this go too, if they have the layout of added ones and
    hold no comment. If the root goes too, return None; but if comments stand outside of the root,
    return `{}` with these comments. If the text is not JSON, has no such part, or cannot be edited
    without touching other text, return an UnreadableText.
    """
    tree = parse_jsonc(text)
    if isinstance(tree, UnreadableText):
        return tree
    while path:
        node = value_at(tree, path[:-1])
        part = None if node is None else node.at(path[-1])
        if node is None or part is None:
            return UnreadableText(problem="the file does not have the entry of intent-lsp")
        if len(node.parts) > 1 or not _is_added(text, node):
            made = _put(text, _cuts(text, node, part))
            return _verified(made, value_without(tree.value, path))
        path = path[:-1]
    outside = (text[: tree.start] + text[tree.end :]).strip()
    return None if not outside else _verified(_put(text, [(tree.start, tree.end, "{}")]), {})


def value_with(value: JsonValue, path: JsonPath, new: JsonValue) -> JsonValue:
    """Return a copy of a value with `new` at `path`, and with missing objects and arrays added.

    A value of another kind on the way is replaced. An index behind the last one appends.
    """
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        held = value if isinstance(value, dict) else {}
        return {**held, step: value_with(held.get(step), rest, new)}
    items = value if isinstance(value, list) else []
    inner = value_with(items[step] if step < len(items) else None, rest, new)
    return [*items[:step], inner, *items[step + 1 :]]


def value_without(value: JsonValue, path: JsonPath) -> JsonValue:
    """Return a copy of a value without the member or item to which `path` leads.

    There must be one.
    """
    step, rest = path[0], path[1:]
    if isinstance(step, str) and isinstance(value, dict):
        inner = {} if not rest else {step: value_without(value[step], rest)}
        return {key: inner.get(key, each) for key, each in value.items() if key != step or rest}
    if isinstance(step, int) and isinstance(value, list):
        inner_items = [value_without(value[step], rest)] if rest else []
        return [*value[:step], *inner_items, *value[step + 1 :]]
    return value


def _appended(text: str, tree: JsonNode, node: JsonNode, step: str | int, value: JsonValue) -> str:
    """Return the text with `value` added as the last part of the object or array `node`.

    `tree` is the root node. `step` is the key of the new member, or an index for an array.
    """
    key = f"{json.dumps(step, ensure_ascii=False)}: " if isinstance(step, str) else ""
    if not node.parts:
        shown = key + _shown(text, tree, node.start, value)
        return _put(text, [(node.start + 1, node.start + 1, shown)])
    last = node.parts[-1]
    shown = key + _shown(text, tree, last.start, value)
    comma = _COMMA.match(text, last.end, node.end)
    lead = _lead(text, last)
    rest = _REST_OF_LINE.match(text, last.end)
    off_line = rest is None or rest.end() > node.end or (comma is not None and not rest.group(1))
    if lead is None or rest is None or off_line:
        if comma is not None:
            return _put(text, [(comma.end(), comma.end(), f" {shown},")])
        return _put(text, [(last.end, last.end, f", {shown}")])
    line = line_end_of(text) + lead + shown
    if rest.group(1):
        return _put(text, [(rest.end(), rest.end(), f"{line},")])
    return _put(text, [(last.end, last.end, ","), (rest.end(), rest.end(), line)])


def _cuts(text: str, node: JsonNode, part: JsonPart) -> list[tuple[int, int, str]]:
    """Return the changes that remove a part of `node`, its comma and the white space beside it.

    A change is (start, end, new text).
    """
    at = node.parts.index(part)
    comma = _COMMA.match(text, part.end, node.end)
    if comma is not None and not text[part.end : comma.end() - 1].strip():
        return [_stretch(text, part.start, comma.end())]
    cuts = [_stretch(text, part.start, part.end)]
    if comma is not None:
        return [*cuts, (comma.end() - 1, comma.end(), "")]
    before = _COMMA.match(text, node.parts[at - 1].end, node.end) if at else None
    if before is not None:
        cuts.insert(0, (before.end() - 1, before.end(), ""))
    return cuts


def _stretch(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return the change (start, end, "") that removes a part and the white space beside it.

    The part is between the offsets `start` and `end`, with or without the comma behind it. If its
    line has nothing else, or only a comment behind it, the line is removed, and the comment moves
    to the line above. Otherwise the blanks before the part are removed if other text begins its
    line. The blanks behind its comma are removed if the part begins its line, object or array.
    """
    line = TextPositions(text).line_start(start)
    lead = text[line:start]
    blank = _BLANK.match(text, end)
    after = end if blank is None else blank.end()
    if lead.strip(" \t"):
        begin = start - (len(lead) - len(lead.rstrip(" \t")))
        # The first of several leaves no blanks behind its bracket.
        leads = text[begin - 1] in "[{" and text[end - 1] == ","
        return begin, after if leads else end, ""
    if line and text[after : after + 1] in _AFTER_LINE:
        return line - (2 if text[line - 2 : line] == "\r\n" else 1), end, ""
    return start, after if text[end - 1] == "," else end, ""


def _is_added(text: str, node: JsonNode) -> bool:
    """Return whether an object or array with one part has the layout of one that was added.

    That is: white space before the part, and nothing but white space and at most one comma after.
    """
    part = node.parts[0]
    before, after = text[node.start + 1 : part.start], text[part.end : node.end - 1]
    return before != "" and not (before + after.replace(",", "", 1)).strip()


def _shown(text: str, tree: JsonNode, at: int, value: JsonValue) -> str:
    """Return `value` as JSON text for the offset `at`, with the indent of the line and of the file.

    `tree` is the root node.
    """
    places = TextPositions(text)
    line = text[places.line_start(at) : at]
    lead = line[: len(line) - len(line.lstrip(" \t"))]
    shown = json.dumps(value, indent=_indent(text, tree), ensure_ascii=False)
    return shown.replace("\n", line_end_of(text) + lead)


def _indent(text: str, tree: JsonNode) -> str:
    """Return the indent of a file: the white space before the root's first part.

    Return two spaces if the root has no parts, or if its first part does not begin an indented
    line.
    """
    return (_lead(text, tree.parts[0]) if tree.parts else None) or INDENT


def _lead(text: str, part: JsonPart) -> str | None:
    """Return the white space before a part if the part begins its line, else None."""
    before = text[TextPositions(text).line_start(part.start) : part.start]
    return before if not before.strip(" \t") else None


def _kind_problem(text: str, node: JsonNode, step: str | int) -> UnreadableText | None:
    """Return why no part can be added to a node, or None if the node is of the right kind.

    The right kind is an object if `step` is a key, and an array if it is an index.
    """
    wanted, name = (dict, "an object") if isinstance(step, str) else (list, "an array")
    if isinstance(node.value, wanted):
        return None
    return unreadable_at(text, node.start, f"{name} is expected here")


def _put(text: str, changes: Sequence[tuple[int, int, str]]) -> str:
    """Return the text with (start offset, end offset, new text) changes, which do not overlap."""
    pieces, at = [], 0
    for start, end, new in sorted(changes, key=lambda change: change[0]):
        pieces += [text[at:start], new]
        at = end
    return "".join(pieces) + text[at:]


def _verified(text: str, expected: JsonValue) -> Edited:
    tree = parse_jsonc(text)
    if isinstance(tree, JsonNode) and tree.value == expected:
        return text
    return UnreadableText(
        problem="the entry cannot be edited here without touching other text, so edit it by hand"
    )
