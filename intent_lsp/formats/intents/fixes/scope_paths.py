"""The fix that turns `scope: {paths: [...]}` into `owned_scope: [...]`.

Invariant: no comment between the two keys or the braces is lost.
"""

import re

from intent_lsp.core.findings import Fix, TextChange
from intent_lsp.formats.intents.fixes.comments import comments_in, has_properties, properties_start
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.keys import Field
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, spelled_like

_NAME = "owned_scope"
_TITLE = f"Put the list below `{_NAME}`"
_COLON = re.compile(r"[ \t]*:[ \t]*")
_COMMA = re.compile(r"[ \t]*,")


def scope_paths_fix(
    reading: YamlDocument, key: Scalar, table: MappingNode, inner: Field
) -> Fix | None:
    """Return the fix that moves the value of `paths` up to its parent key, or None.

    `key` is that parent key, such as `scope`, `table` its value and `inner` the key `paths` with
    its value. None is returned if the mapping has other keys, an anchor or a tag.
    """
    text = reading.text
    if len(table.pairs) != 1 or has_properties(reading, table):
        return None
    name = spelled_like(key.style, _NAME)
    start, end = properties_start(reading, inner.value), max(inner.value.end, inner.key.end)
    notes = comments_in(text, key.end, inner.key.start)
    notes += comments_in(text, inner.key.end, start)
    notes += comments_in(text, end, table.end) if table.flow else ()
    if notes:
        return Fix(_TITLE, _piecewise(reading, key, table, inner, name))
    if table.flow:
        value = text[start:end] if inner.value.end > inner.value.start else ""
        return Fix(_TITLE, (reading.change(key.start, table.end, f"{name}: {value}"),))
    return Fix(_TITLE, (reading.change(key.start, inner.key.end, name),))


def _piecewise(
    reading: YamlDocument, key: Scalar, table: MappingNode, inner: Field, name: str
) -> tuple[TextChange, ...]:
    """Return the changes that take out `paths:` and the braces, and nothing between them."""
    colon = _COLON.match(reading.text, inner.key.end)
    changes = [
        reading.change(key.start, key.end, name),
        reading.change(inner.key.start, colon.end() if colon else inner.key.end, ""),
    ]
    if not table.flow:
        return tuple(changes)
    changes.insert(1, reading.change(table.start, table.start + 1, ""))
    end = max(inner.value.end, inner.key.end)
    comma = _COMMA.match(reading.text, end, table.end)
    if comma is not None:
        changes.append(reading.change(end, comma.end(), ""))
    return (*changes, reading.change(table.end - 1, table.end, ""))
