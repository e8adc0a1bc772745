"""What is wanted at a cursor of a control file: a key, a value, or an item of a list."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import line_body
from intent_lsp.core.findings import Position
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.intents.completion.shapes import (
    LeafShape,
    ListShape,
    Shape,
    TableShape,
    shape_at,
)
from intent_lsp.formats.key_texts.key_text import names_schema
from intent_lsp.formats.yaml.cursor import cursor_at
from intent_lsp.formats.yaml.cursor_place import Beginning, YamlCursor
from intent_lsp.formats.yaml.line_parts import line_parts

_KEY_PLACES = (Beginning.LINE, Beginning.DASH, Beginning.FLOW_KEY)
_ITEM_PLACES = (Beginning.DASH, Beginning.FLOW_ITEM)
_NEAR = 500
"""The most lines above a cursor in which the form of other lists is looked for."""

_STEP = 2


class CompletionPlace(Struct, frozen=True, kw_only=True):
    """What is wanted at a cursor. At least one of `table`, `leaf` and `item` is not None.

    `table` is the shape of the mapping of which a key is wanted, `leaf` the shape of the wanted
    value, and `item` the shape of the wanted item of a list, a mapping; each is None if it is not
    wanted. `listed`: a list is missing around the value. `item_column` is the column for the dash
    of the item, or None behind a dash or a bracket. `lists` says by how many columns the nearest
    list of single values above indents its dashes below its key; it is None if a list in brackets
    is nearer, or if no list is near. `ruled`: another server proposes keys and words, by a schema
    that the file names.
    """

    file: WorkspacePath
    cursor: YamlCursor
    table: TableShape | None = None
    leaf: LeafShape | None = None
    listed: bool = False
    item: TableShape | None = None
    item_column: int | None = None
    lists: int | None = None
    ruled: bool = False


def place_at(
    file: WorkspacePath, lines: Sequence[str], position: Position
) -> CompletionPlace | None:
    """Return what is wanted at a position of a control file, or None if nothing is known of it.

    `lines` are those of the text, with their line ends.
    """
    cursor = cursor_at(lines, position)
    if cursor is None:
        return None
    shape = shape_at(file, cursor.path, cursor.keys)
    place = CompletionPlace(file=file, cursor=cursor)
    place = _as_table(place, shape) or _as_value(place, shape) or place
    place = _as_item_above(place, shape) or place
    if place.table is None and place.leaf is None and place.item is None:
        return None
    return replace(place, lists=_list_form(lines, cursor.line), ruled=any(map(names_schema, lines)))


def _as_table(place: CompletionPlace, shape: Shape | None) -> CompletionPlace | None:
    """Return the place with a key of the mapping `shape` wanted, or such a mapping as a list item.

    At a dash, both may be wanted. Where neither a key nor an item can begin, return the place with
    nothing wanted. Return None if `shape` is no mapping, or if an anchor, a tag or a dash below
    rules out a key.
    """
    if not isinstance(shape, TableShape):
        return None
    cursor = place.cursor
    if cursor.marked or (cursor.dash_below and not cursor.word.typed and not cursor.is_key):
        return None
    begun = cursor.keys or cursor.is_key or cursor.word.quote
    begins_item = cursor.beginning in _ITEM_PLACES and not begun
    return replace(
        place,
        item=shape if begins_item else None,
        table=shape if cursor.beginning in _KEY_PLACES else None,
    )


def _as_value(place: CompletionPlace, shape: Shape | None) -> CompletionPlace | None:
    """Return the place with a value or a list's item wanted, or None if neither is wanted there."""
    cursor, leaf = place.cursor, shape.item if isinstance(shape, ListShape) else shape
    if cursor.is_key or cursor.deeper or shape is None:
        return None
    if cursor.beginning is Beginning.FLOW_KEY:
        return None
    own_line = cursor.beginning is Beginning.LINE
    if (own_line and cursor.keys) or not isinstance(leaf, (LeafShape, TableShape)):
        return None
    listed = isinstance(shape, ListShape)
    if isinstance(leaf, LeafShape):
        # A single value on a line of its own below its key is not worth a proposal.
        found = replace(place, leaf=leaf, listed=listed)
        return None if own_line and not listed else found
    if not own_line:
        return None
    return replace(place, item=leaf, item_column=cursor.column)


def _as_item_above(place: CompletionPlace, shape: Shape | None) -> CompletionPlace | None:
    """Return `place` with an item wanted for a list whose key is above; None if there is no such.

    The key is in the cursor's column, where an editor that does not indent begins a new line.
    `shape` is the shape of the mapping around the cursor.
    """
    cursor = place.cursor
    if (
        cursor.above is None
        or not isinstance(shape, TableShape)
        or cursor.word.typed
        or cursor.is_key
        or (cursor.dash_below and cursor.above.children != cursor.column)
    ):
        return None
    path = (*cursor.path, cursor.above.name)
    listing = shape_at(place.file, path, cursor.keys)
    if not isinstance(listing, ListShape) or not isinstance(listing.item, TableShape):
        return None
    children = cursor.above.children
    column = cursor.column + _STEP if children is None else children
    return replace(place, item=listing.item, item_column=column)


def _list_form(lines: Sequence[str], line: int) -> int | None:
    """Return how far the nearest list of single values indents its dashes below its key.

    The list is above `line`. Return None if a list in brackets is nearer, or if there is no list in
    the nearest 500 lines.
    """
    below: int | None = None
    for above in range(min(line, len(lines)) - 1, max(line - _NEAR, 0) - 1, -1):
        parts = line_parts(line_body(lines[above]))
        if parts.key is not None and parts.content.startswith("["):
            return None
        simple = bool(parts.dashes) and parts.key is None and parts.text[parts.body :].strip() != ""
        if simple:
            below = parts.indent
        elif not parts.blank:
            if parts.key is not None and not parts.valued and below is not None:
                return max(below - parts.body, 0)
            below = None
    return None
