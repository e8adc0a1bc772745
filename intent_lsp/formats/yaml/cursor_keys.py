"""The keys above and below a cursor that are in one block mapping with a key at the cursor."""

from collections.abc import Iterator, Sequence

from intent_lsp.core.content import line_body
from intent_lsp.formats.yaml.cursor_place import KeyAbove, NamedKey
from intent_lsp.formats.yaml.line_parts import LineParts, line_parts


def keys_beside(lines: Sequence[str], line: int, own: LineParts) -> tuple[NamedKey, ...]:
    """Return the other keys of the block mapping that a key on a line would be in, from the top.

    `own` are the parts of that line, and `own.body` is the column of the key.
    """
    above = () if own.dashes else _keys_towards(lines, line, own.body, -1)
    return (*tuple(above)[::-1], *_keys_towards(lines, line, own.body, 1))


def _keys_towards(lines: Sequence[str], own: int, column: int, step: int) -> Iterator[NamedKey]:
    """Yield the keys in a column above (-1) or below (1) the line `own`, nearest first.

    The first line that is indented less ends the mapping; above, it may hold the first key.
    """
    stop = -1 if step < 0 else len(lines)
    for line in range(own + step, stop, step):
        text = line_body(lines[line])
        if len(text) - len(text.lstrip(" ")) > column:
            continue
        parts = line_parts(text)
        if parts.blank:
            continue
        if parts.key is not None and parts.body == column and (step < 0 or not parts.dashes):
            yield parts.key._replace(scalar=parts.scalar)
        if parts.indent < column:
            return


def key_above(lines: Sequence[str], own: int, column: int) -> KeyAbove | None:
    """Return the nearest key above the line `own` that begins in a column, or None if none does.

    Return None too if the key has another value than a list on the lines below it.
    """
    children, listed = None, True
    for line in range(own - 1, -1, -1):
        parts = line_parts(line_body(lines[line]))
        if parts.blank:
            continue
        if parts.indent > column or (parts.indent == column and parts.dashes):
            children, listed = parts.indent, bool(parts.dashes)
            continue
        if not listed or parts.key is None or parts.body != column or parts.valued:
            return None
        return KeyAbove(name=parts.key.name, children=children)
    return None
