"""Link table: the id, hash and links of every line during a verification, in temporary SQLite.

Invariant: memory does not grow with the ledger. SQLite keeps the table in an unnamed file once it
exceeds a few megabytes.
Invariant: rows are numbered from 0 over all files, in reading order.
"""

import hashlib
import sqlite3
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
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
"""A row without an entry in `named` follows the row above and names nothing else.

A row that follows nothing has 32 zero bytes in `named`.
"""

_ADD: Final = "INSERT INTO record VALUES (?, ?, ?)"
# One statement for all rows is several times as fast as one for each.
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
# A stretch is a row with `named` and the rows below it without. Entering it at a row reaches all
# rows above in the stretch, then what its first row names. A copy of a record counts once.
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
    """Consecutive lines without flaws, none of which merges a record.

    Each line but the first follows the line above it and is not earlier in time. `first` and `last`
    are the links of the first and the last line, and `lines` is how many there are. `ids` (16 bytes
    each) and `hashes` (32 bytes each) are the keys of all lines, concatenated.
    """

    first: Link
    last: Link
    lines: int
    ids: bytes
    hashes: bytes

    @property
    def keys(self) -> list[Key]:
        """The hash of each line, 32 bytes."""
        return [self.hashes[at : at + 32] for at in range(0, len(self.hashes), 32)]


class HashPlaces(NamedTuple):
    """The first row with a hash (`first`), and the first row with it in another file (`elsewhere`).

    `elsewhere` is None if only one file has the hash.
    """

    first: int
    elsewhere: int | None


class LinkTable:
    """A table with one row for each ledger line, which is filled first and then queried.

    As a context manager it is closed at the end of the `with` block, and errors of SQLite in the
    block become LedgerUnavailableError.
    """

    def __init__(self) -> None:
        # An empty name makes SQLite use a temporary database.
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
                problem=f"verification failed, because of its temporary database: {error}",
                cure="free space in the directory for temporary files",
            ) from error

    def begin_file(self) -> None:
        """Begin a new ledger file: the next row added is the first row of that file."""
        self._starts.append(self._count)
        self._above = None

    def add(self, link: Link, prev: ContentHash | None) -> None:
        """Add a row for one line. `prev` is the hash of the record that it follows, or None.

        A line without a hash only takes up a row number.
        """
        if link.hash:
            row = self._count, id_key(link.id), key(link.hash)
            self._database.execute(_ADD, row)
            self._name(prev, link.merges)
        self._count += 1
        self._above = link.hash or None

    def add_packed(self, packed: Packed) -> None:
        """Add a row for each of several consecutive lines, which are packed in one value."""
        rows = {"row": self._count, "lines": packed.lines}
        keys = {"ids": packed.ids, "hashes": packed.hashes}
        self._database.execute(_ADD_ALL, rows | keys)
        self._name(packed.first.prev, ())
        self._count += packed.lines
        self._above = packed.last.hash

    def file_of(self, row: int) -> int:
        """Return the number of the file that a row belongs to; the first file is 0."""
        return bisect_right(self._starts, row) - 1

    def line_of(self, row: int) -> int:
        """Return a row's line number within its file; the first line is 1."""
        return row - self._starts[self.file_of(row)] + 1

    def places(self, sought: Collection[Key]) -> dict[Key, HashPlaces]:
        """Return where each of the hashes `sought` is found. Hashes in no row are left out."""
        found: dict[Key, HashPlaces] = {}
        self._seek(sought)
        for hash_, row in self._database.execute(_PLACES):
            known = found.setdefault(hash_, HashPlaces(row, None))
            if known.elsewhere is None and self.file_of(known.first) != self.file_of(row):
                found[hash_] = HashPlaces(known.first, row)
        return found

    def unnamed(self, candidates: Collection[Key]) -> set[Key]:
        """Return those of the hashes `candidates` that no row follows or merges."""
        self._seek(candidates)
        return {name for (name,) in self._database.execute(_UNNAMED)}

    def reach(self, anchors: Collection[Key]) -> int:
        """Return how many records have one of the hashes `anchors` or precede such a record.

        Links are followed back to the beginning of the chain. A copy of a record counts once.
        """
        self._seek(anchors)
        self._database.execute(_INDEX)
        (count,) = self._database.execute(_REACHED).fetchone()
        return int(count)

    def repeated(self) -> Iterator[tuple[int, bool]]:
        """Yield (row, whether it is a copy) for each row with the record id of an earlier row.

        A copy has the same record as the first row with that id. Rows without an id do not count.
        """
        for row, same in self._database.execute(_REPEATED):
            yield row, bool(same)

    def _name(self, prev: ContentHash | None, merges: Collection[ContentHash]) -> None:
        """Store the hashes that the next row follows (`prev`) or merges.

        Nothing is stored for a row that follows only the row above.
        """
        if merges or prev is None or prev != self._above:
            names = [(self._count, key(name)) for name in (prev, *merges)]
            self._database.executemany(_NAME, names)

    def _seek(self, names: Collection[Key]) -> None:
        """Put the hashes `names` into the table `sought`, in place of those there.

        The next query searches for the hashes in this table.
        """
        self._database.execute("DELETE FROM sought")
        self._database.executemany(_SEEK, ((name,) for name in names))


def key(name: ContentHash | None) -> Key:
    """Encode a hash such as `sha256:…` as 32 bytes, all zero for None. Any other text is hashed."""
    if name is None:
        return _NOTHING
    with suppress(ValueError):
        found = bytes.fromhex(name[len(_PREFIX) :])
        if len(found) == len(_NOTHING) and name.startswith(_PREFIX):
            return found
    # A line may name any text instead of a hash, so that is hashed to fit.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()


def hash_of(name: Key) -> ContentHash:
    """Decode a hash from 32 bytes into text such as `sha256:…`."""
    return ContentHash(_PREFIX + name.hex())


def id_keys(ids: Sequence[str]) -> bytes:
    """Encode UUIDs as 16 bytes each, concatenated."""
    # Parsing all ids in one call is much faster.
    return bytes.fromhex("".join(ids).replace("-", ""))


def id_key(name: str) -> bytes:
    """Encode a record's id as 16 bytes, all zero for an empty one.

    If it is no UUID, it is hashed.
    """
    with suppress(ValueError):
        found = bytes.fromhex(name.replace("-", ""))
        if len(found) in (0, len(_NO_ID)):
            return found or _NO_ID
    # Older tools made ids that are no UUIDs, so those are hashed to fit.
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[: len(_NO_ID)]
