"""The index brought up to date: from the last offset read to the ledger's end (ledger section 4).

Invariant: one transaction moves the offset and adds what stands before it, so that two processes
can share the work.
Invariant: the bytes before the offset are what they were, or everything is read anew.
Invariant: a line grants scope only where its form and its hash are right, and its link joins.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec

from intent_lsp.core.chain import Head, Link, Trail
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.formats.ledger_jsonl import Entry, entry
from intent_lsp.store.ledger_file import read_at

Read = tuple[bytes, Entry]
"""A line, and what the index keeps of it."""

Progress = Callable[[int, int], None]
"""Told the bytes done and the bytes in all."""

_BATCH: Final = 4 * 1024 * 1024
_TAIL: Final = 96
_RECORD: Final = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TOUCHED: Final = "INSERT OR IGNORE INTO touched VALUES (?, ?)"
_GRANTED: Final = "INSERT INTO granted VALUES (?)"
_SOURCE: Final = """
UPDATE source SET offset = ?, tail = ?, lines = ?, records = ?, last = ?, last_time = ?, high = ?,
heads = ?
"""


@dataclass(slots=True, kw_only=True)
class Source:
    """How far the ledger has been read: `tail` is the end of what was read."""

    offset: int
    tail: bytes
    records: int
    high: str
    trail: Trail


def load(connection: sqlite3.Connection) -> Source:
    """Read how far the index is."""
    row = connection.execute("SELECT * FROM source").fetchone()
    _, offset, tail, lines, records, last, last_time, high, heads = row
    found = msgspec.json.decode(heads, type=list[Head])
    trail = Trail({head.hash: head for head in found}, lines, last, last_time)
    return Source(offset=offset, tail=tail, records=records, high=high, trail=trail)


def catch_up(connection: sqlite3.Connection, fd: int | None, progress: Progress) -> Source:
    """Bring the index up to the ledger's last whole line; `fd` is None without a ledger."""
    while True:
        source = load(connection)
        if not joins(source, fd):
            _change(connection, source, partial(_forget, connection))
            continue
        size = 0 if fd is None else os.fstat(fd).st_size
        lines = _lines(fd, source.offset) if fd is not None and size > source.offset else []
        if not lines:
            return source
        _change(connection, source, partial(_insert, connection, lines))
        progress(source.offset + sum(len(line) for line, _ in lines), size)


def add(connection: sqlite3.Connection, offset: int, lines: Sequence[Read]) -> int:
    """Add lines that were just appended at `offset`, if the index ends there.

    Give how many bytes the index lags behind `offset`; negative when it is ahead.
    """
    with _transaction(connection):
        source = load(connection)
        if source.offset == offset:
            _insert(connection, lines, source)
            return 0
        return offset - source.offset


def joins(source: Source, fd: int | None) -> bool:
    """Find out whether the ledger still holds what was read of it."""
    if fd is None or not source.offset:
        return not source.offset
    return read_at(fd, source.offset - len(source.tail), source.offset) == source.tail


def path_key(path: WorkspacePath) -> bytes:
    """Spell a path as the index keeps it: any bytes may be in a name."""
    return path.encode("utf-8", "surrogateescape")


def key64(digits: str) -> int:
    """Give the first 64 bits of a hash or an id as SQLite's signed integer."""
    bare = digits.removeprefix("sha256:").replace("-", "")
    return int(bare[:16], 16) - 2**63


def _change(connection: sqlite3.Connection, seen: Source, work: Callable[[Source], None]) -> None:
    """Do `work` in a transaction, unless another process moved the index on since it was seen."""
    with _transaction(connection):
        source = load(connection)
        if (source.offset, source.tail) == (seen.offset, seen.tail):
            work(source)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _forget(connection: sqlite3.Connection, _source: Source) -> None:
    connection.execute("DELETE FROM record")
    connection.execute("DELETE FROM touched")
    connection.execute("DELETE FROM granted")
    _save(connection, Source(offset=0, tail=b"", records=0, high="", trail=Trail()))


def _insert(connection: sqlite3.Connection, lines: Sequence[Read], source: Source) -> None:
    for line, found in lines:
        again = found.link.hash in source.trail.heads
        unknown = source.trail.step(found.link)
        if not again and _is_new(connection, source.trail, found.link, unknown):
            source.records += 1
            source.high = max(source.high, found.link.timestamp)
            connection.execute(_RECORD, _row(source, line, found))
            touched = [(path_key(path), source.trail.lines) for path in found.paths]
            connection.executemany(_TOUCHED, touched)
            if found.grant and _joins(connection, found.link, unknown):
                connection.execute(_GRANTED, (source.trail.lines,))
        source.offset += len(line)
    source.tail = (source.tail + b"".join([line for line, _ in lines[-2:]]))[-_TAIL:]
    _save(connection, source)


def _is_new(
    connection: sqlite3.Connection, trail: Trail, link: Link, unknown: Sequence[ContentHash]
) -> bool:
    """Find out whether a line that was followed is a record, and no copy of an earlier line."""
    if not unknown:
        return bool(link.hash)
    # Only a line that does not follow the one above it can be a copy: `merge=union` joined it.
    known = connection.execute(
        "SELECT 1 FROM record WHERE hash64 = ? AND id64 = ?", (key64(link.hash), key64(link.id))
    ).fetchone()
    if known:
        trail.copied(link.hash)
    return not known


def _joins(connection: sqlite3.Connection, link: Link, unknown: Sequence[ContentHash]) -> bool:
    """Whether a line has its form and its hash, and names nothing that stands on no earlier line.

    `unknown` are those that it names and that were no open head.
    """
    query = "SELECT 1 FROM record WHERE hash64 = ?"
    found = (connection.execute(query, (key64(name),)).fetchone() for name in unknown)
    return link.flaw is None and all(row is not None for row in found)


def _row(source: Source, line: bytes, found: Entry) -> tuple[object, ...]:
    link = found.link
    return (
        source.trail.lines,
        source.offset,
        len(line),
        key64(link.hash),
        key64(link.id),
        found.intent_id,
        link.session_id,
        link.timestamp,
        source.high,
        found.passing,
    )


def _save(connection: sqlite3.Connection, source: Source) -> None:
    trail = source.trail
    heads = msgspec.json.encode(list(trail.heads.values())).decode()
    connection.execute(
        _SOURCE,
        (
            source.offset,
            source.tail,
            trail.lines,
            source.records,
            trail.last,
            trail.last_time,
            source.high,
            heads,
        ),
    )


def _lines(fd: int, offset: int) -> list[Read]:
    """Read whole lines from `offset`: about 4 MB, or the one line that is longer."""
    length = _BATCH
    while True:
        data = read_at(fd, offset, offset + length)
        *whole, _torn = data.split(b"\n")
        if whole or len(data) < length:
            return [(line + b"\n", entry(line + b"\n")) for line in whole]
        length *= 2
