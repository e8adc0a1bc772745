"""The questions to the index, and where the records are that answer them (ledger section 4).

Invariant: newest first is by moment: inside a file the order is the chain's, between files time's.
Invariant: every walk goes along an index in the order that is asked for, and reads no line.
"""

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from heapq import merge
from typing import Final, NamedTuple, NewType

from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.index_keys import key64, moment_of
from intent_lsp.store.ledger.index.rows import path_key
from intent_lsp.store.ledger.index.sources import loose_ends

PageCursor = NewType("PageCursor", int)
"""Where a page ended. Spelled as a decimal number on the wire, and opaque there."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which records: every given field narrows. `since` is an RFC 3339 time of this ledger.

    `grants`: those alone that grant scope, whose links join, and that are no end of a branch that
    nothing ties yet.
    """

    intent_ids: Collection[str] | None = None
    path: WorkspacePath | None = None
    session_ids: Collection[str] | None = None
    since: str | None = None
    passing: bool | None = None
    grants: bool = False


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records, newest first; `cursor` asks for the next page, None: there is none."""

    records: tuple[Record, ...]
    cursor: PageCursor | None


class RecordPlace(NamedTuple):
    """Where a record is: its moment and its file's number order it, its line is read from there."""

    moment: int
    source: int
    offset: int
    length: int
    id64: int

    @property
    def cursor(self) -> PageCursor:
        """Where a page ends that this record is the last of."""
        return PageCursor((self.moment << _SOURCE_BITS) + self.source)


Before = tuple[int, int]
"""A moment and a file's number, before which a page begins."""


def before(cursor: PageCursor | None) -> Before:
    """Read a cursor, which may come from elsewhere."""
    if cursor is None:
        return _LAST, 0
    moment, source = divmod(cursor, 1 << _SOURCE_BITS)
    return min(max(moment, -1), _LAST), source


def places(
    query: Query, limit: int, start: Before, connection: sqlite3.Connection
) -> Iterator[RecordPlace]:
    """Find places, newest first: one ordered walk for each intent, joined."""
    if query.grants and connection.execute("SELECT 1 FROM granted LIMIT 1").fetchone() is None:
        # Asked for each edit, where most teams have granted nothing.
        return iter(())
    intents = [None] if query.intent_ids is None else sorted(set(query.intent_ids))
    walks = [_walk(query, intent, limit, start, connection) for intent in intents]
    return merge(*walks, reverse=True)


def of_id(record_id: str, connection: sqlite3.Connection) -> list[RecordPlace]:
    """Find the places of an id, or of ids that share their first digits."""
    statement = f"SELECT {_FIELDS} FROM record WHERE id64 = ?"  # noqa: S608 -- a constant
    return [RecordPlace(*row) for row in connection.execute(statement, (key64(record_id),))]


def of_ids_between(first: int, last: int, connection: sqlite3.Connection) -> Iterator[RecordPlace]:
    """Find the places of ids whose keys lie between two, oldest first."""
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM record WHERE id64 BETWEEN ? AND ? ORDER BY moment, source",  # noqa: S608 -- a constant
        (first, last),
    )
    return (RecordPlace(*row) for row in rows)


def _walk(
    query: Query, intent: str | None, limit: int, start: Before, connection: sqlite3.Connection
) -> list[RecordPlace]:
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
        # The moment alone bounds the walk; a clock that went back is sorted out here.
        conditions.append(("coalesce(+record.time >= ?, true)", query.since))
    statement = _statement(table, [str(condition) for condition, *_ in conditions])
    values = [value for _, *told in conditions for value in told]
    return [RecordPlace(*row) for row in connection.execute(statement, (*values, limit))]


def _statement(table: str, conditions: list[str]) -> str:
    joined = "record"
    if table != "record":
        # The walk goes along this table, never along the records.
        on = f"record.moment = {table}.moment AND record.source = {table}.source"
        joined = f"{table} CROSS JOIN record ON {on}"
    where = " AND ".join(conditions)
    order = f"{table}.moment DESC, {table}.source DESC"
    return f"SELECT {_FIELDS} FROM {joined} WHERE {where} ORDER BY {order} LIMIT ?"  # noqa: S608 -- made of the words above
