"""Index queries: which records match, where their lines are, and which files each intent touched.

A moment is an integer made of a record's timestamp. Where the clock stood still or went back, it is
raised so that it grows from each record of a file to the next.

Invariant: pages are newest first by moment. Within a file that is the chain's order, between files
the order of time.
Invariant: no query reads a ledger line.
Invariant: only the difference since a mark is returned if the mark's newest record is still there,
and as many records up to it; otherwise the whole result is returned again.
"""

import sqlite3
from collections.abc import Collection, Iterator
from heapq import merge
from typing import Final, NamedTuple, NewType

from msgspec import Struct

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.index_keys import key64, moment_of
from intent_lsp.store.ledger.index.rows import path_key, path_of
from intent_lsp.store.ledger.index.sources import loose_ends

PageCursor = NewType("PageCursor", int)
"""The position where a page ended: a decimal number in the protocol, opaque to clients."""

FAR: Final = 2**62
_FIELDS: Final = "record.moment, record.source, record.offset, record.length, record.id64"
_NUMBER: Final = "(SELECT number FROM name WHERE text = ?)"
_SOURCE_BITS: Final = 32
_LAST: Final = 2**63 - 1
_JOINED: Final = """
NOT EXISTS (SELECT 1 FROM json_each(granted.named) AS name WHERE NOT EXISTS (
SELECT 1 FROM record AS above WHERE above.hash64 = name.value
AND (above.source != granted.source OR above.moment < granted.moment)))
"""

_NEWEST: Final = "SELECT moment, id64 FROM record ORDER BY moment DESC, source DESC LIMIT 1"
_STILL: Final = "SELECT 1 FROM record WHERE moment = ? AND id64 = ?"
_SINCE: Final = "SELECT count(*) FROM record WHERE moment > ?"
_TOUCHES: Final = """
SELECT name.text, latest.path, latest.moment, record.source, record.offset, record.length,
  record.id64
FROM latest
CROSS JOIN record ON record.moment = latest.moment AND record.source = latest.source
CROSS JOIN name ON name.number = latest.intent
WHERE latest.moment > ?
"""
# Skips from each path to the next, because a file may have been touched a million times. Rows of
# forgotten files have no record.
_PATHS: Final = """
WITH RECURSIVE known(path) AS (
  SELECT min(path) FROM touched
  UNION ALL
  SELECT (SELECT min(path) FROM touched WHERE path > known.path) FROM known WHERE path IS NOT NULL
)
SELECT path FROM known WHERE EXISTS (
  SELECT 1 FROM touched JOIN record USING (moment, source) WHERE touched.path = known.path
) LIMIT ?
"""


class Query(Struct, frozen=True, kw_only=True):
    """The conditions that a record must fulfil. A field that is None sets no condition.

    `since` is the earliest timestamp that matches, in the ledger's form (RFC 3339). `passing` is
    whether the edit happened and its verdict is not FAIL. With `grants`, only records that grant
    scope match. Their links must be unbroken, and if their file ends in several branches, they must
    not be the last record of one. `grants` is not for use together with `path`.
    """

    intent_ids: Collection[str] | None = None
    path: WorkspacePath | None = None
    session_ids: Collection[str] | None = None
    since: str | None = None
    passing: bool | None = None
    grants: bool = False


class RecordPage(Struct, frozen=True):
    """One page of records, newest first.

    `cursor` requests the next page; it is None on the last page.
    """

    records: tuple[Record, ...]
    cursor: PageCursor | None


class RecordPlace(NamedTuple):
    """Where a record's line is: `length` bytes from `offset` on, in the file of number `source`.

    `moment` is the record's moment. Records are ordered by `moment`, then by `source`. `id64` is
    the 64-bit key of the record's id.
    """

    moment: int
    source: int
    offset: int
    length: int
    id64: int

    @property
    def cursor(self) -> PageCursor:
        """The cursor that requests the page after this record."""
        return PageCursor((self.moment << _SOURCE_BITS) + self.source)


Before = tuple[int, int]
"""A moment and a file's number. A page holds only records that come before."""


class TouchMark(Struct, frozen=True):
    """The state of the index at a query, from which a later query can continue.

    `moment` is that of the newest record, and `id64` a 64-bit key of its id. `count` is the number
    of records.
    """

    moment: int
    id64: int
    count: int


class TouchedFile(Struct, frozen=True):
    """A file that an intent has touched, and the newest record in which the intent touched it.

    `intent_id` is the intent's id in that record.
    """

    intent_id: str
    path: WorkspacePath
    record: Record


class TouchedFiles(Struct, frozen=True):
    """The files that intents touched since a mark, or all that they ever touched if `whole` is set.

    `mark` is the mark for the next query, or None if there are no records.
    """

    files: tuple[TouchedFile, ...]
    whole: bool
    mark: TouchMark | None


Touch = tuple[str, WorkspacePath, RecordPlace]
"""An intent's id, a file that it has touched, and where its newest record of that file is."""


def before(cursor: PageCursor | None) -> Before:
    """Return (moment, file number): the page that `cursor` requests has only records before that.

    If `cursor` is None, all records are before that. A cursor from a client may be any number.
    """
    if cursor is None:
        return _LAST, 0
    moment, source = divmod(cursor, 1 << _SOURCE_BITS)
    return min(max(moment, -1), _LAST), source


def places(
    query: Query, limit: int, start: Before, connection: sqlite3.Connection
) -> Iterator[RecordPlace]:
    """Yield the places of the records that match `query` and are older than `start`, newest first.

    For each of the query's `intent_ids`, at most `limit` places are found, and these are merged. If
    the `intent_ids` are None, at most `limit` places are found in all.
    """
    if query.grants and connection.execute("SELECT 1 FROM granted LIMIT 1").fetchone() is None:
        # This query runs for each edit, and most teams have granted nothing.
        return iter(())
    intents = [None] if query.intent_ids is None else sorted(set(query.intent_ids))
    walks = [_walk(query, intent, limit, start, connection) for intent in intents]
    return merge(*walks, reverse=True)


def of_id(record_id: str, connection: sqlite3.Connection) -> list[RecordPlace]:
    """Return the places of the records whose id has the same 64-bit key as `record_id`."""
    statement = f"SELECT {_FIELDS} FROM record WHERE id64 = ?"  # noqa: S608 -- a constant
    return [RecordPlace(*row) for row in connection.execute(statement, (key64(record_id),))]


def of_ids_between(first: int, last: int, connection: sqlite3.Connection) -> Iterator[RecordPlace]:
    """Yield the places of records whose 64-bit id keys are from `first` to `last`, oldest first."""
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM record WHERE id64 BETWEEN ? AND ? ORDER BY moment, source",  # noqa: S608 -- a constant
        (first, last),
    )
    return (RecordPlace(*row) for row in rows)


def touches(
    since: TouchMark | None, count: int, connection: sqlite3.Connection
) -> tuple[list[Touch], bool, TouchMark | None]:
    """Return (touches, whole, mark): the intents' newest records of files touched since a mark.

    There is one touch for each intent and file. `whole` is whether these are all touches ever. The
    new mark is None if there are no records. `count` is the present number of records.
    """
    newest = connection.execute(_NEWEST).fetchone()
    if newest is None:
        return [], True, None
    mark = TouchMark(moment=newest[0], id64=newest[1], count=count)
    if mark == since:
        return [], False, mark
    whole = since is None or not _goes_on(since, count, connection)
    after = -1 if since is None or whole else since.moment
    rows = connection.execute(_TOUCHES, (after,))
    found = [(text, path_of(key), RecordPlace(*place)) for text, key, *place in rows]
    return found, whole, mark


def touched_paths(connection: sqlite3.Connection, limit: int) -> tuple[WorkspacePath, ...]:
    """Return the first `limit` paths, in sorted order, that any record touched."""
    return tuple(path_of(key) for (key,) in connection.execute(_PATHS, (limit,)))


def _walk(
    query: Query, intent: str | None, limit: int, start: Before, connection: sqlite3.Connection
) -> list[RecordPlace]:
    """Return the places of at most `limit` matching records of one intent, newest first.

    They match `query` and are older than `start`. If `intent` is None, records of all intents and
    of none match.
    """
    conditions: list[tuple[object, ...]] = []
    table = "record"
    if query.path is not None:
        table = "touched"
        conditions.append(("touched.path = ?", path_key(query.path)))
    elif query.grants:
        table = "granted"
        loose = "record.hash64 NOT IN (SELECT value FROM json_each(?))"
        conditions += [(_JOINED,), (loose, loose_ends(connection))]
    conditions.append((f"({table}.moment, {table}.source) < (?, ?)", *start))
    if intent is not None:
        conditions.append((f"record.intent = {_NUMBER}", intent))
    if query.session_ids is not None:
        marks = ", ".join([_NUMBER] * len(query.session_ids))
        conditions.append((f"record.session IN ({marks})", *query.session_ids))
    if query.passing is not None:
        conditions.append(("record.passing = ?", query.passing))
    if query.since is not None:
        conditions.append((f"{table}.moment >= ?", moment_of(query.since)))
        # Moments bound the walk. They differ from the timestamps where a clock went back, so those
        # are compared, too.
        conditions.append(("coalesce(+record.time >= ?, true)", query.since))
    statement = _statement(table, [str(condition) for condition, *_ in conditions])
    values = [value for _, *told in conditions for value in told]
    return [RecordPlace(*row) for row in connection.execute(statement, (*values, limit))]


def _statement(table: str, conditions: list[str]) -> str:
    """Return a SELECT of the places of records for the rows of `table`, newest first.

    `conditions` are SQL conditions, all of which must be true. The statement's last parameter is
    the limit.
    """
    joined = "record"
    if table != "record":
        # CROSS JOIN keeps SQLite from walking the records instead of this table.
        on = f"record.moment = {table}.moment AND record.source = {table}.source"
        joined = f"{table} CROSS JOIN record ON {on}"
    where = " AND ".join(conditions)
    order = f"{table}.moment DESC, {table}.source DESC"
    return f"SELECT {_FIELDS} FROM {joined} WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608 -- made of the words above


def _goes_on(since: TouchMark, count: int, connection: sqlite3.Connection) -> bool:
    """Return whether since a mark only newer records were added, and none was removed.

    `count` is the present number of records.
    """
    there = connection.execute(_STILL, (since.moment, since.id64)).fetchone()
    (added,) = connection.execute(_SINCE, (since.moment,)).fetchone()
    return there is not None and since.count + added == count
