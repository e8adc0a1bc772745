"""Reads the definitions in each row of a written intent map (ledger section 6).

Invariant: any text is accepted. A row or a cell that is not in our format is ignored.
Invariant: what we wrote is read back as the original values, without their secrets.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from intent_lsp.core.redaction import redacted
from intent_lsp.formats.markdown.intent_map import (
    HASH_DIGITS,
    NAME_LENGTH,
    NAMED_AT_MOST,
    MapRow,
    definitions_cell,
    short_hash,
)

MAX_READ: Final = 32 * 1024 * 1024
"""The greatest size of a map in bytes. A larger map is not read, and counts as naming nothing."""

# A cell holds no bar, since that is escaped. In a work tree the line ends may be CRLF.
_ROW: Final = re.compile(
    r"^\| `([^`|\n]+)` \| ([^|\n]+) \| ([^`|\n]+)"
    rf" \| `([0-9a-f]{{{HASH_DIGITS}}})` \|\r?$",
    re.MULTILINE,
)
_DEFINITIONS: Final = re.compile(r"(`[^`]+`(?:, `[^`]+`)*)(?: and ([1-9][0-9]{0,8}) more)?")
_NOTHING: Final = definitions_cell((), 0)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U(00(?:0[1-9a-f]|10)[0-9a-f]{4})|([nrt]))"
)
_SHORT: Final = {"n": "\n", "r": "\r", "t": "\t"}


class NamedDefinitions(NamedTuple):
    """The definitions that a row names, and the number of others. Empty if it names none."""

    definitions: tuple[str, ...] = ()
    more: int = 0


class _Key(NamedTuple):
    """What identifies the record of a row: path, time, and the first digits of the hash."""

    path: str
    time: str
    hash: str


Cells = Mapping[_Key, str]
"""The cells of definitions in a map, still escaped."""


def cells_in(data: bytes) -> Cells | None:
    """Return the definitions cells of the rows that have a hash, or None if the map is too large.

    A merge in git can leave two rows for one record. The first that names anything counts.
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
    """Return the definitions that the map names for a row.

    The result is empty for a row without a hash or if there is no map. It is None if the map has no
    such row, or its cell is not in our format.
    """
    if cells is None or row.hash is None:
        return NamedDefinitions()
    key = _Key(row.path, row.time, short_hash(row.hash))
    cell = cells.get(key)
    if cell is None:
        cell = cells.get(key._replace(path=redacted(row.path)))
    return None if cell is None else _told(cell)


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
