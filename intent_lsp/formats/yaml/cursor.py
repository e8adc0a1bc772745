"""Finds what a YAML text has at a cursor while it is being typed, from the lines around it.

Invariant: no text and no position makes it raise, and the text need not parse.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position
from intent_lsp.formats.yaml.cursor_lines import (
    content_below,
    fits_root,
    fitting,
    in_quoted_text,
    key_above,
    keys_beside,
    quote_goes_on,
)
from intent_lsp.formats.yaml.cursor_place import ITEM, Beginning, CursorWord, Step, YamlCursor
from intent_lsp.formats.yaml.flow_cursor import FlowStart, flow_cursor, is_closed, is_open
from intent_lsp.formats.yaml.limits import MAX_NESTING
from intent_lsp.formats.yaml.line_parts import LineParts, line_parts, past_properties, word_at

_MARK = "\ufeff"
_COLON = re.compile(r":(?=[ \t]|\Z)")
_FLOW_STARTS = ('"', "'", "[", "]", "{", "}")


class _Ancestor(Struct, frozen=True):
    """A line above the cursor with keys or items that the cursor's node is in.

    `steps` are those keys and items, outermost first. A line that is only indented less has no
    steps.
    """

    line: int
    parts: LineParts
    steps: tuple[Step, ...]


def cursor_at(lines: Sequence[str], place: Position) -> YamlCursor | None:
    """Return what is at a cursor, or None if nothing can be completed there.

    That is so in comments, block text, anchors and tags, deeper than MAX_NESTING levels, outside of
    the text, and where something new would not fit the text around it. `lines` keep their line
    ends. A character beyond the end of its line counts as its end.
    """
    if not 0 <= place.line <= len(lines) or place.character < 0:
        return None
    if lines and lines[0].startswith(_MARK):
        first = place.line == 0
        moved = Position(0, max(place.character - 1, 0)) if first else place
        found = cursor_at([lines[0][1:], *lines[1:]], moved)
        if found is None or not first:
            return found
        # The word counts the mark as a column; the cursor's own `column` does not.
        return replace(found, word=replace(found.word, start=found.word.start + 1))
    text = line_body(lines[place.line]) if place.line < len(lines) else ""
    return _Reading(lines, Position(place.line, min(place.character, len(text))), text).cursor()


class _Reading:
    """The lines around one cursor while they are read. `text` is the cursor's line."""

    def __init__(self, lines: Sequence[str], place: Position, text: str) -> None:
        self._lines, self._place, self._text = lines, place, text
        parts = line_parts(text)
        if not text[parts.body :].strip() and place.character >= parts.indent:
            # Between and behind the dashes of an empty line the column is the cursor's own.
            behind = parts.dashes[-1] + 2 if parts.dashes else parts.indent
            parts = replace(parts, body=max(place.character, behind))
        self._parts = parts

    def cursor(self) -> YamlCursor | None:
        parts, at = self._parts, self._place.character
        blank = parts.blank and not parts.dashes
        column = parts.dashes[0] if parts.dashes else at if blank else parts.indent
        above = tuple(self._ancestors(column, dashed=bool(parts.dashes)))
        if len(above) > MAX_NESTING:
            return None
        start = self._flow_above(above, column)
        if start is not None:
            return flow_cursor(self._lines, start, self._place)
        if self._bracket_above is not None:
            return None
        if at < parts.body or (above and not self._may_hold(above[-1], column)):
            return None
        path = tuple(step for each in above for step in each.steps)
        found = self._on_line((*path, *(ITEM for _ in parts.dashes)))
        return found if found is None or found.flow else self._fitting(found, above)

    def _fitting(self, found: YamlCursor, above: Sequence[_Ancestor]) -> YamlCursor | None:
        """Return `found`, which is outside of brackets, completed by `fitting`.

        Return None if the lines around it leave no room.
        """
        lines, line = self._lines, self._place.line
        if quote_goes_on(lines, line, found.word) or in_quoted_text(lines, line):
            return None
        at_root = found.beginning is Beginning.LINE and not above
        if at_root and not fits_root(lines, line, found.column):
            return None
        return fitting(found, content_below(lines, line), self._parts, _parent_column(above))

    def _on_line(self, path: tuple[Step, ...]) -> YamlCursor | None:
        """Return what is at the cursor on its line, behind the dashes if the line begins with any.

        `path` leads to the node that begins behind the dashes.
        """
        parts, at = self._parts, self._place.character
        if parts.key is not None and at >= parts.colon:
            return self._in_value((*path, parts.key.name), parts.value, Beginning.COLON)
        if parts.key is not None:
            stop = parts.colon - 1
            word = word_at(self._text, parts.body, at, stop)
            return None if word is None else self._key(path, word)
        if at == parts.body and _COLON.match(self._text, at) is not None:
            return self._key(path, CursorWord(start=at, typed=""))
        beginning = Beginning.DASH if parts.dashes else Beginning.LINE
        return self._in_value(path, parts.body, beginning)

    def _in_value(
        self, path: tuple[Step, ...], begins: int, beginning: Beginning
    ) -> YamlCursor | None:
        at, text = self._place.character, self._text
        start = self._value_start(begins)
        marked = start is not None and begins < start
        if start is None or (marked and beginning is Beginning.LINE):
            return None
        if text[start : start + 1] in ("[", "{") and at > start:
            line = self._place.line
            flow = FlowStart(line=line, column=start, path=path, outside=self._parts.indent)
            return flow_cursor(self._lines, flow, self._place)
        word = word_at(text, start, at, len(text))
        if word is None or (self._parts.block_text and at > start):
            return None
        found = self._found(path, beginning, word)
        if beginning is Beginning.COLON:
            return replace(found, glued=start == self._parts.colon)
        own, lines, line = beginning is Beginning.LINE, self._lines, self._place.line
        above = key_above(lines, line, self._parts.body) if own else None
        keys = keys_beside(lines, line, self._parts)
        return replace(found, marked=marked, keys=keys, above=above)

    def _value_start(self, begins: int) -> int | None:
        """Return the column of a value's word, which is behind an anchor and a tag.

        `begins` is the column of the value, or of what follows if the value is empty. Return None
        if the cursor is in an anchor or a tag. If the cursor is before `begins`, return the
        cursor's own column if the value is empty, else None.
        """
        at, text = self._place.character, self._text
        if at >= begins:
            return past_properties(text, begins, at)
        blank = not text[begins:].strip() or text[begins:].startswith("#")
        return at if blank else None

    def _key(self, path: tuple[Step, ...], word: CursorWord) -> YamlCursor:
        beginning = Beginning.DASH if self._parts.dashes else Beginning.LINE
        keys = keys_beside(self._lines, self._place.line, self._parts)
        return replace(self._found(path, beginning, word), keys=keys, is_key=True)

    def _found(self, path: tuple[Step, ...], beginning: Beginning, word: CursorWord) -> YamlCursor:
        return YamlCursor(
            line=self._place.line,
            path=path,
            beginning=beginning,
            word=word,
            column=word.start - len(word.quote),
            indent=self._text[: self._parts.indent],
        )

    def _ancestors(self, column: int, *, dashed: bool) -> list[_Ancestor]:
        """Return the lines above inside which a node at a column is, from the outermost one on.

        `dashed`: the cursor's line begins with a dash. The key of the dash's list may be in the
        same column.
        """
        found: list[_Ancestor] = []
        for line in range(self._place.line - 1, -1, -1):
            if column < 0 or (column == 0 and not dashed):
                break
            text = line_body(self._lines[line])
            if len(text) - len(text.lstrip(" ")) > column:
                continue
            parts = line_parts(text)
            if parts.blank:
                continue
            steps, first = _steps_before(parts, column, dashed=dashed)
            if steps or parts.indent < column:
                found.append(_Ancestor(line, parts, steps))
                column, dashed = parts.indent, bool(parts.dashes) and first
        return found[::-1]

    def _flow_above(self, above: Sequence[_Ancestor], column: int) -> FlowStart | None:
        """Return the outermost bracket of a line above that is still open at the cursor, or None.

        `above` are the ancestors of the node at `column` of the cursor's line.
        """
        root = self._flow_root()
        if root is not None:
            return root
        path: tuple[Step, ...] = ()
        for each in above:
            path += each.steps
            start = self._flow_start(each.line, each.parts, path)
            if start is not None:
                return start
        return self._flow_beside(path, column)

    def _flow_root(self) -> FlowStart | None:
        """Return the bracket with which the text itself begins, as in JSON, on a line above.

        Return None if there is none, or it is closed before the cursor.
        """
        for line in range(self._place.line):
            parts = line_parts(line_body(self._lines[line]))
            if not parts.blank and parts.text != "---":
                return None if parts.structural else self._flow_start(line, parts, ())
        return None

    def _flow_beside(self, path: tuple[Step, ...], column: int) -> FlowStart | None:
        """Return the bracket of `_bracket_above`, or None if its line's indent is not `column`.

        Its line is the one with the bracket. `path` leads to the collection that holds this line.
        """
        found = self._bracket_above
        if found is None or found[0].indent != column:
            return None
        steps, _ = _steps_before(found[0], len(found[0].text) + 1, dashed=False)
        return replace(found[1], path=(*path, *steps))

    @cached_property
    def _bracket_above(self) -> tuple[LineParts, FlowStart] | None:
        """The nearest line above with a key or a dash, and its bracket that is open at the cursor.

        None if the line has no such bracket, or if the cursor's line has a key or a dash. A key in
        quotes does not count. If the cursor's line does not begin with a quote or a bracket, a
        bracket that is closed nowhere does not count either: its end was forgotten.
        """
        if self._parts.structural:
            return None
        begun = self._text.lstrip(" \t").startswith(_FLOW_STARTS)
        for line in range(self._place.line - 1, -1, -1):
            parts = line_parts(line_body(self._lines[line]))
            if parts.structural and (parts.key is None or not parts.key.quote):
                start = self._flow_start(line, parts, ())
                shut = start is not None and (begun or is_closed(self._lines, start))
                return (parts, start) if start is not None and shut else None
        return None

    def _flow_start(self, line: int, parts: LineParts, path: tuple[Step, ...]) -> FlowStart | None:
        column = parts.content_at
        if parts.text[column : column + 1] not in ("[", "{"):
            return None
        outside = parts.indent if parts.structural else None
        start = FlowStart(line=line, column=column, path=path, outside=outside)
        return start if is_open(self._lines, start, self._place) else None

    def _may_hold(self, parent: _Ancestor, column: int) -> bool:
        """Return whether a node may begin in a column of the cursor's line, below `parent`."""
        if parent.steps[-1:] == (ITEM,) and parent.parts.key is not None:
            return parent.parts.body == column
        if parent.parts.valued or not parent.steps:
            return False
        first = content_below(self._lines[: self._place.line], parent.line)
        return first is None or first.indent == column


def _steps_before(parts: LineParts, column: int, *, dashed: bool) -> tuple[tuple[Step, ...], bool]:
    """Return the steps that begin on a line before a column.

    Also return whether the line's first dash is one of them. `dashed`: a key in the column itself
    counts, too, if it has no value on its line.
    """
    steps: list[Step] = [ITEM for dash in parts.dashes if dash < column]
    whole = len(steps) == len(parts.dashes)
    before = parts.body < column or (dashed and parts.body == column and not parts.valued)
    if parts.key is not None and whole and before:
        steps.append(parts.key.name)
    return tuple(steps), bool(parts.dashes) and bool(steps)


def _parent_column(above: Sequence[_Ancestor]) -> int:
    """Return the column of the key or dash that has the cursor's line in its value, or -1.

    It is -1 if the line is at the root.
    """
    if not above:
        return -1
    parts = above[-1].parts
    items = above[-1].steps.count(ITEM)
    return parts.dashes[items - 1] if above[-1].steps[-1:] == (ITEM,) else parts.body
