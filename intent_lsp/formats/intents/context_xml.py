"""XML encoding of the checkout context for an agent (requirements section 11).

Invariant: every value is escaped. Characters that XML 1.0 forbids become U+FFFD, and lines end in
LF, so that no value can pose as a tag or as one of our lines.
"""

import re
from collections.abc import Iterable, Iterator

from intent_lsp.core.agents.checkout_context import IntentContext, RelatedFile
from intent_lsp.core.records import Record

# What XML 1.0 forbids. The complement of what it allows would take 5 ms to compile.
_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Not `xml.sax.saxutils.escape`: importing it would load an HTTP client.
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = _IN_TEXT | str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})


def context_text(context: IntentContext) -> str:
    """Return a checkout context as an `<intent_context>` element.

    Each element inside another one begins a line, indented by two spaces more than the outer one.
    Every line ends in LF, the last one included.
    """
    return "\n".join(_lines(context)) + "\n"


def _lines(context: IntentContext) -> Iterator[str]:
    intent = context.intent
    yield f"<intent_context{_attributes(id=intent.id, status=intent.status.value)}>"
    yield f"  <name>{_text(intent.name)}</name>"
    yield f"  <specification>{_text(intent.specification)}</specification>"
    yield from _list("owned_scope", "glob", intent.owned_scope)
    yield from _list("constraints", "constraint", intent.constraints)
    yield from _list("acceptance_criteria", "criterion", intent.acceptance_criteria)
    yield from _list("architectural_constraints", "constraint", context.architectural_constraints)
    yield from _block("related_files", map(_related_file, context.related_files))
    yield from _list("recent_history", "event", intent.recent_history)
    yield from _block("recent_records", map(_record, context.recent_records))
    yield f"  <truncated>{_text('; '.join(context.truncated))}</truncated>"
    yield "</intent_context>"


def _list(name: str, item: str, values: Iterable[str]) -> Iterator[str]:
    yield from _block(name, (f"<{item}>{_text(value)}</{item}>" for value in values))


def _block(name: str, lines: Iterable[str]) -> Iterator[str]:
    inner = [f"    {line}" for line in lines]
    yield from (f"  <{name}>", *inner, f"  </{name}>") if inner else (f"  <{name}/>",)


def _related_file(file: RelatedFile) -> str:
    known = _attributes(
        path=file.path, last_hash=file.last_hash or "", last_modified=file.last_modified
    )
    return f"<file{known}/>"


def _record(record: Record) -> str:
    known = _attributes(
        id=record.id,
        timestamp=record.timestamp,
        tool=record.tool_name,
        path=", ".join(file.relative_path for file in record.files),
        mutation_class=record.mutation_class.value,
        scope_validation=record.scope_validation.value,
    )
    return f"<record{known}/>"


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{_value(value)}"' for name, value in values.items())


def _value(value: str) -> str:
    return _FORBIDDEN.sub("\ufffd", value).translate(_IN_ATTRIBUTE)


def _text(value: str) -> str:
    return _FORBIDDEN.sub("\ufffd", value).translate(_IN_TEXT)
