"""Reads an entry's scope as globs, and its constraints and criteria as sentences.

Constraints and criteria may be a list, a string or a mapping.

Invariant: an empty scope owns nothing, and gets a finding (requirements section 3).
Invariant: each pair of a mapping becomes the sentence `key: value`, or `key` if it has no value.
Invariant: a fix loses no comment.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Span, TextChange
from intent_lsp.core.scope.findings import PatternFinding
from intent_lsp.formats.intents.fixes.comments import comments_in, has_properties, properties_start
from intent_lsp.formats.intents.fixes.sentences import (
    item_fix,
    mapping_fix,
    one_text_fix,
    pair_sentences,
)
from intent_lsp.formats.yaml.document import YamlDocument, texts_of
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, spelled_like

PatternFindings: TypeAlias = Callable[[str], Sequence[PatternFinding]]
"""Returns the findings on one glob."""

_SCOPE_KEYS = MappingKeys(
    known=("paths",),
    meant=dict.fromkeys(("files", "globs", "glob", "patterns", "pattern", "include"), "paths"),
)

_EXCLUSIONS = frozenset({"exclude", "excludes", "excluded", "except", "ignore", "ignored", "not"})
"""Keys beside `paths` by which somebody may think that files are taken out of a scope."""

_UNNESTED = "Put the list below `owned_scope`"
_COLON = re.compile(r"[ \t]*:[ \t]*")
_COMMA = re.compile(r"[ \t]*,")


def scope_of(
    reading: YamlDocument,
    fields: dict[str, Field],
    at_id: YamlNode,
    pattern_findings: PatternFindings,
) -> tuple[YamlNode | None, tuple[tuple[YamlNode, str], ...]]:
    """Return the node of an entry's scope, and each glob with its node.

    If the scope is `{paths: [...]}`, its node is that of `paths`. The node is None if the entry has
    no scope, or if the scope is a mapping without `paths`. `fields` are the entry's pairs by known
    key. Add to `reading` the findings that `pattern_findings` returns for each glob. Add one more
    if there are no globs or only exclusions, unless a finding says already that the scope or an
    item of it has a wrong form. A missing scope is reported at the node `at_id`.
    """
    found = fields.get("owned_scope")
    value = found.value if found else None
    table = value.content if value else None
    before = len(reading.findings)
    if found and isinstance(table, MappingNode):
        value = _paths_of(reading, found, table)
        # Its hint on the form is no error; without `paths`, it has said what is missing.
        before = before if value is None else len(reading.findings)
    globs = texts_of(reading, value) if value else ()
    unread = len(reading.findings) > before
    for item, glob in globs:
        note_glob(reading, item, glob, pattern_findings)
    empty = _empty_scope(globs)
    if empty and not unread:
        place = value or (found.value if found else at_id)
        reading.add(FileCode.EMPTY_SCOPE, empty, _shown(reading, place, found))
    return value, globs


def note_glob(
    reading: YamlDocument, item: YamlNode, glob: str, pattern_findings: PatternFindings
) -> None:
    """Add the findings that `pattern_findings` returns for `glob` to those of `reading`.

    `item` is the glob's node, where the findings are shown.
    """
    for found in pattern_findings(glob):
        fixes: tuple[Fix, ...] = ()
        if found.replacement is not None and not (isinstance(item, Scalar) and item.unquoted):
            title = f"Change to `{found.replacement}`"
            fix = reading.respell(item, found.replacement, title)
            fixes = (replace(fix, safe=found.same),)
        reading.findings.append(
            Finding(
                code=found.code,
                severity=found.severity,
                message=found.message,
                span=reading.span(item),
                fixes=fixes,
            )
        )


def prose_of(reading: YamlDocument, node: YamlNode) -> tuple[str, ...]:
    """Return the sentences of a node: of each item of a list, each pair of a mapping, or one value.

    An item that is a mapping gives a sentence for each of its pairs. An item that is a list or null
    gets a finding and gives none. Add to `reading` a hint on any other form than a list of single
    values. Return () for null.
    """
    content = node.content
    if isinstance(content, SequenceNode):
        return tuple(_items(reading, content))
    if isinstance(content, MappingNode):
        fix = mapping_fix(reading, content) if content is node else None
        reading.other_form(
            "a list of texts is expected; this mapping is read as one, of `key: value` texts",
            node,
            fix,
        )
        return tuple(pair_sentences(reading, content))
    if content.null:
        return ()
    message = "a list is expected; this value is read as a list of one item"
    reading.other_form(message, node, one_text_fix(reading, node))
    return (content.value.strip(),)


def _empty_scope(globs: Sequence[tuple[YamlNode, str]]) -> str:
    """Return the message for a scope that has no globs or only exclusions, "" for any other."""
    if not globs:
        return "this intent owns no file, since `owned_scope` is missing or empty"
    taken = (glob.strip() for _, glob in globs)
    if all(glob.startswith("!") and not glob.startswith("!(") for glob in taken):
        return "this scope has only exclusions, so the intent owns no file: add a glob without `!`"
    return ""


def _shown(reading: YamlDocument, place: YamlNode, found: Field | None) -> Span:
    """Return the span where a finding on `place` is shown.

    This is the span of `place`, or that of the key of `found` if `place` is empty, so not visible.
    If `found` is None, it is always the span of `place`.
    """
    return reading.span(found.key if found and place.start == place.end else place)


def _paths_of(reading: YamlDocument, found: Field, table: MappingNode) -> YamlNode | None:
    """Return the value of `paths` in `scope: {paths: [...]}`, or None if there is no `paths`.

    `found` is the key `scope` and its value, `table` the mapping. Add a hint, if possible with a
    fix that makes it `owned_scope: [...]`, and a finding on each key that looks like an exclusion.
    If there is no `paths`, add one finding instead.
    """
    inner = fields_of(reading, table, _SCOPE_KEYS).get("paths")
    if inner is None:
        reading.wrong_type(found.value, "a list")
        return None
    for key, _ in table.pairs:
        if isinstance(key, Scalar) and key.value.lower() in _EXCLUSIONS:
            excluded = f"`{key.value}` is not read: put its globs into `paths`, each behind a `!`"
            reading.add(FileCode.UNKNOWN_KEY, excluded, key)
    message = (
        f"a list `owned_scope` is expected; `paths` below `{found.key.value}` is read as that list"
    )
    fix = _scope_paths_fix(reading, found.key, table, inner) if table is found.value else None
    reading.other_form(message, found.key, fix)
    return inner.value


def _scope_paths_fix(
    reading: YamlDocument, key: Scalar, table: MappingNode, inner: Field
) -> Fix | None:
    """Return the fix that moves the value of `paths` up to its parent key, or None.

    `key` is that parent key, such as `scope`, `table` its value and `inner` the key `paths` with
    its value. None is returned if the mapping has other keys, an anchor or a tag.
    """
    text = reading.text
    if len(table.pairs) != 1 or has_properties(reading, table):
        return None
    name = spelled_like(key.style, "owned_scope")
    start, end = properties_start(reading, inner.value), max(inner.value.end, inner.key.end)
    notes = comments_in(text, key.end, inner.key.start)
    notes += comments_in(text, inner.key.end, start)
    notes += comments_in(text, end, table.end) if table.flow else ()
    if notes:
        return Fix(_UNNESTED, _piecewise(reading, key, table, inner, name))
    if table.flow:
        value = text[start:end] if inner.value.end > inner.value.start else ""
        return Fix(_UNNESTED, (reading.change(key.start, table.end, f"{name}: {value}"),))
    return Fix(_UNNESTED, (reading.change(key.start, inner.key.end, name),))


def _piecewise(
    reading: YamlDocument, key: Scalar, table: MappingNode, inner: Field, name: str
) -> tuple[TextChange, ...]:
    """Return the changes that turn `scope: {paths: [...]}` into `name: [...]`; comments stay.

    The braces may be missing. `key` is the key `scope`, `table` its value, and `inner` the key
    `paths` with its value.
    """
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


def _items(reading: YamlDocument, listing: SequenceNode) -> Iterator[str]:
    """Yield the sentences of a list: each single value, and each pair of a mapping in the list.

    Add a finding on each item that is a mapping, a list or null.
    """
    for item in listing.items:
        content = item.content
        if isinstance(content, MappingNode):
            message = (
                "a text is expected; each pair of this mapping is read as a text, `key: value`"
            )
            reading.other_form(message, item, item_fix(reading, listing, item))
            yield from pair_sentences(reading, content)
        elif isinstance(content, Scalar) and not content.null:
            yield content.value.strip()
        else:
            reading.wrong_type(item, "one value")
