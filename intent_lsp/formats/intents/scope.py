"""Reading of an entry's owned scope: its globs, in each form that is allowed.

Invariant: an empty scope owns nothing, and gets a finding (requirements section 3).
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Finding, Fix, Span
from intent_lsp.core.scope.findings import PatternFinding
from intent_lsp.formats.yaml.document import YamlDocument, texts_of
from intent_lsp.formats.yaml.keys import Field, MappingKeys, fields_of
from intent_lsp.formats.yaml.nodes import MappingNode, Scalar, SequenceNode, YamlNode, content_of

PatternFindings: TypeAlias = Callable[[str], Sequence[PatternFinding]]
"""Returns the findings on one glob."""

_SCOPE_KEYS = MappingKeys(known=("paths",))


def scope_of(
    reading: YamlDocument,
    fields: dict[str, Field],
    at_id: YamlNode,
    pattern_findings: PatternFindings,
) -> tuple[YamlNode | None, tuple[tuple[YamlNode, str], ...]]:
    """Return the node of the glob list (None: missing), and each glob with its node.

    Add findings on an empty scope and on each glob.
    """
    found = fields.get("owned_scope")
    value = found.value if found else None
    table = content_of(value) if value else None
    if found and isinstance(table, MappingNode):
        value = _paths_of(reading, found, table)
    before = len(reading.findings)
    globs = texts_of(reading, value) if value else ()
    unread = len(reading.findings) > before
    for item, glob in globs:
        note_glob(reading, item, glob, pattern_findings)
    empty = _empty_scope(globs)
    if empty and not unread:
        place = value or (found.value if found else at_id)
        reading.add(FileCode.EMPTY_SCOPE, empty, _shown(reading, place, found))
    return value, globs


def _empty_scope(globs: Sequence[tuple[YamlNode, str]]) -> str:
    """Return the message for a scope that owns no file, or ""."""
    if not globs:
        return "without `owned_scope` this intent owns no file"
    taken = (glob.strip() for _, glob in globs)
    if all(glob.startswith("!") and not glob.startswith("!(") for glob in taken):
        return "this scope has only exclusions, so the intent owns no file: add a glob without `!`"
    return ""


def _shown(reading: YamlDocument, place: YamlNode, found: Field | None) -> Span:
    """Return the span of a value, or of its key if the value is empty and so not visible."""
    return reading.span(found.key if found and place.start == place.end else place)


def _paths_of(reading: YamlDocument, found: Field, table: MappingNode) -> YamlNode | None:
    """Return the list in `scope: {paths: [...]}`. Add a hint with a fix that removes `paths`."""
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
    """Return the fix that turns `scope: {paths: …}` into `owned_scope: …`."""
    title = "Rename to `owned_scope`"
    if flow:
        text = f"owned_scope: {reading.source(inner.value)}"
        return Fix(title, (reading.change(key.start, end, text),))
    return Fix(title, (reading.change(key.start, inner.key.end, "owned_scope"),))


def note_glob(
    reading: YamlDocument, item: YamlNode, glob: str, pattern_findings: PatternFindings
) -> None:
    """Add the findings on a glob at its node."""
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
