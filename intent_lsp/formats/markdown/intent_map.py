"""The intent map as Markdown: which intent touched which files, written and read back.

Specified in ledger section 6.

Invariant: whatever the values hold, a section has one heading, and a row is one line of four cells.
Invariant: the same values give the same text, with the rows in order of their paths.
Invariant: any text can be read. A row or a cell that is not in our format is ignored.
Invariant: definitions written in a row with a hash are read back as they were, with secrets
redacted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

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


class MapRow(Struct, frozen=True, kw_only=True):
    """A row of the intent map: one file, and what the intent's newest record of that file says.

    `definitions` are the names of definitions that the record changed, and `more` the number of
    further ones that the row does not name. `time` is the record's timestamp. `hash` is the file's
    content hash after the edit, or None if there is none: the edit deleted the file or gave it
    another path, or the content is not known.
    """

    path: WorkspacePath
    definitions: tuple[str, ...] = ()
    more: int = 0
    time: str
    hash: ContentHash | None


MAX_READ: Final = 32 * 1024 * 1024
"""The greatest size of a map in bytes. A larger map is not read, and counts as naming nothing."""

# A cell holds no bar, since that is escaped. In a work tree the line ends may be CRLF.
_ROW: Final = re.compile(
    r"^\| `([^`|\n]+)` \| ([^|\n]+) \| ([^`|\n]+)"
    rf" \| `([0-9a-f]{{{HASH_DIGITS}}})` \|\r?$",
    re.MULTILINE,
)
_DEFINITIONS: Final = re.compile(r"(`[^`]+`(?:, `[^`]+`)*)(?: and ([1-9][0-9]{0,8}) more)?")


_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00(?:0[1-9a-f]|10)[0-9a-f]{4})|([nrt]))"
)
_SHORT: Final = {"n": "\n", "r": "\r", "t": "\t"}


class NamedDefinitions(NamedTuple):
    """The names of definitions in a row of a map, and the number of further ones (`more`)."""

    definitions: tuple[str, ...] = ()
    more: int = 0


class _Key(NamedTuple):
    """The key of a row in a map that is read back: path, time, and the first digits of the hash."""

    path: str
    time: str
    hash: str


Cells = Mapping[_Key, str]
"""The definitions cell of each row of a map, still escaped, by the row's key."""


def named(row: MapRow, names: Sequence[str]) -> MapRow:
    """Return the row with the first NAMED_AT_MOST `names`, the others counted as `more`.

    Secrets in the names are redacted, and of a name longer than NAME_LENGTH only the end is kept.
    """
    shown = tuple(map(_short, names[:NAMED_AT_MOST]))
    return replace(row, definitions=shown, more=len(names) - len(shown))


def short_hash(hash_: ContentHash) -> str:
    """Return the first HASH_DIGITS hexadecimal digits of a content hash, without `sha256:`."""
    return hash_.removeprefix("sha256:")[:HASH_DIGITS]


def definitions_cell(definitions: Iterable[str], more: int) -> str:
    """Return the table cell for definitions: names in code spans, then how many `more` there are.

    Without names, `-` is in their place.
    """
    names = ", ".join(map(_code, definitions)) or _NONE
    return f"{names} and {more} more" if more else names


def intent_map(sections: Iterable[str]) -> str:
    """Return the text of the whole map: the title, then the `sections` in the given order."""
    return "\n".join((_HEAD, *sections))


def section_of(intent: Intent, rows: Iterable[MapRow]) -> str:
    """Return the map's section for an intent in the intents file: heading and table of `rows`."""
    name = f" — {in_prose(intent.name)}" if intent.name else ""
    return _section(f"{in_prose(intent.id)}{name} ({intent.status})", rows)


def section_of_archived(intent_id: str, rows: Iterable[MapRow]) -> str:
    """Return the map's section for an intent that the intents file does not contain."""
    return _section(f"{in_prose(intent_id)} ({ARCHIVED})", rows)


def cells_in(data: bytes) -> Cells | None:
    """Return the cell in the column `definitions` of each row of a map that has a hash, by row key.

    Return None if the map, whose bytes are `data`, is larger than MAX_READ. A git merge can leave
    two rows for one record: the first that names a definition counts.
    """
    if len(data) > MAX_READ:
        return None
    found: dict[_Key, str] = {}
    for row in _ROW.finditer(data.decode("utf-8", "replace")):
        path, cell, time, digits = row.groups()
        key = _Key(_unspelled(path), time, digits)
        if found.get(key, _NOTHING) == _NOTHING:
            found[key] = cell
    return found


def definitions_of(row: MapRow, cells: Cells | None) -> NamedDefinitions | None:
    """Return the definitions that `cells`, read from an earlier map by `cells_in`, name for a row.

    Return empty NamedDefinitions if the row has no hash, or if `cells` is None because there is no
    earlier map that can be read. Return None if that map has no such row, or its cell is not in our
    format.
    """
    if cells is None or row.hash is None:
        return NamedDefinitions()
    key = _Key(row.path, row.time, short_hash(row.hash))
    cell = cells.get(key)
    if cell is None:
        cell = cells.get(key._replace(path=redacted(row.path)))
    return None if cell is None else _told(cell)


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


def _told(cell: str) -> NamedDefinitions | None:
    if cell == _NOTHING:
        return NamedDefinitions()
    found = _DEFINITIONS.fullmatch(cell)
    if found is None:
        return None
    names = tuple(map(_unspelled, found[1][1:-1].split("`, `", NAMED_AT_MOST)))
    if len(names) > NAMED_AT_MOST or any(len(name) > NAME_LENGTH for name in names):
        return None
    return NamedDefinitions(names, int(found[2] or 0))


def _unspelled(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    return _SHORT[found[4]] if code is None else chr(int(code, 16))


_NOTHING: Final = definitions_cell((), 0)
