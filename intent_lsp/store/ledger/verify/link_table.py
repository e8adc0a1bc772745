"""What a verification remembers of every line, in a temporary SQLite database: ids, hashes, links.

Invariant: memory stays flat in the ledger's size; what grows with it is in the database, which
SQLite keeps in an unnamed file beyond a few megabytes.
Invariant: rows are counted from 0 over all files, in the order in which they were read.
"""

import hashlib
import sqlite3
from bisect import bisect_right
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Self

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.ledger.chain import Link
from intent_lsp.core.paths import LEDGER_FILE

Key = bytes
"""A hash as 32 bytes."""

_NOTHING: Final = bytes(32)
_NO_ID: Final = bytes(16)
_PREFIX: Final = "sha256:"

_SCHEMA: Final = """
PRAGMA cache_size = -8192;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE record (row INTEGER PRIMARY KEY, id BLOB, hash BLOB);
CREATE TABLE named (row INTEGER, name BLOB, PRIMARY KEY (row, name)) WITHOUT ROWID;
CREATE TABLE sought (name BLOB PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
"""A row without `named` follows the row above it and names nothing else; `named` of a row that
follows nothing has 32 zeros.
"""

_ADD: Final = "INSERT INTO record VALUES (?, ?, ?)"
# One statement: several times as fast as one for each row.
_ADD_ALL: Final = """
INSERT INTO record
WITH RECURSIVE line (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM line WHERE at + 1 < :lines)
SELECT :row + at, substr(:ids, 1 + 16 * at, 16), substr(:hashes, 1 + 32 * at, 32) FROM line
"""
_NAME: Final = "INSERT OR IGNORE INTO named VALUES (?, ?)"
_SEEK: Final = "INSERT OR IGNORE INTO sought VALUES (?)"
_PLACES: Final = "SELECT hash, row FROM record WHERE hash IN sought ORDER BY row"
_UNNAMED: Final = """
SELECT name FROM sought
EXCEPT SELECT name FROM named
EXCEPT SELECT above.hash FROM record AS above JOIN record AS below ON below.row = above.row + 1
WHERE above.hash IN sought AND below.row NOT IN (SELECT row FROM named)
"""
_INDEX: Final = "CREATE INDEX IF NOT EXISTS record_hash ON record (hash)"
# A stretch is a row with `named` and those below it without. Who enters one at a row reaches all
# that stand above in it, then what its first row names. A copy of a record counts once.
_REACHED: Final = """
WITH RECURSIVE
entered (row, first) AS (
  SELECT row, (SELECT max(named.row) FROM named WHERE named.row <= record.row)
  FROM record WHERE hash IN sought
  UNION
  SELECT record.row, (SELECT max(above.row) FROM named AS above WHERE above.row <= record.row)
  FROM entered JOIN named ON named.row = entered.first JOIN record ON record.hash = named.name
),
stretch (first, last) AS MATERIALIZED (SELECT first, max(row) FROM entered GROUP BY first)
SELECT count(*) FROM (
  SELECT 1 FROM stretch CROSS JOIN record ON record.row BETWEEN first AND last GROUP BY hash
)
"""
_REPEATED: Final = """
WITH shared (id, first, hash) AS MATERIALIZED (
  SELECT id, min(row), hash FROM record WHERE id <> zeroblob(16) GROUP BY id HAVING count(*) > 1
)
SELECT record.row, record.hash = shared.hash
FROM shared CROSS JOIN record ON record.id = shared.id AND record.row > first ORDER BY record.row
"""


class Packed(NamedTuple):
    """Lines with nothing wrong, each following the one above, in time too: the ends of them.

    They tie nothing. `ids` and `hashes` are the keys of all, put together.
    """

    first: Link
    last: Link
    lines: int
    ids: bytes
    hashes: bytes

    @property
    def keys(self) -> list[Key]:
        """Give the keys of the hashes one by one."""
        return [self.hashes[at : at + 32] for at in range(0, len(self.hashes), 32)]


class Repeated(NamedTuple):
    """Lines that share an id: `copies` are the same record again, `others` rows another one's."""

    copies: int
    others: tuple[int, ...]


class HashPlaces(NamedTuple):
    """Where a hash was found: its first row, and its first row in any file but that one."""

    first: int
    elsewhere: int | None


class LinkTable:
    """Rows, one a line; written once, then read as often as is needed.

    Within it, LedgerUnavailableError is raised where the database cannot be kept.
    """

    def __init__(self) -> None:
        # Without a name: SQLite's own temporary database.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(_SCHEMA)
        self._starts: list[int] = []
        self._count = 0
        self._above: ContentHash | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        self._database.close()
        if isinstance(error, sqlite3.Error):
            raise LedgerUnavailableError(
                path=LEDGER_FILE,
                problem=f"the temporary database of its verification failed: {error}",
                cure="make room in the directory for temporary files",
            ) from error

    def begin_file(self) -> None:
        """Let the next row be the first of another file."""
        self._starts.append(self._count)
        self._above = None

    def add(self, link: Link, prev: ContentHash | None) -> None:
        """Remember a line; `prev` is the hash that it follows."""
        if link.hash:
            row = self._count, id_key(link.id), key(link.hash)
            self._database.execute(_ADD, row)
            self._name(prev, link.merges)
        self._count += 1
        self._above = link.hash or None

    def add_packed(self, packed: Packed) -> None:
        """Remember lines that follow one another."""
        rows = {"row": self._count, "lines": packed.lines}
        keys = {"ids": packed.ids, "hashes": packed.hashes}
        self._database.execute(_ADD_ALL, rows | keys)
        self._name(packed.first.prev, ())
        self._count += packed.lines
        self._above = packed.last.hash

    def file_of(self, row: int) -> int:
        """Give the number of the file that a row is of, from 0."""
        return bisect_right(self._starts, row) - 1

    def line_of(self, row: int) -> int:
        """Give the line of a row in its file, from 1."""
        return row - self._starts[self.file_of(row)] + 1

    def places(self, sought: Collection[Key]) -> dict[Key, HashPlaces]:
        """Find where hashes stand; one that stands nowhere is left out."""
        found: dict[Key, HashPlaces] = {}
        self._seek(sought)
        for hash_, row in self._database.execute(_PLACES):
            known = found.setdefault(hash_, HashPlaces(row, None))
            if known.elsewhere is None and self.file_of(known.first) != self.file_of(row):
                found[hash_] = HashPlaces(known.first, row)
        return found

    def unnamed(self, candidates: Collection[Key]) -> set[Key]:
        """Give those hashes that no row names."""
        self._seek(candidates)
        return {name for (name,) in self._database.execute(_UNNAMED)}

    def reach(self, anchors: Collection[Key]) -> int:
        """Count the records that some hashes and all that they follow are."""
        self._seek(anchors)
        self._database.execute(_INDEX)
        (count,) = self._database.execute(_REACHED).fetchone()
        return int(count)

    def repeated(self) -> Repeated:
        """Look for rows of one id."""
        copies, others = 0, []
        for row, same in self._database.execute(_REPEATED):
            if same:
                copies += 1
            else:
                others.append(row)
        return Repeated(copies, tuple(others))

    def _name(self, prev: ContentHash | None, merges: Collection[ContentHash]) -> None:
        """Remember what the next row names, unless that is the row above it alone."""
        if merges or prev is None or prev != self._above:
            names = [(self._count, key(name)) for name in (prev, *merges)]
            self._database.executemany(_NAME, names)

    def _seek(self, names: Collection[Key]) -> None:
        self._database.execute("DELETE FROM sought")
        self._database.executemany(_SEEK, ((name,) for name in names))


def key(name: ContentHash | None) -> Key:
    """Spell a hash as 32 bytes; all of them zero for none."""
    if name is None:
        return _NOTHING
    with suppress(ValueError):
        found = bytes.fromhex(name[len(_PREFIX) :])
        if len(found) == len(_NOTHING) and name.startswith(_PREFIX):
            return found
    # No hash of ours: a line may name anything.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def hash_of(name: Key) -> ContentHash:
    """Spell a hash of ours as text again."""
    return ContentHash(_PREFIX + name.hex())


def id_keys(ids: Sequence[str]) -> bytes:
    """Spell ids that are UUIDs as 16 bytes each, put together."""
    # One call reads all digits of all ids.
    return bytes.fromhex("".join(ids).replace("-", ""))


def id_key(name: str) -> bytes:
    """Spell an id as 16 bytes; all of them zero for none."""
    with suppress(ValueError):
        found = bytes.fromhex(name.replace("-", ""))
        if len(found) in (0, len(_NO_ID)):
            return found or _NO_ID
    # Older tools gave ids of their own.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[: len(_NO_ID)]
