"""The intent map as Markdown: which intent touched which files (ledger section 6).

Invariant: whatever the values hold, a section has one heading, and a row one line of four cells.
Invariant: the same values give the same text, in the order of their paths.
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
"""What marks an intent that is in the intents file no more."""

HASH_DIGITS: Final = 12
"""Hexadecimal digits of a hash that are shown."""

NAMED_AT_MOST: Final = 8
"""Definitions of a row that are named; of more it is told how many there are."""

NAME_LENGTH: Final = 120
"""Characters of a name that are shown; of a longer one the end, after `…`."""

_HEAD: Final = (
    "# Intent map\n\nWritten by intent-lsp from its ledger: changes made here are lost.\n"
)
_NO_ROWS: Final = "No file was touched for it.\n"
_TABLE: Final = "| file | definitions | last record | hash |\n| --- | --- | --- | --- |\n"
_NONE: Final = "-"
_CUT: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRow:
    """A file that an intent has touched, as its newest record under that intent left it.

    `definitions` are those that the record's change touched, by name, and `more` how many others
    there are; `time` is the record's timestamp; `hash` None: the file was deleted, or has another
    name since.
    """

    path: WorkspacePath
    definitions: tuple[str, ...] = ()
    more: int = 0
    time: str
    hash: ContentHash | None


def named(row: MapRow, names: Sequence[str]) -> MapRow:
    """Give the row with the first of some definitions, and how many others there are."""
    shown = tuple(map(_short, names[:NAMED_AT_MOST]))
    return replace(row, definitions=shown, more=len(names) - len(shown))


def short_hash(hash_: ContentHash) -> str:
    """Give the digits of a hash that are shown."""
    return hash_.removeprefix("sha256:")[:HASH_DIGITS]


def definitions_cell(definitions: Iterable[str], more: int) -> str:
    """Spell the cell of the definitions: what stands outside of code spans is no name."""
    told = ", ".join(map(_code, definitions)) or _NONE
    return f"{told} and {more} more" if more else told


def intent_map(sections: Iterable[str]) -> str:
    """Give the whole file from its sections, in their order."""
    return "\n".join((_HEAD, *sections))


def section_of(intent: Intent, rows: Iterable[MapRow]) -> str:
    """Spell the section of an intent of the intents file."""
    name = f" — {in_prose(intent.name)}" if intent.name else ""
    return _section(f"{in_prose(intent.id)}{name} ({intent.status})", rows)


def section_of_archived(intent_id: str, rows: Iterable[MapRow]) -> str:
    """Spell the section of an intent of which only records are left."""
    return _section(f"{in_prose(intent_id)} ({ARCHIVED})", rows)


def _section(heading: str, rows: Iterable[MapRow]) -> str:
    lines = "".join(map(_line, sorted(rows, key=lambda row: row.path)))
    return f"## {heading}\n\n{_TABLE + lines if lines else _NO_ROWS}"


def _line(row: MapRow) -> str:
    told = definitions_cell(row.definitions, row.more)
    short = _NONE if row.hash is None else _code(short_hash(row.hash))
    return f"| {_code(row.path)} | {told} | {in_code(row.time) or _NONE} | {short} |\n"


def _short(name: str) -> str:
    # Half a secret is known by nothing, so none is cut.
    whole = redacted(name)
    return whole if len(whole) <= NAME_LENGTH else _CUT + whole[1 - NAME_LENGTH :]


def _code(text: str) -> str:
    # An empty code span is none.
    return f"`{in_code(text)}`" if text else _NONE
