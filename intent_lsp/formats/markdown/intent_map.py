"""Formats the intent map as Markdown: which intent touched which files (ledger section 6).

Invariant: whatever the values hold, a section has one heading, and a row is one line of four cells.
Invariant: the same values give the same text, with the rows in order of their paths.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.redaction import redacted
from intent_lsp.formats.markdown.escape import in_code, in_prose

ARCHIVED: Final = "INTENT_ARCHIVED"
"""The mark of an intent that is no longer in the intents file."""

HASH_DIGITS: Final = 12
"""How many hexadecimal digits of a hash are shown."""

NAMED_AT_MOST: Final = 8
"""The most definitions that a row names. The others are only counted."""

NAME_LENGTH: Final = 120
"""The most characters of a name that are shown. Of a longer name the end is shown, after `…`."""

_HEAD: Final = (
    "# Intent map\n\nWritten by intent-lsp from its ledger: changes made here are lost.\n"
)
_NO_ROWS: Final = "No file was edited for this intent.\n"
_TABLE: Final = "| file | definitions | last record | hash |\n| --- | --- | --- | --- |\n"
_NONE: Final = "-"
_CUT: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRow:
    """A file that an intent has touched, as its newest record under that intent left it.

    `definitions` are the names of definitions that the record changed, and `more` the number of
    others. `time` is the record's timestamp. `hash` is None if the file was deleted or renamed
    since.
    """

    path: WorkspacePath
    definitions: tuple[str, ...] = ()
    more: int = 0
    time: str
    hash: ContentHash | None


def named(row: MapRow, names: Sequence[str]) -> MapRow:
    """Return the row with the first of these definitions, and the number of the others."""
    shown = tuple(map(_short, names[:NAMED_AT_MOST]))
    return replace(row, definitions=shown, more=len(names) - len(shown))


def short_hash(hash_: ContentHash) -> str:
    """Return the digits of a hash that are shown."""
    return hash_.removeprefix("sha256:")[:HASH_DIGITS]


def definitions_cell(definitions: Iterable[str], more: int) -> str:
    """Format the cell of definitions. Each name is in a code span."""
    told = ", ".join(map(_code, definitions)) or _NONE
    return f"{told} and {more} more" if more else told


def intent_map(sections: Iterable[str]) -> str:
    """Return the whole file from its sections, in their order."""
    return "\n".join((_HEAD, *sections))


def section_of(intent: Intent, rows: Iterable[MapRow]) -> str:
    """Format the section of an intent in the intents file."""
    name = f" — {in_prose(intent.name)}" if intent.name else ""
    return _section(f"{in_prose(intent.id)}{name} ({intent.status})", rows)


def section_of_archived(intent_id: str, rows: Iterable[MapRow]) -> str:
    """Format the section of an intent that only records mention."""
    return _section(f"{in_prose(intent_id)} ({ARCHIVED})", rows)


def _section(heading: str, rows: Iterable[MapRow]) -> str:
    lines = "".join(map(_line, sorted(rows, key=lambda row: row.path)))
    return f"## {heading}\n\n{_TABLE + lines if lines else _NO_ROWS}"


def _line(row: MapRow) -> str:
    told = definitions_cell(row.definitions, row.more)
    short = _NONE if row.hash is None else _code(short_hash(row.hash))
    return f"| {_code(row.path)} | {told} | {in_code(row.time) or _NONE} | {short} |\n"


def _short(name: str) -> str:
    # Redact before cutting: the redaction would not recognise a secret that has been cut.
    whole = redacted(name)
    return whole if len(whole) <= NAME_LENGTH else _CUT + whole[1 - NAME_LENGTH :]


def _code(text: str) -> str:
    # Markdown has no empty code span.
    return f"`{in_code(text)}`" if text else _NONE
