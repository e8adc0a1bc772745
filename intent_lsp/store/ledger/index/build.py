"""Index updates: reads what each ledger file has beyond the indexed lines (ledger section 4).

Invariant: one transaction advances the offset and adds the rows before it, so that processes can
share the work.
Invariant: if a file no longer has the bytes that were read of it last, its rows are removed and it
is read again.
Invariant: a large index is built from nothing in one transaction, so that a half-built one is never
seen or left behind.
Invariant: a build from nothing gives the same index as adding the lines one by one.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.store.fs.sqlite_file import transaction
from intent_lsp.store.ledger.index.batch import Batch, read_batch
from intent_lsp.store.ledger.index.database import CACHE, HASH_INDEX, ORDER_INDEXES
from intent_lsp.store.ledger.index.rows import IndexRows, insert
from intent_lsp.store.ledger.index.sources import (
    IndexedFile,
    begin,
    forget,
    joins,
    save,
    source_of,
    sources,
    spelled,
)
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.ledger.raw.files import FilesStamp, FileStamp

BuildProgress = Callable[[int, int], None]
"""Called with the bytes done and the total of bytes."""

_BATCH: Final = 4 * 1024 * 1024
_DROP: Final = (
    "DROP INDEX IF EXISTS record_hash",
    "DROP INDEX IF EXISTS record_id",
    "DROP INDEX IF EXISTS record_intent",
    "DROP INDEX IF EXISTS record_session",
)
_ASIDE: Final = "CREATE TEMP TABLE touched_anew (path, moment INTEGER, source INTEGER)"
_SORTED: Final = """
INSERT OR IGNORE INTO touched
SELECT CAST(path AS BLOB) AS key, moment, source FROM temp.touched_anew ORDER BY key, moment, source
"""
_SMALL_CACHE: Final = "PRAGMA cache_size = -4096"
_GONE: Final = "DROP TABLE temp.touched_anew"


def quiet(_done: int, _all: int) -> None:
    """Do nothing. This is the progress callback for callers that want none."""


def catch_up(
    connection: sqlite3.Connection, root: Path, stamps: FilesStamp, progress: BuildProgress = quiet
) -> dict[str, IndexedFile]:
    """Index every ledger file up to its last whole line, and return how far each has been read.

    The result is keyed by path. `stamps` are the present stamps of the files. A segment or archive
    that cannot be opened is skipped. Raise LedgerUnavailableError if the main file cannot be
    opened. `progress` is called with the bytes done and the total.
    """
    found = sources(connection)
    if len(found) == len(stamps) and all(_is_current(found.get(s.file), s) for s in stamps):
        return found
    for source in found.values():
        if _is_other(root, source, stamps):
            _change(connection, source, lambda again: forget(connection, again.file))
    everything = sum(stamp.size for stamp in stamps)
    if everything > _BATCH and not sources(connection):
        _build(connection, root, stamps, progress)
    for stamp in stamps:
        found = sources(connection)
        if not _is_current(found.get(stamp.file), stamp):
            others = sum(source.offset for name, source in found.items() if name != stamp.file)
            for done in _read_file(connection, root, stamp):
                progress(others + done, everything)
    return sources(connection)


def lag(connection: sqlite3.Connection, root: Path, stamps: FilesStamp) -> int:
    """Return how many bytes of the ledger files with these `stamps` the index has not read.

    A file that no longer has the bytes that were read of it last counts as unread. Raise
    LedgerUnavailableError if the main file cannot be opened.
    """
    found = sources(connection)
    behind = 0
    for stamp in stamps:
        source = found.get(stamp.file)
        known = source is not None and not _is_other(root, source, stamps)
        behind += stamp.size - (source.offset if source is not None and known else 0)
    return behind


def add(connection: sqlite3.Connection, stamp: FileStamp, offset: int, added: Batch) -> bool:
    """Index lines that were just appended to a ledger file at `offset`, and return True.

    `stamp` is the file's stamp after that. Return False and do nothing if the index has not read
    the file exactly up to `offset`.
    """
    seen = source_of(connection, stamp.file)
    if (0 if seen is None else seen.offset) != offset:
        # Checked first without a transaction, which would wait for a process that builds the index.
        return False
    with transaction(connection):
        source = begin(connection, stamp.file)
        if source.offset != offset:
            return False
        insert(connection, added, source)
        if source.offset == stamp.size:
            source.stamp = spelled(stamp)
        save(connection, source)
        return True


def _is_current(source: IndexedFile | None, stamp: FileStamp) -> bool:
    return source is not None and source.stamp == spelled(stamp)


def _is_other(root: Path, source: IndexedFile, stamps: FilesStamp) -> bool:
    """Return whether an indexed file is missing, unreadable, or lacks the bytes read of it last.

    Raise LedgerUnavailableError if that is the main file and it cannot be opened.
    """
    stamp = next((stamp for stamp in stamps if stamp.file == source.file), None)
    if stamp is None:
        return True
    if _is_current(source, stamp):
        return False
    with _readable(root, stamp.file) as fd:
        return fd is None or not joins(source, fd)


@contextmanager
def _readable(root: Path, file: str) -> Iterator[int | None]:
    """Open a ledger file of a root and yield its descriptor, or None if it cannot be opened.

    Raise LedgerUnavailableError if that is the main file, unless it does not exist.
    """
    with ExitStack() as stack:
        fd = None
        try:
            fd = stack.enter_context(opened(root / file))
        except LedgerUnavailableError:
            # An unreadable segment does not prevent answers; `verify` reports it.
            if file == LEDGER_FILE:
                raise
        yield fd


def _build(
    connection: sqlite3.Connection, root: Path, stamps: FilesStamp, progress: BuildProgress
) -> None:
    """Read all ledger files into an empty index, in one transaction.

    A segment or archive that cannot be opened is skipped. Do nothing if another process has filled
    the index meanwhile.
    """
    before, everything = 0, sum(stamp.size for stamp in stamps)
    with built(connection) as begun:
        for stamp in stamps if begun else ():
            source = begin(connection, stamp.file)
            rows = IndexRows(connection, source, anew=True)
            with _readable(root, stamp.file) as fd:
                while fd is not None and (added := _next(fd, source.offset)).size:
                    rows.add(added)
                    progress(before + source.offset, everything)
            rows.end()
            save(connection, source)
            before += source.offset


def _read_file(connection: sqlite3.Connection, root: Path, stamp: FileStamp) -> Iterator[int]:
    """Index a ledger file to its end in batches, and yield the offset reached after each batch."""
    with _readable(root, stamp.file) as fd:
        while fd is not None:
            with transaction(connection):
                source = begin(connection, stamp.file)
            added = _next(fd, source.offset)
            _change(connection, source, partial(_take, connection, stamp, added))
            if not added.size:
                return
            yield source.offset + added.size


def _take(
    connection: sqlite3.Connection, stamp: FileStamp, added: Batch, source: IndexedFile
) -> None:
    """Insert a batch of a ledger file's lines, and store how far the index has read the file.

    If the batch is empty, store that all of the file up to its `stamp` has been read.
    """
    insert(connection, added, source)
    if not added.size:
        # Everything up to the stamp has been read. Later appends change the file's stamp.
        source.stamp = spelled(stamp)
    save(connection, source)


def _change(
    connection: sqlite3.Connection, seen: IndexedFile, work: Callable[[IndexedFile], None]
) -> None:
    """Call `work` in a transaction with the present state of an indexed file.

    Do nothing if the index has not read the file exactly as far as `seen` says.
    """
    with transaction(connection):
        source = source_of(connection, seen.file)
        before = (seen.number, seen.offset, seen.tail)
        if source is not None and (source.number, source.offset, source.tail) == before:
            work(source)


def _next(fd: int, offset: int) -> Batch:
    """Read and parse the next whole lines of an open ledger file from `offset` on.

    Read 4 MiB, or more if the first line is longer. The batch has the whole lines among these
    bytes, and is empty if no whole line is left.
    """
    length = _BATCH
    while True:
        data = read_at(fd, offset, offset + length)
        whole = data[: data.rfind(b"\n") + 1]
        if whole or len(data) < length:
            return read_batch(whole)
        length *= 2


@contextmanager
def built(connection: sqlite3.Connection) -> Iterator[bool]:
    """Run the `with` block in a write transaction that fills the empty tables of an index.

    Yield False if the tables are not empty; the block must then do nothing. Otherwise yield True.
    The block inserts touched paths into `temp.touched_anew`. After it they are sorted into the
    table `touched`, and the database indexes are created.
    """
    with transaction(connection):
        if sources(connection):
            yield False
            return
        # Rows are appended, and earlier pages are not read again. Sorting takes as much memory as
        # the cache may have, so a small cache keeps memory flat.
        for statement in (*_DROP, _ASIDE, _SMALL_CACHE):
            connection.execute(statement)
        yield True
        # Sorted inserts write each page once. Row by row, the same page would be written many
        # times.
        for statement in (_SORTED, _GONE, HASH_INDEX, *ORDER_INDEXES, CACHE):
            connection.execute(statement)
