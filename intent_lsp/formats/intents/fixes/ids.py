"""Fixes that give an entry an id: one that has none, or one whose id an earlier entry has."""

from intent_lsp.core.findings import Fix, Span, TextChange
from intent_lsp.formats.text_positions import line_end_of
from intent_lsp.formats.yaml.document import YamlDocument
from intent_lsp.formats.yaml.nodes import BLOCK_STYLES, NULLS, QUOTES


def other_id_fix(reading: YamlDocument, place: Span, free: str) -> Fix | None:
    """Return the fix that puts the id `free`, which no entry has, in the place of an id.

    Return None if the id is block text.
    """
    if reading.text[reading.places.offset(place.start)] in BLOCK_STYLES:
        return None
    quote = _quote_at(reading, place)
    return Fix(f"Change to `{free}`", (TextChange(place, f"{quote}{free}{quote}"),))


def missing_id_fix(reading: YamlDocument, place: Span, free: str) -> Fix | None:
    """Return the fix that gives an entry the id `free`, which no entry has, or None.

    `place` is that of the null that stands for its id, or of its first key. Return None for an
    empty entry, since there is nothing that an id could name, and for one whose first key is
    neither first in braces nor, dashes aside, first on its line.
    """
    text, title = reading.text, f"Add the id `{free}`"
    start, end = reading.places.offset(place.start), reading.places.offset(place.end)
    if text[start:end] in NULLS:
        space = "" if text[start - 1 : start].isspace() else " "
        return Fix(title, (TextChange(place, f"{space}{free}"),))
    if text[start:end] == "{}":
        return None
    quote = _quote_at(reading, place)
    pair = f"{quote}id{quote}: {quote}{free}{quote}"
    lead = text[reading.places.line_start(start) : start]
    # The brace may be on a line above.
    if (lead.rstrip() or text[:start].rstrip()).endswith("{"):
        pair += ", "
    elif lead.strip(" -"):
        return None
    else:
        pair += line_end_of(text) + " " * len(lead)
    return Fix(title, (TextChange(Span(place.start, place.start), pair),))


def _quote_at(reading: YamlDocument, place: Span) -> str:
    start = reading.places.offset(place.start)
    quote = reading.text[start : start + 1]
    return quote if quote in QUOTES else ""
