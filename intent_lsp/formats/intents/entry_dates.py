"""Reads an entry's dates as they are written, and says which are no dates or in a wrong order.

Invariant: a single value is kept as it is written, whatever is wrong with it (requirements section
3.1).
"""

from intent_lsp.core.codes import FileCode
from intent_lsp.core.findings import Fix, RelatedSpan, Span
from intent_lsp.core.written_dates import date_range, iso_date
from intent_lsp.formats.yaml.document import YamlDocument, text_of
from intent_lsp.formats.yaml.nodes import Scalar, YamlNode, double_quoted


def date_of(reading: YamlDocument, name: str, node: YamlNode) -> str | None:
    """Return the value of the key `name` as it is written, or None for null.

    Add a hint if it is a plain value, without quotes, and a warning if it is no date or time of ISO
    8601; neither for an empty text. For a list or a mapping, add a finding and return None.
    """
    text = text_of(reading, node)
    if not text:
        return text
    if isinstance(node, Scalar) and not node.style:
        quote = reading.change(node.start, node.end, double_quoted(text))
        message = f"`{name}` is not quoted: other YAML parsers may not read it as text"
        reading.other_form(message, node, Fix("Quote it", (quote,)))
    if date_range(text) is None:
        _note_other(reading, name, node, text)
    return text


def note_order(
    reading: YamlDocument,
    created: tuple[str | None, Span | None],
    updated: tuple[str | None, Span | None],
) -> None:
    """Add a warning if an intent was updated before it was created, whatever the time zones.

    Both are a date as it is written, and its place; both None if there is none. Nothing is added if
    one of the two dates is missing or is no date of ISO 8601.
    """
    (begin, begun_at), (end, ended_at) = created, updated
    if begin is None or end is None or begun_at is None or ended_at is None:
        return
    first, last = date_range(begin), date_range(end)
    if first is not None and last is not None and last.last < first.first:
        message = f"`updated_at` is before `created_at`, which is {begin}"
        related = (RelatedSpan(span=begun_at, message="the intent was created then"),)
        reading.add(FileCode.BAD_DATE, message, ended_at, related=related)


def _note_other(reading: YamlDocument, name: str, node: YamlNode, text: str) -> None:
    meant = iso_date(text)
    message = f"the value of `{name}` is no date or time of ISO 8601, such as 2026-02-16T12:00:00Z"
    fixes: tuple[Fix, ...] = ()
    if meant is not None:
        change = reading.replaced(node, double_quoted(meant))
        fixes = (Fix(f"Change to `{meant}`", (change,)),)
    reading.add(FileCode.BAD_DATE, message, node, fixes)
