"""Rows of the index, made from ledger lines and inserted many at a time (ledger section 4).

Invariant: a record has one row, however often its line is in the ledger's files.
Invariant: a line grants scope only if its form and its hash are right.
Invariant: `latest` names the newest record of each intent for each path it touched.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.ledger.index_keys import key64, moment_of
from intent_lsp.formats.ledger.jsonl import IndexEntry
from intent_lsp.store.ledger.index.database import HASH_INDEX
from intent_lsp.store.ledger.index.sources import IndexedFile

_TAIL: Final = 96
"""How many bytes before the last offset are compared to see if a file still holds what was read."""

_Row = tuple[object, ...]

_ANY: Final = "SELECT 1 FROM record LIMIT 1"
_KNOWN: Final = "SELECT source FROM record WHERE hash64 = ? AND id64 = ?"
_NAME: Final = "INSERT OR IGNORE INTO name (text) VALUES (?)"
_NUMBER: Final = "SELECT number FROM name WHERE text = ?"
_RECORD: Final = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED: Final = "INSERT OR IGNORE INTO touched VALUES (CAST(? AS BLOB), ?, ?)"
_LATEST: Final = """
INSERT INTO latest VALUES (?, CAST(? AS BLOB), ?, ?) ON CONFLICT (intent, path) DO UPDATE
SET moment = excluded.moment, source = excluded.source
WHERE (excluded.moment, excluded.source) > (moment, source)
"""
_NAMED: Final = "INSERT OR IGNORE INTO named VALUES (?, ?)"
_GRANTED: Final = "INSERT INTO granted VALUES (?, ?, ?)"


def insert(
    connection: sqlite3.Connection, source: IndexedFile, lines: bytes, entries: Iterable[IndexEntry]
) -> None:
    """Index the next lines of a ledger file, and set `source` to their end.

    This does not save `source`. All `lines` are whole, and `entries` are the fields of each line to
    index.
    """
    rows = _Rows(connection, source)
    for line, entry in zip(lines.split(b"\n")[:-1], entries, strict=True):
        rows.follow(len(line) + 1, entry)
    rows.flush()
    source.tail = (source.tail + lines[-_TAIL:])[-_TAIL:]


def path_key(path: WorkspacePath) -> bytes:
    """Return a path as the bytes that the index stores. These bytes need not be valid UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def path_of(key: bytes) -> WorkspacePath:
    """Return the path that `path_key` returned these bytes for."""
    return WorkspacePath(key.decode("utf-8", "surrogateescape"))


class _Rows(Struct):
    """Collects the index rows for some lines of a ledger file. `flush` must be called last.

    `source` is how far the file has been read. `record`, `touched`, `named` and `granted` are rows
    to insert into the tables with these names. `latest` maps (intent's number, path) to the moment
    of the newest record, and `numbers` maps names to their numbers in the database.
    """

    connection: sqlite3.Connection
    source: IndexedFile
    record: list[_Row] = field(default_factory=list)
    touched: list[_Row] = field(default_factory=list)
    named: list[_Row] = field(default_factory=list)
    granted: list[_Row] = field(default_factory=list)
    latest: dict[tuple[int, str | bytes], int] = field(default_factory=dict)
    numbers: dict[str | None, int | None] = field(default_factory=lambda: {None: None})

    def follow(self, length: int, found: IndexEntry) -> None:
        """Add one line of `length` bytes, unless it is no record or a copy of a known record."""
        source = self.source
        if not found.link.hash:
            source.trail.pass_over(found.link)
        elif (known := self._known(found)) is None:
            source.copying = False
            self._add(length, found, source.trail.step(found.link))
        else:
            source.copying = True
            source.copies += known != source.number
            source.trail.pass_over(found.link)
        source.offset += length

    def flush(self) -> None:
        """Insert the collected rows."""
        number = self.source.number
        latest = [(*key, moment, number) for key, moment in self.latest.items()]
        for statement, rows in (
            (_RECORD, self.record),
            (_TOUCHED, self.touched),
            (_LATEST, latest),
            (_NAMED, self.named),
            (_GRANTED, self.granted),
        ):
            self.connection.executemany(statement, rows)
            rows.clear()
        self.latest.clear()

    def _known(self, found: IndexEntry) -> int | None:
        """Return the number of the file that already has a line's record, or None if it is new.

        A line that directly follows a new record is new. Other lines may be copies, left by a merge
        in the same file or by an interrupted archiving in two files.
        """
        link, source = found.link, self.source
        if link.hash in source.trail.heads:
            return source.number
        if source.trail.goes_on(link) and not source.copying:
            return None
        self.flush()
        if self.connection.execute(_ANY).fetchone() is None:
            return None
        # While a whole ledger is indexed it is missing, and most ledgers need it only afterwards.
        self.connection.execute(HASH_INDEX)
        keys = (key64(link.hash), key64(link.id))
        row = self.connection.execute(_KNOWN, keys).fetchone()
        return None if row is None else row[0]

    def _add(self, length: int, found: IndexEntry, unknown: Sequence[ContentHash]) -> None:
        """Add the rows of a new record, whose line has `length` bytes.

        `unknown` are the hashes that the new record follows or merges and that are not open heads
        of the file.
        """
        link, source, number = found.link, self.source, self.source.number
        # Within a file moments follow the chain, even where the clock went back.
        told = moment_of(link.timestamp)
        moment = max(source.high + 1, told)
        source.low, source.high = source.low or moment, moment
        source.records += 1
        intent, session = self._number(found.intent_id), self._number(link.session_id)
        place, keys = (source.offset, length), (key64(link.hash), key64(link.id))
        # Stored only where the clock stood still or went back, so that moment and time differ.
        time = None if moment == told else link.timestamp
        row = (moment, number, *place, *keys, intent, session, time, int(found.passing))
        self.record.append(row)
        for path in found.paths:
            # SQLite binds text several times as fast as bytes, and the statement casts it to the
            # same bytes.
            key = path if path.isascii() else path_key(path)
            self.touched.append((key, moment, number))
            if intent is not None:
                self.latest[intent, key] = moment
        named = [key64(name) for name in unknown]
        self.named += [(name, number) for name in named]
        if found.grant and link.flaw is None:
            self.granted.append((moment, number, json.dumps(named)))

    def _number(self, name: str | None) -> int | None:
        """Return the number that stands for a name in the database, or None for None.

        A name that has no number yet gets one.
        """
        if name not in self.numbers:
            self.connection.execute(_NAME, (name,))
            (self.numbers[name],) = self.connection.execute(_NUMBER, (name,)).fetchone()
        return self.numbers[name]
