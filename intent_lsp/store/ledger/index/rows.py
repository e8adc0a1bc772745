"""Rows of the index, made from ledger lines and inserted many at a time (ledger section 4).

Invariant: a record has one row, however often its line is in the ledger's files.
Invariant: a line grants scope only if its form and its hash are right.
Invariant: inserting many lines at once gives the same rows as inserting them one by one.
Invariant: `latest` names the newest record of each intent for each path it touched.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from typing import Final

from msgspec import Struct, field

from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.ledger.batch import Columns
from intent_lsp.formats.ledger.index_keys import (
    key64,
    keys_of_hashes,
    keys_of_ids,
    moment_of,
    moments_of,
)
from intent_lsp.formats.ledger.jsonl import IndexEntry
from intent_lsp.store.ledger.index.batch import TAIL, Batch, BatchPart
from intent_lsp.store.ledger.index.database import HASH_INDEX
from intent_lsp.store.ledger.index.sources import IndexedFile

_KEPT: Final = 20_000
"""How many names and paths are kept in memory before they are written."""

_Row = tuple[object, ...]

_ANY: Final = "SELECT 1 FROM record LIMIT 1"
_KNOWN: Final = "SELECT source FROM record WHERE hash64 = ? AND id64 = ?"
_NAME: Final = "INSERT OR IGNORE INTO name (text) VALUES (?)"
_NUMBER: Final = "SELECT number FROM name WHERE text = ?"
_RECORD: Final = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED: Final = "INSERT OR IGNORE INTO touched VALUES (CAST(? AS BLOB), ?, ?)"
_TOUCHED_ANEW: Final = "INSERT INTO temp.touched_anew VALUES (?, ?, ?)"
_LATEST: Final = """
INSERT INTO latest VALUES (?, CAST(? AS BLOB), ?, ?) ON CONFLICT (intent, path) DO UPDATE
SET moment = excluded.moment, source = excluded.source
WHERE (excluded.moment, excluded.source) > (moment, source)
"""
_NAMED: Final = "INSERT OR IGNORE INTO named VALUES (?, ?)"
_GRANTED: Final = "INSERT INTO granted VALUES (?, ?, ?)"


def insert(connection: sqlite3.Connection, added: Batch, source: IndexedFile) -> None:
    """Index the next lines of a ledger file, and advance `source` past them, without storing it."""
    rows = IndexRows(connection, source)
    rows.add(added)
    rows.end()


def path_key(path: WorkspacePath) -> bytes:
    """Return a path as the bytes that the index stores. They need not be valid UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def path_of(key: bytes) -> WorkspacePath:
    """Return the path that `path_key` returned these bytes for."""
    return WorkspacePath(key.decode("utf-8", "surrogateescape"))


class IndexRows(Struct):
    """Collects and inserts the index rows for one ledger file's lines. `end` must be called last.

    `source` is how far the file has been read. `anew` is whether the index is being built from
    nothing, within `build.built`. `record`, `touched`, `named` and `granted` are rows to insert
    into the tables with these names. `latest` maps (intent's number, path) to the moment of the
    newest record, and `numbers` maps names to their numbers in the database.
    """

    connection: sqlite3.Connection
    source: IndexedFile
    anew: bool = False
    record: list[_Row] = field(default_factory=list)
    touched: list[_Row] = field(default_factory=list)
    named: list[_Row] = field(default_factory=list)
    granted: list[_Row] = field(default_factory=list)
    latest: dict[tuple[int, WorkspacePath], int] = field(default_factory=dict)
    numbers: dict[str | None, int | None] = field(default_factory=lambda: {None: None})

    def add(self, added: Batch) -> None:
        """Add the rows for the next lines of the file, and advance `source` past these lines."""
        for part in added.parts:
            self._take(part)
        self.source.tail = (self.source.tail + added.tail)[-TAIL:]
        self._flush()
        if len(self.latest) + len(self.numbers) > _KEPT:
            self.end()

    def end(self) -> None:
        """Insert the collected rows of the table `latest`, and clear the cache of names."""
        source = self.source.number
        latest = [(at, _key(path), when, source) for (at, path), when in self.latest.items()]
        self.connection.executemany(_LATEST, latest)
        self.latest.clear()
        self.numbers = {None: None}

    def _take(self, part: BatchPart) -> None:
        """Add the rows for the lines of a part of a batch.

        All are added at once if they are new records in sequence, else one by one.
        """
        lengths, found = part
        if isinstance(found, Columns):
            if self._goes_on(found):
                self._add_all(lengths, found)
                return
            found = found.entries
        for length, entry in zip(lengths, found, strict=True):
            self._follow(length, entry)
            self.source.offset += length

    def _flush(self) -> None:
        """Insert the rows collected for the tables `record`, `touched`, `named` and `granted`."""
        touched = _TOUCHED_ANEW if self.anew else _TOUCHED
        for statement, rows in (
            (_RECORD, self.record),
            (touched, self.touched),
            (_NAMED, self.named),
            (_GRANTED, self.granted),
        ):
            self.connection.executemany(statement, rows)
            rows.clear()

    def _numbers(self, names: Sequence[str | None]) -> list[int | None]:
        """Return the number that stands for each of `names` in the database; None for None.

        A new name gets a number. Numbers are cached.
        """
        numbers, connection = self.numbers, self.connection
        for name in set(names).difference(numbers):
            connection.execute(_NAME, (name,))
            (numbers[name],) = connection.execute(_NUMBER, (name,)).fetchone()
        return [numbers[name] for name in names]

    def _goes_on(self, found: Columns) -> bool:
        """Return whether all lines are new records that directly follow the last indexed record."""
        source, heads = self.source, self.source.trail.heads
        return (
            source.trail.goes_on(found.first)
            and not source.copying
            and source.trail.last in heads
            and heads.keys().isdisjoint(found.hashes)
        )

    def _add_all(self, lengths: Sequence[int], found: Columns) -> None:
        """Insert the rows for lines that are all new records.

        `lengths` are the lines' lengths in bytes.
        """
        source, number = self.source, repeat(self.source.number)
        told = moments_of(found.times)
        moments = _rising(told, source.high)
        offsets = accumulate(lengths, initial=source.offset)
        keys = keys_of_hashes(found.hashes), keys_of_ids(found.ids)
        times = repeat(None) if moments is told else map(_time, moments, told, found.times)
        intents = self._numbers(found.intents)
        named = intents, self._numbers(found.sessions), times
        passing = map(int, found.passing)
        rows = zip(moments, number, offsets, lengths, *keys, *named, passing, strict=False)
        # `zip` makes one row at a time, so that memory stays small.
        self.connection.executemany(_RECORD, rows)
        self._touch(found.paths, moments, intents)
        source.low, source.high = source.low or moments[0], moments[-1]
        source.records += len(lengths)
        source.offset += sum(lengths)
        source.trail.skip_to(found.last, len(lengths))

    def _follow(self, length: int, found: IndexEntry) -> None:
        """Add one line of `length` bytes, unless it is no record or a copy of a known record."""
        source = self.source
        if not found.link.hash:
            source.trail.pass_over(found.link)
            return
        known = self._known(found)
        source.copying = known is not None
        if known is None:
            self._add(length, found, source.trail.step(found.link))
        else:
            source.copies += known != source.number
            source.trail.pass_over(found.link)

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
        self._flush()
        if self.anew:
            if self.connection.execute(_ANY).fetchone() is None:
                return None
            # Most ledgers hold no copies. For them the index on hashes is made at the end, which
            # costs less.
            self.connection.execute(HASH_INDEX)
        keys = (key64(link.hash), key64(link.id))
        row = self.connection.execute(_KNOWN, keys).fetchone()
        return None if row is None else row[0]

    def _add(self, length: int, found: IndexEntry, unknown: Sequence[ContentHash]) -> None:
        """Add the row of a new record, whose line has `length` bytes.

        `unknown` are the hashes of records that it follows or merges and that are not open heads of
        the file.
        """
        link, source = found.link, self.source
        # Within a file moments follow the chain, even where the clock went back.
        told = moment_of(link.timestamp)
        moment = max(source.high + 1, told)
        source.low, source.high = source.low or moment, moment
        source.records += 1
        number = source.number
        intent, session = self._numbers([found.intent_id, link.session_id])
        self.record.append(
            (
                moment,
                number,
                source.offset,
                length,
                key64(link.hash),
                key64(link.id),
                intent,
                session,
                _time(moment, told, link.timestamp),
                int(found.passing),
            )
        )
        self._touch([found.paths], [moment], [intent])
        named = [key64(name) for name in unknown]
        self.named += [(name, number) for name in named]
        if found.grant and link.flaw is None:
            self.granted.append((moment, number, json.dumps(named)))

    def _touch(
        self,
        paths: Iterable[Sequence[WorkspacePath]],
        moments: Iterable[int],
        intents: Iterable[int | None],
    ) -> None:
        """Collect the rows for the paths that some records touched.

        There is one item in `paths`, `moments` and `intents` for each record; an intent is its
        number.
        """
        source = self.source.number
        for told, moment, intent in zip(paths, moments, intents, strict=True):
            for path in told:
                self.touched.append((_key(path), moment, source))
                if intent is not None:
                    self.latest[intent, path] = moment


def _time(moment: int, told: int, timestamp: str) -> str | None:
    """Return a record's timestamp if the index must store it as text, else None.

    It must if `moment`, the integer by which records are ordered, differs from `told`, the
    timestamp as an integer. They differ where the clock stood still or went back.
    """
    return None if moment == told else timestamp


def _rising(moments: list[int], high: int) -> list[int]:
    """Return the times of records, raised where necessary so that they grow.

    Each is greater than the one before it, and the first is greater than `high`.
    """
    if high < moments[0] and moments == sorted(set(moments)):
        return moments
    found = accumulate(moments, lambda last, moment: max(last + 1, moment), initial=high)
    return [*found][1:]


def _key(path: WorkspacePath) -> str | bytes:
    # SQLite binds text several times as fast as bytes, and the statement casts it to the same
    # bytes.
    return path if path.isascii() else path_key(path)
