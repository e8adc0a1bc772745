"""The index of a ledger: by intent, path, session and time, newest first (ledger section 4).

Invariant: it answers from the ledger's own lines; where it does not fit them it is built anew.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.index_keys import key64
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.store.ledger.index.batch import Batch
from intent_lsp.store.ledger.index.build import BuildProgress, add, catch_up, lag, quiet
from intent_lsp.store.ledger.index.database import PATIENT, IndexDatabase
from intent_lsp.store.ledger.index.queries import (
    FAR,
    PageCursor,
    Query,
    RecordPage,
    RecordPlace,
    before,
    of_id,
    of_ids_between,
    places,
)
from intent_lsp.store.ledger.index.rows import path_key
from intent_lsp.store.ledger.index.sources import IndexedFile, all_heads, open_heads
from intent_lsp.store.ledger.index.touched_files import (
    TouchedFile,
    TouchedFiles,
    TouchMark,
    touched_paths,
    touches,
)
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.ledger.raw.files import FilesStamp, FileStamp, LedgerFiles

MAX_LAG: Final = 1024 * 1024
_PASSED: Final = 64
_LONG: Final = 16 * 1024
"""Bytes of a line from which on its record names so many files that they are asked for in turn."""

_LONG_KEPT: Final = 4
_HEX: Final = frozenset("0123456789abcdef")

T = TypeVar("T")

_read_long: Final = lru_cache(maxsize=_LONG_KEPT)(read)
"""Reads a long line, once for all the files that it names: a look asks each for its record."""


class Index:
    """The index in `.orchestration/.local/`, brought up to date by every question."""

    def __init__(self, path: Path, root: Path) -> None:
        """Keep the index of the ledger below `root` at `path`; nothing is opened yet."""
        self._root = root
        self._files = LedgerFiles(root)
        self._database = IndexDatabase(path)
        # Without a ledger there is nothing to keep, and a dormant root is not written to.
        self._nothing = IndexDatabase(None)
        # How many appends are not told of, since the last was found to stand behind a gap.
        self._passed = 0

    def stamp(self) -> FilesStamp:
        """Tell two states of the ledger apart without reading it; empty: there is none."""
        return self._files.stamp()

    def refresh(self, progress: BuildProgress = quiet) -> None:
        """Bring the index up to date, as every question does."""
        self._ask(lambda _connection, _found: None, progress)

    def query(self, query: Query, *, limit: int, cursor: PageCursor | None = None) -> RecordPage:
        """Give at most `limit` records before the cursor, newest first."""
        return self._ask(partial(self._page, query, limit, cursor))

    def newest_for_path(self, path: WorkspacePath) -> Record | None:
        """Give the newest record that touched a path, by its name or its old name."""
        return next(iter(self.query(Query(path=path), limit=1).records), None)

    def newest_passes(self, path: WorkspacePath) -> bool:
        """Whether the newest record of a path happened with verdict PASS, or there is none.

        No record is read for it.
        """
        statement = """
            SELECT record.passing FROM touched JOIN record USING (moment, source)
            WHERE touched.path = ? ORDER BY touched.moment DESC, touched.source DESC LIMIT 1
        """

        def asked(connection: sqlite3.Connection, _found: Mapping[str, IndexedFile]) -> bool:
            row = connection.execute(statement, (path_key(path),)).fetchone()
            return row is None or bool(row[0])

        return self._ask(asked)

    def newest_passing_for_path(self, path: WorkspacePath) -> Record | None:
        """Give the newest record of a path that happened with verdict PASS."""
        return next(iter(self.query(Query(path=path, passing=True), limit=1).records), None)

    def find(self, record_id: str) -> Record | None:
        """Give the record of an id."""
        return self._ask(partial(self._find, record_id))

    def starting_with(self, digits: str, *, limit: int) -> tuple[Record, ...]:
        """Give at most `limit` records whose ids start with some digits, oldest first."""
        return self._ask(partial(self._starting_with, digits, limit))

    def count(self) -> int:
        """Count the records, each once."""
        return self._ask(lambda _connection, found: sum(s.records for s in found.values()))

    def counts(self) -> Mapping[str, int]:
        """Count the records of each intent, by the id that they name."""
        statement = "SELECT text, count(*) FROM record JOIN name ON number = intent GROUP BY intent"
        return self._ask(lambda connection, _found: dict(connection.execute(statement).fetchall()))

    def touched_files(self, since: TouchMark | None) -> TouchedFiles:
        """Give the newest record of each intent for each file, as far as that is new since a mark.

        None, or a mark of another ledger: all of them.
        """
        return self._ask(partial(self._touched_files, since))

    def paths(self, *, limit: int) -> tuple[WorkspacePath, ...]:
        """List the files that records have touched, at most `limit`, by name."""
        return self._ask(lambda connection, _found: touched_paths(connection, limit))

    def heads(self) -> tuple[Head, ...]:
        """Give the records that no other names, in order of file and line."""
        return self._ask(lambda connection, found: tuple(all_heads(connection, found)))

    def trail(self, file: str, size: int) -> ChainCursor | None:
        """Give the chain's state at the end of a file of `size` bytes, if it is not far to read.

        Its open heads come first, then those of the other files. None: more than `MAX_LAG` bytes
        would have to be read, or the file has grown meanwhile.
        """

        def nearly(connection: sqlite3.Connection) -> ChainCursor | None:
            stamps = self._files.stamp()
            if lag(connection, self._root, stamps) > MAX_LAG:
                return None
            found = self._caught_up(connection, stamps)
            source = found.get(file)
            if (0 if source is None else source.offset) != size:
                return None
            trail = ChainCursor() if source is None else source.trail
            others = {name: each for name, each in found.items() if name != file}
            own = [] if source is None else open_heads(connection, source)
            heads = {head.hash: head for head in (*own, *all_heads(connection, others))}
            return replace(trail, heads=heads)

        return self._database.run(nearly)

    def appended(self, stamp: FileStamp, offset: int, added: Batch) -> None:
        """Learn of lines that were just appended; `stamp` is their file's state since then.

        Where the index lags behind `offset`, the next question makes up for it, and it is not
        tried for each of the lines that come after.
        """
        if self._passed:
            self._passed -= 1
            return

        def follow(connection: sqlite3.Connection) -> None:
            if not add(connection, stamp, offset, added):
                self._passed = _PASSED

        self._database.try_once(follow)

    def close(self) -> None:
        """Close the database; the next question opens it again."""
        self._database.close()
        self._nothing.close()

    def _ask(
        self,
        question: Callable[[sqlite3.Connection, Mapping[str, IndexedFile]], T],
        progress: BuildProgress = quiet,
    ) -> T:
        stamps = self._files.stamp()
        database = self._database if stamps else self._nothing

        def answer(connection: sqlite3.Connection) -> T:
            return question(connection, self._caught_up(connection, stamps, progress))

        return database.run(answer, PATIENT)

    def _caught_up(
        self, connection: sqlite3.Connection, stamps: FilesStamp, progress: BuildProgress = quiet
    ) -> Mapping[str, IndexedFile]:
        found = catch_up(connection, self._root, stamps, progress)
        self._passed = 0
        return found

    def _page(
        self,
        query: Query,
        limit: int,
        cursor: PageCursor | None,
        connection: sqlite3.Connection,
        found: Mapping[str, IndexedFile],
    ) -> RecordPage:
        # It comes from the wire, where a number may be larger than SQLite's.
        limit = min(max(limit, 0), FAR)
        walk = places(query, limit + 1, before(cursor), connection)
        taken = list(islice(walk, limit + 1))
        records = tuple(self._records(taken[:limit], found))
        more = len(taken) > limit
        return RecordPage(records, taken[limit - 1].cursor if more and limit else None)

    def _touched_files(
        self,
        since: TouchMark | None,
        connection: sqlite3.Connection,
        found: Mapping[str, IndexedFile],
    ) -> TouchedFiles:
        count = sum(source.records for source in found.values())
        wanted, whole, mark = touches(since, count, connection)
        places_ = dict.fromkeys(touch.place for touch in wanted)
        records = {key64(record.id): record for record in self._records(places_, found)}
        files = tuple(
            TouchedFile(touch.intent_id, touch.path, records[touch.place.id64])
            for touch in wanted
            if touch.place.id64 in records
        )
        return TouchedFiles(files, whole, mark)

    def _find(
        self, record_id: str, connection: sqlite3.Connection, found: Mapping[str, IndexedFile]
    ) -> Record | None:
        records = self._records(of_id(record_id, connection), found)
        return next((record for record in records if record.id == record_id), None)

    def _starting_with(
        self,
        digits: str,
        limit: int,
        connection: sqlite3.Connection,
        found: Mapping[str, IndexedFile],
    ) -> tuple[Record, ...]:
        bare = digits.lower().replace("-", "")
        padded = [bare[:16].ljust(16, digit) for digit in "0f"]
        if not all(set(each) <= _HEX for each in padded):
            return ()
        first, last = map(key64, padded)
        records = self._records(of_ids_between(first, last, connection), found)
        matching = (record for record in records if record.id.replace("-", "").startswith(bare))
        return tuple(islice(matching, limit))

    def _records(
        self, wanted: Iterable[RecordPlace], found: Mapping[str, IndexedFile]
    ) -> Iterator[Record]:
        """Read the lines at some places; each file is opened once."""
        names = {source.number: name for name, source in found.items()}
        with ExitStack() as stack:
            open_: dict[int, int | None] = {}
            for place in wanted:
                if place.source not in open_:
                    path = self._root / names[place.source]
                    open_[place.source] = stack.enter_context(opened(path))
                fd = open_[place.source]
                end = place.offset + place.length
                if fd is None:
                    # Git took the file away since the index was brought up to date.
                    continue
                line = read_at(fd, place.offset, end)
                record = read(line) if len(line) < _LONG else _read_long(line)
                if record is None or key64(record.id) != place.id64:
                    # Caught by the database, which begins anew on an empty one.
                    raise sqlite3.DatabaseError("the index does not fit the ledger")
                yield record
