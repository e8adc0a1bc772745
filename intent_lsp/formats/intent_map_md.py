"""The intent map as Markdown: which intent touched which files (ledger section 6).

Invariant: whatever the values hold, a section has one heading, and a row one line of four cells.
Invariant: the same values give the same text, in the order of their paths.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.markdown_escape import in_code, in_prose

ARCHIVED: Final = "INTENT_ARCHIVED"
"""What marks an intent that is in the intents file no more."""

HASH_DIGITS: Final = 12
"""Hexadecimal digits of a hash that are shown."""

_HEAD: Final = (
    "# Intent map\n\nWritten by intent-lsp from its ledger: changes made here are lost.\n"
)
_NO_ROWS: Final = "No file was touched for it.\n"
_TABLE: Final = "| file | definitions | last record | hash |\n| --- | --- | --- | --- |\n"
_NONE: Final = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRow:
    """A file that an intent has touched, as its newest record under that intent left it.

    `definitions` are those that the record's change touched, by name; `time` is the record's
    timestamp; `hash` None: the file was deleted, or has another name since.
    """

    path: WorkspacePath
    definitions: tuple[str, ...] = ()
    time: str
    hash: ContentHash | None


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
    definitions = ", ".join(map(_code, row.definitions)) or _NONE
    short = _NONE if row.hash is None else _code(row.hash.removeprefix("sha256:")[:HASH_DIGITS])
    return f"| {_code(row.path)} | {definitions} | {in_code(row.time) or _NONE} | {short} |\n"


def _code(text: str) -> str:
    # An empty code span is none.
    return f"`{in_code(text)}`" if text else _NONE
