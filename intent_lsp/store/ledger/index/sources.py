"""The files that the index has read (sources): how far, and where each file's chain ends.

Invariant: a file's number is never used again, so that a row of a forgotten file cannot be taken
for a row of another file.
"""

import json
import sqlite3
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct, field

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.formats.ledger.index_keys import key64
from intent_lsp.store.ledger.raw.file import read_at
from intent_lsp.store.ledger.raw.files import FileStamp

_NEW: Final = "INSERT INTO source (file, state) VALUES (?, x'')"
# Beside max(), SQLite takes the other columns from the row that has the maximum.
_LATEST_ELSEWHERE: Final = """
INSERT OR REPLACE INTO latest
SELECT lost.intent, lost.path, max(touched.moment), touched.source
FROM latest AS lost
CROSS JOIN touched ON touched.path = lost.path
CROSS JOIN record ON record.moment = touched.moment AND record.source = touched.source
  AND record.intent = lost.intent
WHERE lost.source = ?
GROUP BY lost.intent, lost.path
"""


class IndexedFile(Struct, kw_only=True):
    """How far the index has read one ledger file.

    `number` stands for the file in rows of the index, and `file` is its path. `offset` is in bytes;
    `tail` are the last bytes read, and `stamp` is the file's encoded stamp when all of it was read,
    or "". `records` counts records first found in this file; `copies` counts lines whose records
    were found in other files before. `copying` is whether the last record read was known already.
    `low` and `high` are the earliest and latest moment of its records, or 0. `trail` is a chain
    cursor at `offset`.
    """

    number: int
    file: str
    offset: int = 0
    tail: bytes = b""
    stamp: str = ""
    records: int = 0
    copies: int = 0
    copying: bool = False
    low: int = 0
    high: int = 0
    trail: ChainCursor = field(default_factory=ChainCursor)


_READ: Final = msgspec.msgpack.Decoder(IndexedFile)
_ENCODE: Final = msgspec.msgpack.Encoder().encode


def sources(connection: sqlite3.Connection) -> dict[str, IndexedFile]:
    """Return how far the index has read each ledger file, keyed by the file's path."""
    rows = connection.execute("SELECT file, state FROM source ORDER BY number")
    return {file: _source(state) for file, state in rows}


def source_of(connection: sqlite3.Connection, file: str) -> IndexedFile | None:
    """Return how far the index has read a ledger file, or None if it has not begun to read it."""
    row = connection.execute("SELECT state FROM source WHERE file = ?", (file,)).fetchone()
    return None if row is None else _source(row[0])


def begin(connection: sqlite3.Connection, file: str) -> IndexedFile:
    """Return how far the index has read a ledger file.

    A file that the index does not know is added to it, with a new number and offset 0.
    """
    found = source_of(connection, file)
    if found is None:
        number = connection.execute(_NEW, (file,)).lastrowid
        found = IndexedFile(number=number or 0, file=file)
        save(connection, found)
    return found


def save(connection: sqlite3.Connection, source: IndexedFile) -> None:
    """Store in the index how far a ledger file has been read."""
    values = (_ENCODE(source), source.number)
    connection.execute("UPDATE source SET state = ? WHERE number = ?", values)


def forget(connection: sqlite3.Connection, file: str) -> None:
    """Remove a ledger file from the index, so that it counts as not read.

    Also remove every file with copies of records in other files, since these copies may be of
    removed records.
    """
    for source in sources(connection).values():
        if source.file == file or source.copies:
            _forget(connection, source)
    if connection.execute("SELECT 1 FROM source LIMIT 1").fetchone() is None:
        # These rows are only used joined to `record`, so that stale ones do no harm until here.
        connection.execute("DELETE FROM touched")
        connection.execute("DELETE FROM latest")


def _forget(connection: sqlite3.Connection, source: IndexedFile) -> None:
    """Remove the rows of one ledger file from the index, except those of the table `touched`.

    Rows of `touched` have no effect without a row of their record. For each intent and path whose
    newest record was in that file, set the newest record in the other files.
    """
    number = source.number
    bounds = (source.low, source.high, number)
    for table in ("record", "granted"):
        connection.execute(
            f"DELETE FROM {table} WHERE moment BETWEEN ? AND ? AND source = ?",  # noqa: S608 -- two constants
            bounds,
        )
    connection.execute(_LATEST_ELSEWHERE, (number,))
    for table in ("latest", "named"):
        connection.execute(f"DELETE FROM {table} WHERE source = ?", (number,))  # noqa: S608 -- as above
    connection.execute("DELETE FROM source WHERE number = ?", (number,))


def open_heads(connection: sqlite3.Connection, source: IndexedFile) -> list[Head]:
    """Return those heads of a ledger file that no record of another file follows, in line order."""
    statement = "SELECT 1 FROM named WHERE hash64 = ? LIMIT 1"
    return [
        head
        for head in source.trail.heads.values()
        if connection.execute(statement, (key64(head.hash),)).fetchone() is None
    ]


def all_heads(connection: sqlite3.Connection, found: Mapping[str, IndexedFile]) -> list[Head]:
    """Return the `open_heads` of the ledger files `found`, in their order, each head once."""
    heads: dict[ContentHash, Head] = {}
    for source in found.values():
        for head in open_heads(connection, source):
            heads.setdefault(head.hash, head)
    return list(heads.values())


def loose_ends(connection: sqlite3.Connection) -> str:
    """Return the open heads of the files that have more than one, as a JSON list of 64-bit keys.

    A file's only open head is left out.
    """
    loose = [open_heads(connection, source) for source in sources(connection).values()]
    return json.dumps([key64(h.hash) for heads in loose if len(heads) > 1 for h in heads])


def joins(source: IndexedFile, fd: int) -> bool:
    """Return whether an open file still has the bytes `source.tail` where the index read them."""
    return read_at(fd, source.offset - len(source.tail), source.offset) == source.tail


def spelled(stamp: FileStamp) -> str:
    """Return a ledger file's stamp, without its path, as the text that the index stores."""
    device, inode = stamp.identity
    return f"{device}:{inode}:{stamp.size}:{stamp.mtime_ns}"


def _source(state: bytes) -> IndexedFile:
    try:
        return _READ.decode(state)
    except msgspec.DecodeError as error:
        # `IndexDatabase.run` then builds the index anew.
        raise sqlite3.DatabaseError(str(error)) from error
