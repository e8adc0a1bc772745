"""Reads an entry's scope as globs, and its constraints and criteria as sentences.

Constraints and criteria may be a list, a string or a mapping.

Invariant: an empty scope owns nothing, and gets a finding (requirements section 3).
Invariant: each pair of a mapping becomes the sentence `key: value`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Span, TextChange
from intent_lsp.core.scope.findings import PatternFinding
from intent_lsp.formats.yaml.document import YamlDocument, listed, texts_of
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import (
    MappingNode,
    Scalar,
    SequenceNode,
    YamlNode,
    content_of,
    double_quoted,
)

PatternFindings: TypeAlias = Callable[[str], Sequence[PatternFinding]]
"""Returns the findings on one glob."""

_SCOPE_KEYS = MappingKeys(known=("paths",))


def scope_of(
    reading: YamlDocument,
    fields: dict[str, Field],
    at_id: YamlNode,
    pattern_findings: PatternFindings,
) -> tuple[YamlNode | None, tuple[tuple[YamlNode, str], ...]]:
    """Return the node of an entry's scope, and each glob with its node.

    The first is None if the entry has no scope, or has one that is a mapping without `paths`.
    `fields` are the entry's pairs by known key. Add the findings that `pattern_findings` returns
    for each glob. Add one more if there are no globs or only exclusions, unless the list of globs
    has a finding on its form. A missing scope is reported at the node `at_id`.
    """
    found = fields.get("owned_scope")
    value = found.value if found else None
    table = content_of(value) if value else None
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
            fixes = (reading.respell(item, found.replacement, title),)
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

    Add a hint if the node is not a list of single values.
    """
    content = content_of(node)
    if isinstance(content, SequenceNode):
        return tuple(_items(reading, content))
    if isinstance(content, MappingNode):
        fix = _pairs_fix(reading, content) if content is node else None
        reading.other_form(
            "a list of texts is expected; this mapping is read as one, of `key: value` texts",
            node,
            fix,
        )
        return tuple(_pairs(reading, content))
    if content.null:
        return ()
    fixes = listed(reading, node)
    reading.other_form(
        "a list is expected; this value is read as a list of one item",
        node,
        fixes[0] if fixes else None,
    )
    return (content.value.strip(),)


def _empty_scope(globs: Sequence[tuple[YamlNode, str]]) -> str:
    """Return the message for a scope whose globs own no file, or "" for any other scope."""
    if not globs:
        return "this intent owns no file, since `owned_scope` is missing or empty"
    taken = (glob.strip() for _, glob in globs)
    if all(glob.startswith("!") and not glob.startswith("!(") for glob in taken):
        return "this scope has only exclusions, so the intent owns no file: add a glob without `!`"
    return ""


def _shown(reading: YamlDocument, place: YamlNode, found: Field | None) -> Span:
    """Return the span where a finding on `place` is shown.

    This is the span of `place`, or that of the key of `found` if `place` is empty, so not visible.
    """
    return reading.span(found.key if found and place.start == place.end else place)


def _paths_of(reading: YamlDocument, found: Field, table: MappingNode) -> YamlNode | None:
    """Return the value of `paths` in `scope: {paths: [...]}`, or None if there is no `paths`.

    `found` is the key `scope` and its value, `table` the mapping. Add a hint, if possible with a
    fix that makes it `owned_scope: [...]`. If there is no `paths`, add a finding instead.
    """
    inner = fields_of(reading, table, _SCOPE_KEYS).get("paths")
    message = f"`{found.key.value}` with `paths` below it is read as `owned_scope`"
    if inner is None:
        reading.wrong_type(found.value, "a list")
        return None
    fix = None
    if len(table.pairs) == 1 and table is found.value and isinstance(inner.value, SequenceNode):
        fix = _flatten(reading, found.key, inner, flow=table.flow, end=table.end)
    reading.other_form(message, found.key, fix)
    return inner.value


def _flatten(reading: YamlDocument, key: Scalar, inner: Field, *, flow: bool, end: int) -> Fix:
    """Return the fix that turns `scope: {paths: …}` into `owned_scope: …`.

    `key` is `scope`, and `inner` is `paths` with its value. `flow` says whether the mapping below
    `scope` is in flow form, and `end` is the offset of its end.
    """
    title = "Rename to `owned_scope`"
    if flow:
        text = f"owned_scope: {reading.source(inner.value)}"
        return Fix(title, (reading.change(key.start, end, text),))
    return Fix(title, (reading.change(key.start, inner.key.end, "owned_scope"),))


def _items(reading: YamlDocument, listing: SequenceNode) -> Iterator[str]:
    """Yield the sentences of a list: each single value, and each pair of a mapping in the list.

    Add a finding on each item that is a mapping, a list or empty.
    """
    for item in listing.items:
        content = content_of(item)
        if isinstance(content, MappingNode):
            fix = _quote_fix(reading, content) if content is item else None
            reading.other_form(
                "a text is expected; this mapping is read as the text `key: value`", item, fix
            )
            yield from _pairs(reading, content)
        elif isinstance(content, Scalar) and not content.null:
            yield content.value.strip()
        else:
            reading.wrong_type(item, "one value")


def _pairs(reading: YamlDocument, table: MappingNode) -> Iterator[str]:
    """Yield the sentence `key: value` for each pair of a mapping.

    It is the key alone if the pair has no value.
    """
    for key, value in table.pairs:
        yield f"{_words(reading, key)}: {_words(reading, value)}".rstrip(" :")


def _words(reading: YamlDocument, node: YamlNode) -> str:
    """Return a node's text on one line: a single value, or the source of a list or a mapping."""
    content = content_of(node)
    if isinstance(content, Scalar):
        return "" if content.null else content.value.strip()
    return " ".join(reading.source(content).split())


def _quote_fix(reading: YamlDocument, table: MappingNode) -> Fix | None:
    """Return the fix that puts quotes around a list item that its colon makes a mapping.

    `table` is the mapping. Return None if it is not a single pair on one line.
    """
    if len(table.pairs) != 1 or not _on_one_line(reading, table):
        return None
    text = double_quoted(next(_pairs(reading, table)))
    return Fix("Quote it", (reading.change(table.start, table.end, text),))


def _pairs_fix(reading: YamlDocument, table: MappingNode) -> Fix | None:
    """Return the fix that turns a mapping into a list of its `key: value` sentences.

    Return None for a flow mapping on several lines, and for a block mapping with a pair on several
    lines or with a value that is a list or a mapping.
    """
    sentences = tuple(_pairs(reading, table))
    if table.flow:
        listed_pairs = "[" + ", ".join(double_quoted(text) for text in sentences) + "]"
        change = reading.change(table.start, table.end, listed_pairs)
        return Fix("Make the value a list", (change,)) if _on_one_line(reading, table) else None
    changes: list[TextChange] = []
    for (key, value), text in zip(table.pairs, sentences, strict=True):
        if "\n" in reading.text[key.start : value.end] or isinstance(
            value, SequenceNode | MappingNode
        ):
            return None
        changes.append(reading.change(key.start, value.end, f"- {double_quoted(text)}"))
    return Fix("Make the value a list", tuple(changes))


def _on_one_line(reading: YamlDocument, node: YamlNode) -> bool:
    source = reading.source(node)
    return "\n" not in source and "\r" not in source
