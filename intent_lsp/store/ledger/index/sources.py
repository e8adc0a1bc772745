"""How far the index has read each of the ledger's files, and where their chains end.

Invariant: a file's number is never used for another file, so that a row of a forgotten file can
never be taken for one of a file that is there.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from intent_lsp.core.content import ContentHash
from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.formats.ledger.index_keys import key64
from intent_lsp.store.ledger.raw.file import read_at
from intent_lsp.store.ledger.raw.files import FileStamp

_COLUMNS: Final = (
    "number, file, offset, tail, stamp, lines, records, copies, copying, low, high, last,"
    " last_time, heads"
)
_SAVE: Final = """
UPDATE source SET offset = ?, tail = ?, stamp = ?, lines = ?, records = ?, copies = ?, copying = ?,
low = ?, high = ?, last = ?, last_time = ?, heads = ? WHERE number = ?
"""
_NEW: Final = """
INSERT INTO source (file, offset, tail, stamp, lines, records, copies, copying, low, high, last,
last_time, heads) VALUES (?, 0, x'', '', 0, 0, 0, 0, 0, 0, NULL, '', '[]')
"""
# Beside `max` SQLite gives the other columns of the same row.
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
_HEADS: Final = msgspec.json.Decoder(list[Head])


@dataclass(slots=True, kw_only=True)
class IndexedFile:
    """How far one file has been read: `tail` is the end of what was read, `stamp` its state then.

    `records` counts those first found here, `copies` lines that are records of other files too;
    `copying`: the last line was one. `low` and `high` bound the moments of its records.
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


def sources(connection: sqlite3.Connection) -> dict[str, IndexedFile]:
    """Read how far the index is, by file."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM source")  # noqa: S608 -- a constant
    return {row[1]: _source(row) for row in rows}


def source_of(connection: sqlite3.Connection, file: str) -> IndexedFile | None:
    """Read how far the index is in one file; None: it has not begun."""
    statement = f"SELECT {_COLUMNS} FROM source WHERE file = ?"  # noqa: S608 -- a constant
    row = connection.execute(statement, (file,)).fetchone()
    return None if row is None else _source(row)


def begin(connection: sqlite3.Connection, file: str) -> IndexedFile:
    """Read how far the index is in one file; one that is new gets its number."""
    found = source_of(connection, file)
    if found is None:
        number = connection.execute(_NEW, (file,)).lastrowid
        found = IndexedFile(number=number or 0, file=file)
    return found


def save(connection: sqlite3.Connection, source: IndexedFile) -> None:
    """Write down how far a file has been read."""
    trail = source.trail
    connection.execute(
        _SAVE,
        (
            source.offset,
            source.tail,
            source.stamp,
            trail.lines,
            source.records,
            source.copies,
            source.copying,
            source.low,
            source.high,
            trail.last,
            trail.last_time,
            msgspec.json.encode(list(trail.heads.values())).decode(),
            source.number,
        ),
    )


def forget(connection: sqlite3.Connection, file: str) -> None:
    """Forget a file, and with it all that hold copies of records, which may have been its own."""
    for source in sources(connection).values():
        if source.file == file or source.copies:
            _forget(connection, source)
    if connection.execute("SELECT 1 FROM source LIMIT 1").fetchone() is None:
        # What touched a path is found by its record alone, so that it may stay until now.
        connection.execute("DELETE FROM touched")
        connection.execute("DELETE FROM latest")


def _forget(connection: sqlite3.Connection, source: IndexedFile) -> None:
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
    """Give the heads of a file that no record of another file names, in order of line."""
    statement = "SELECT 1 FROM named WHERE hash64 = ? LIMIT 1"
    return [
        head
        for head in source.trail.heads.values()
        if connection.execute(statement, (key64(head.hash),)).fetchone() is None
    ]


def all_heads(connection: sqlite3.Connection, found: Mapping[str, IndexedFile]) -> list[Head]:
    """Give every open head once, file by file in the order of `found`."""
    heads: dict[ContentHash, Head] = {}
    for source in found.values():
        for head in open_heads(connection, source):
            heads.setdefault(head.hash, head)
    return list(heads.values())


def loose_ends(connection: sqlite3.Connection) -> str:
    """Spell the keys of the ends of branches within a file as JSON, until a record ties them.

    The one end of a writer's own segment is none, though other writers have theirs.
    """
    loose = [open_heads(connection, source) for source in sources(connection).values()]
    return json.dumps([key64(h.hash) for heads in loose if len(heads) > 1 for h in heads])


def joins(source: IndexedFile, fd: int) -> bool:
    """Find out whether a file still holds what was read of it."""
    return read_at(fd, source.offset - len(source.tail), source.offset) == source.tail


def spelled(stamp: FileStamp) -> str:
    """Spell a stamp as the index keeps it."""
    device, inode = stamp.identity
    return f"{device}:{inode}:{stamp.size}:{stamp.mtime_ns}"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all or nothing, alone among all writers."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _source(row: tuple[Any, ...]) -> IndexedFile:
    number, file, offset, tail, stamp, lines, records, copies, copying, low, high, *rest = row
    last, last_time, spelled_heads = rest
    heads = {head.hash: head for head in _HEADS.decode(spelled_heads)}
    return IndexedFile(
        number=number,
        file=file,
        offset=offset,
        tail=tail,
        stamp=stamp,
        records=records,
        copies=copies,
        copying=bool(copying),
        low=low,
        high=high,
        trail=ChainCursor(heads, lines, last, last_time),
    )
