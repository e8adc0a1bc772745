"""Index updates: reads what each ledger file has beyond the indexed lines (ledger section 4).

Invariant: one transaction reads all files to their ends, so that a half-made index is never seen
or left behind, and two processes do not read the same lines.
Invariant: if a file no longer has the bytes that were read of it last, its rows are removed and it
is read again.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from intent_lsp.core.errors import LedgerUnavailableError
from intent_lsp.core.paths import LEDGER_FILE
from intent_lsp.formats.ledger.batch import index_lines
from intent_lsp.formats.ledger.jsonl import IndexEntry
from intent_lsp.store.fs.sqlite_file import transaction
from intent_lsp.store.ledger.index.database import INDEXES
from intent_lsp.store.ledger.index.rows import insert
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
from intent_lsp.store.ledger.raw.files import FilesStamp, FileStamp, LedgerFiles

BuildProgress = Callable[[int, int], None]
"""Called with the bytes done and the total of bytes."""

_BATCH: Final = 4 * 1024 * 1024
_AT_ONCE: Final = 128 * 1024
"""About how many bytes of lines are parsed together."""


def quiet(_done: int, _all: int) -> None:
    """Do nothing. This is the progress callback for callers that want none."""


def catch_up(
    connection: sqlite3.Connection, root: Path, stamps: FilesStamp, progress: BuildProgress = quiet
) -> dict[str, IndexedFile]:
    """Index every ledger file up to its last whole line, and return how far each has been read.

    The result is keyed by path. `stamps` are the files' stamps: if the index has them all, nothing
    is read. A segment or archive that cannot be opened is skipped. Raise LedgerUnavailableError if
    the main file cannot be opened. `progress` is called with the bytes done and the total.
    """
    found = sources(connection)
    if len(found) == len(stamps) and all(_is_current(found.get(s.file), s) for s in stamps):
        return found
    with transaction(connection):
        # What another process has indexed while this one waited may be newer than `stamps`.
        _read_all(connection, root, LedgerFiles(root).stamp(), progress)
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


def add(
    connection: sqlite3.Connection,
    stamp: FileStamp,
    offset: int,
    lines: bytes,
    entries: Sequence[IndexEntry],
) -> None:
    """Index lines that were just appended to a ledger file at `offset`.

    `stamp` is the file's stamp after that, and `entries` are the fields of each line to index. Do
    nothing if the index has not read the file exactly up to `offset`.
    """
    seen = source_of(connection, stamp.file)
    if (0 if seen is None else seen.offset) != offset:
        # Checked first without a transaction, which would wait for a process that builds the index.
        return
    with transaction(connection):
        source = begin(connection, stamp.file)
        if source.offset != offset:
            return
        insert(connection, source, lines, entries)
        if source.offset == stamp.size:
            source.stamp = spelled(stamp)
        save(connection, source)


def _read_all(
    connection: sqlite3.Connection, root: Path, stamps: FilesStamp, progress: BuildProgress
) -> None:
    """Remove files that are gone or replaced from the index, and read every file to its end."""
    for source in sources(connection).values():
        if _is_other(root, source, stamps):
            forget(connection, source.file)
    known = sources(connection).values()
    # Most ledgers are indexed once as a whole, which is faster without the database's indexes.
    for name in () if known else INDEXES:
        connection.execute(f"DROP INDEX {name}")
    done = sum(source.offset for source in known)
    everything = sum(stamp.size for stamp in stamps)
    for stamp in stamps:
        for size in _read_file(connection, root, stamp):
            done += size
            progress(done, everything)
    for statement in INDEXES.values():
        connection.execute(statement)


def _is_current(source: IndexedFile | None, stamp: FileStamp) -> bool:
    return source is not None and source.stamp == spelled(stamp)


def _is_other(root: Path, source: IndexedFile, stamps: FilesStamp) -> bool:
    """Return whether an indexed file is missing, unreadable, or lacks the bytes read of it last.

    Raise LedgerUnavailableError if the main file is there and cannot be opened.
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

    Raise LedgerUnavailableError if the main file exists and cannot be opened.
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


def _read_file(connection: sqlite3.Connection, root: Path, stamp: FileStamp) -> Iterator[int]:
    """Index a ledger file to its end in batches, and yield the size of each batch in bytes."""
    if _is_current(source_of(connection, stamp.file), stamp):
        return
    with _readable(root, stamp.file) as fd:
        if fd is None:
            # Not added to the index: the next query would forget it, and all copies with it.
            return
        source = begin(connection, stamp.file)
        while lines := _next(fd, source.offset):
            insert(connection, source, lines, _entries(lines))
            yield len(lines)
    # Everything up to the stamp has been read. Later appends change the file's stamp.
    source.stamp = spelled(stamp)
    save(connection, source)


def _next(fd: int, offset: int) -> bytes:
    """Return the next whole lines of an open ledger file from `offset` on, b"" if none is left.

    Only the next 4 MiB are read, or more if the first line is longer.
    """
    length = _BATCH
    while True:
        data = read_at(fd, offset, offset + length)
        whole = data[: data.rfind(b"\n") + 1]
        if whole or len(data) < length:
            return whole
        length *= 2


def _entries(data: bytes) -> Iterator[IndexEntry]:
    """Yield the fields to index of whole ledger lines, parsed about 128 KiB at once."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _AT_ONCE) + 1 or len(data)
        yield from index_lines(data[start:end])
        start = end
