"""The index of the ledger: by intent, path, session and time, newest first (ledger section 4).

Invariant: it answers from the ledger's own lines; where it does not fit them it is built anew.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, NewType, TypeVar

from intent_lsp.core.chain import Head, Trail
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger_jsonl import read
from intent_lsp.store.index_build import (
    Progress,
    Read,
    Source,
    add,
    catch_up,
    joins,
    key64,
    load,
    path_key,
)
from intent_lsp.store.index_database import IndexDatabase
from intent_lsp.store.ledger_file import opened, read_at

Cursor = NewType("Cursor", int)
"""Where a page ended. Spelled as a decimal number on the wire, and opaque there."""

MAX_LAG: Final = 1024 * 1024
_FAR: Final = 2**62
_FIELDS: Final = "record.line, record.offset, record.length, record.id64"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which records: every given field narrows. `since` is an RFC 3339 time of this ledger.

    `grants`: those alone that grant scope, and are no end of a branch that nothing ties yet.
    """

    intent_ids: Collection[str] | None = None
    path: WorkspacePath | None = None
    session_ids: Collection[str] | None = None
    since: str | None = None
    passing: bool | None = None
    grants: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Records, newest first; `cursor` asks for the next page, None: there is none."""

    records: tuple[Record, ...]
    cursor: Cursor | None


class _Place(NamedTuple):
    line: int
    offset: int
    length: int
    id64: int


class Index:
    """The index in `.orchestration/.local/`, brought up to date by every question."""

    def __init__(self, path: Path, ledger: Path) -> None:
        self._ledger = ledger
        self._database = IndexDatabase(path)
        # Without a ledger there is nothing to keep, and a dormant root is not written to.
        self._nothing = IndexDatabase(None)

    def refresh(self, progress: Progress = lambda _done, _all: None) -> None:
        """Bring the index up to date, as every question does."""
        self._ask(lambda _connection, _fd, _source: None, progress)

    def query(self, query: Query, *, limit: int, cursor: Cursor | None = None) -> Page:
        """Give at most `limit` records before the cursor, newest first."""
        return self._ask(partial(_page, query, limit, cursor))

    def newest_for_path(self, path: WorkspacePath) -> Record | None:
        """Give the newest record that touched a path, by its name or its old name."""
        return next(iter(self.query(Query(path=path), limit=1).records), None)

    def newest_passing_for_path(self, path: WorkspacePath) -> Record | None:
        """Give the newest record of a path that happened with verdict PASS."""
        return next(iter(self.query(Query(path=path, passing=True), limit=1).records), None)

    def find(self, record_id: str) -> Record | None:
        """Give the record of an id."""
        return self._ask(partial(_find, record_id))

    def starting_with(self, digits: str, *, limit: int) -> tuple[Record, ...]:
        """Give at most `limit` records whose ids start with some digits, oldest first."""
        return self._ask(partial(_starting_with, digits, limit))

    def count(self) -> int:
        """Count the records, each once."""
        return self._ask(lambda _connection, _fd, source: source.records)

    def counts(self) -> Mapping[str, int]:
        """Count the records of each intent, by the id that they name."""
        statement = "SELECT intent, count(*) FROM record WHERE intent IS NOT NULL GROUP BY intent"
        return self._ask(
            lambda connection, _fd, _source: dict(connection.execute(statement).fetchall())
        )

    def heads(self) -> tuple[Head, ...]:
        """Give the records that no later record names, in order of line."""
        return self._ask(lambda _connection, _fd, source: tuple(source.trail.heads.values()))

    def trail(self, fd: int, size: int) -> Trail | None:
        """Give the chain's state at `size`, when no more than `MAX_LAG` bytes have to be read."""

        def nearly(connection: sqlite3.Connection) -> Trail | None:
            source = load(connection)
            if size - (source.offset if joins(source, fd) else 0) > MAX_LAG:
                return None
            return catch_up(connection, fd, lambda _done, _all: None).trail

        return self._database.run(nearly)

    def appended(self, fd: int, offset: int, lines: list[Read]) -> None:
        """Learn of lines that were just appended; a gap before them is read, if it is short."""

        def follow(connection: sqlite3.Connection) -> None:
            gap = add(connection, offset, lines)
            if 0 < gap <= MAX_LAG:
                catch_up(connection, fd, lambda _done, _all: None)

        self._database.try_once(follow)

    def close(self) -> None:
        """Close the database; the next question opens it again."""
        self._database.close()
        self._nothing.close()

    def _ask(
        self,
        question: Callable[[sqlite3.Connection, int | None, Source], T],
        progress: Progress = lambda _done, _all: None,
    ) -> T:
        with opened(self._ledger) as fd:
            database = self._nothing if fd is None else self._database

            def answer(connection: sqlite3.Connection) -> T:
                return question(connection, fd, catch_up(connection, fd, progress))

            return database.run(answer)


def _page(
    query: Query,
    limit: int,
    cursor: Cursor | None,
    connection: sqlite3.Connection,
    fd: int | None,
    _source: Source,
) -> Page:
    # Both come from the wire, where a number may be larger than SQLite's.
    limit = min(max(limit, 0), _FAR)
    before = _FAR if cursor is None else min(max(cursor, 0), _FAR)
    places = list(islice(_places(query, limit + 1, before, connection), limit + 1))
    records = tuple(_records(fd, places[:limit]))
    more = len(places) > limit
    return Page(records, Cursor(places[limit - 1].line) if more and limit else None)


def _places(
    query: Query, limit: int, before: int, connection: sqlite3.Connection
) -> Iterator[_Place]:
    """Find lines, newest first: one ordered walk for each intent, joined."""
    if query.grants and connection.execute("SELECT 1 FROM granted LIMIT 1").fetchone() is None:
        # Asked for each edit, where most teams have granted nothing.
        return iter(())
    intents = [None] if query.intent_ids is None else sorted(set(query.intent_ids))
    walks = [_walk(query, intent, limit, before, connection) for intent in intents]
    return merge(*walks, reverse=True)


def _walk(
    query: Query, intent: str | None, limit: int, before: int, connection: sqlite3.Connection
) -> list[_Place]:
    conditions: list[tuple[object, ...]] = [("record.line < ?", before)]
    tables = "record"
    if query.path is not None:
        tables = "touched CROSS JOIN record ON record.line = touched.line"
        conditions.append(("touched.path = ?", path_key(query.path)))
        conditions.append(("touched.line < ?", before))
    elif query.grants:
        tables = "granted CROSS JOIN record ON record.line = granted.line"
        loose = "record.hash64 NOT IN (SELECT value FROM json_each(?))"
        conditions.append((loose, _loose_ends(connection)))
    if intent is not None:
        conditions.append(("record.intent = ?", intent))
    if query.session_ids is not None:
        marks = ", ".join("?" * len(query.session_ids))
        conditions.append((f"record.session IN ({marks})", *query.session_ids))
    if query.passing is not None:
        conditions.append(("record.passing = ?", query.passing))
    if query.since is not None:
        conditions.append(_since(query.since, connection))
        # The line alone bounds the walk; a clock that went back is sorted out here.
        conditions.append(("+record.time >= ?", query.since))
    where = " AND ".join(str(condition) for condition, *_ in conditions)
    order = "touched.line" if query.path is not None else "record.line"
    statement = f"SELECT {_FIELDS} FROM {tables} WHERE {where} ORDER BY {order} DESC LIMIT ?"  # noqa: S608 -- made of the words above
    values = [value for _, *told in conditions for value in told]
    rows = connection.execute(statement, (*values, limit))
    return [_Place(*row) for row in rows]


def _loose_ends(connection: sqlite3.Connection) -> str:
    """Spell the keys of the ends of all branches as JSON, as long as no record ties them."""
    heads = load(connection).trail.heads
    return json.dumps([key64(head) for head in heads] if len(heads) > 1 else [])


def _since(since: str, connection: sqlite3.Connection) -> tuple[str, object]:
    """Bound a walk by the first line whose time, or one above it, is as late.

    `high`, the latest time so far, never falls, so that it can be searched by halves.
    """
    statement = "SELECT line, high FROM record WHERE line >= ? ORDER BY line LIMIT 1"
    low, beyond = 0, load(connection).trail.lines + 1
    while low < beyond:
        middle = (low + beyond) // 2
        row = connection.execute(statement, (middle,)).fetchone()
        if row is None or row[1] >= since:
            beyond = middle
        else:
            low = row[0] + 1
    return "record.line >= ?", low


def _find(
    record_id: str, connection: sqlite3.Connection, fd: int | None, _source: Source
) -> Record | None:
    try:
        key = key64(record_id)
    except ValueError:
        return None
    rows = connection.execute(f"SELECT {_FIELDS} FROM record WHERE id64 = ?", (key,))  # noqa: S608 -- a constant
    places = [_Place(*row) for row in rows]
    return next((found for found in _records(fd, places) if found.id == record_id), None)


def _starting_with(
    digits: str, limit: int, connection: sqlite3.Connection, fd: int | None, _source: Source
) -> tuple[Record, ...]:
    bare = digits.lower().replace("-", "")
    try:
        first, last = key64(bare[:16].ljust(16, "0")), key64(bare[:16].ljust(16, "f"))
    except ValueError:
        return ()
    rows = connection.execute(
        f"SELECT {_FIELDS} FROM record WHERE id64 BETWEEN ? AND ? ORDER BY line",  # noqa: S608 -- a constant
        (first, last),
    )
    found = _records(fd, (_Place(*row) for row in rows))
    matching = (record for record in found if record.id.replace("-", "").startswith(bare))
    return tuple(islice(matching, limit))


def _records(fd: int | None, places: Iterable[_Place]) -> Iterator[Record]:
    for place in places:
        line = b"" if fd is None else read_at(fd, place.offset, place.offset + place.length)
        record = read(line)
        if record is None or key64(record.id) != place.id64:
            # Caught by the database, which begins anew on an empty one.
            raise sqlite3.DatabaseError("the index does not fit the ledger")
        yield record
