"""Edits of one glob in a list, by its place alone: it is taken away, or others replace it.

Invariant: the rest of the list keeps its layout; a comment goes only with the line of its glob.
"""

import re
from collections.abc import Sequence

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position, Span, TextChange
from intent_lsp.formats.yaml.list_edit import text_spelled
from intent_lsp.formats.yaml.nodes import QUOTES

_DASH = re.compile(r"[ \t-]*-[ \t]+")
_ITEM_ALONE = re.compile(r"[ \t]*-[ \t]+")
_REST = re.compile(r"[ \t]*(?:#.*)?")
_COMMA_AFTER = re.compile(r"[ \t]*,[ \t]*")
_COMMA_BEFORE = re.compile(r",[ \t]*\Z")


def glob_change(lines: Sequence[str], place: Span, globs: Sequence[str]) -> TextChange | None:
    """Return the change that writes `globs` in the place of the glob at `place`.

    `lines` are those of the text, with their line ends. The globs are quoted like the one that they
    replace, or in double quotes where that is unsafe; without globs, it is taken away. Return None
    if the glob is no item of a list, or cannot be changed by its place alone.
    """
    if place.start.line != place.end.line or place.start.line >= len(lines):
        return None
    line = line_body(lines[place.start.line])
    before, after = line[: place.start.character], line[place.end.character :]
    if not globs:
        return _removed(place, before, after)
    source = line[place.start.character : place.end.character]
    style = source[:1] if source[:1] in QUOTES else ""
    spelled = [text_spelled(style, glob) for glob in globs]
    dash = _DASH.fullmatch(before)
    if dash is None:
        return TextChange(place, ", ".join(spelled)) if _in_brackets(before, after) else None
    if len(globs) > 1 and _ITEM_ALONE.fullmatch(before) is None:
        return None
    end = lines[place.start.line][len(line) :] or "\n"
    return TextChange(place, (end + before).join(spelled))


def _in_brackets(before: str, after: str) -> bool:
    """Return whether the texts around an item on its line show that its list is in brackets."""
    if before.strip():
        return before.rstrip().endswith(("[", ","))
    # The dash of a block list may be on the line above.
    return after.lstrip().startswith((",", "]"))


def _removed(place: Span, before: str, after: str) -> TextChange | None:
    """Return the change that takes a glob away, or None.

    `before` and `after` are the texts around the glob on its line. Return None if the glob is
    behind two dashes, or in brackets without a comma next to it on its line.
    """
    line, end = place.start.line, place.end.character
    if _ITEM_ALONE.fullmatch(before) and _REST.fullmatch(after):
        return TextChange(Span(Position(line, 0), Position(line + 1, 0)), "")
    if _DASH.fullmatch(before):
        return None
    if not before.strip() and _COMMA_AFTER.match(after) and _REST.fullmatch(after.strip()[1:]):
        return TextChange(Span(Position(line, 0), Position(line + 1, 0)), "")
    comma = _COMMA_AFTER.match(after)
    if comma is not None:
        return TextChange(Span(place.start, Position(line, end + comma.end())), "")
    comma = _COMMA_BEFORE.search(before)
    return None if comma is None else TextChange(Span(Position(line, comma.start()), place.end), "")
