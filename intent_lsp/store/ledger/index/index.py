"""Queries for a ledger's records by intent, path, session and time (ledger section 4).

Invariant: records are read from the ledger's own lines. An index that does not fit is rebuilt.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from msgspec.structs import replace

from intent_lsp.core.ledger.chain import ChainCursor, Head
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.index_keys import key64
from intent_lsp.formats.ledger.jsonl import IndexEntry, read
from intent_lsp.store.ledger.index.build import BuildProgress, add, catch_up, lag, quiet
from intent_lsp.store.ledger.index.database import PATIENT, IndexDatabase
from intent_lsp.store.ledger.index.queries import (
    FAR,
    PageCursor,
    Query,
    RecordPage,
    RecordPlace,
    TouchedFile,
    TouchedFiles,
    TouchMark,
    before,
    of_id,
    of_ids_between,
    places,
    touched_paths,
    touches,
)
from intent_lsp.store.ledger.index.rows import path_key
from intent_lsp.store.ledger.index.sources import IndexedFile, all_heads, open_heads
from intent_lsp.store.ledger.raw.file import opened, read_at
from intent_lsp.store.ledger.raw.files import FilesStamp, FileStamp, LedgerFiles

MAX_LAG: Final = 1024 * 1024
"""The most bytes that `trail` reads to bring the index up to date."""
_LONG: Final = 16 * 1024
"""From this many bytes on, a line is cached: it names many files, and each query reads it again."""
_HEX: Final = frozenset("0123456789abcdef")

T = TypeVar("T")

Sources = Mapping[str, IndexedFile]
"""How far the index has read each ledger file, by the file's path."""

_read_long: Final = lru_cache(maxsize=4)(read)
"""Parses a long line once for all the files that it names, since each one asks for its record."""


class Index:
    """The index of one root's ledger, in `.local/`. Every query first brings it up to date.

    A query raises LedgerUnavailableError if the main ledger file, or another one that it needs,
    cannot be read, or if not even an index in memory can be built.
    """

    def __init__(self, path: Path, root: Path) -> None:
        """Set the database's path and the root whose ledger it indexes. Nothing is opened yet."""
        self._root = root
        self._files = LedgerFiles(root)
        self._database = IndexDatabase(path)
        # Used without a ledger: then nothing needs to be kept, and a root without one is not
        # written to.
        self._nothing = IndexDatabase(None)

    def stamp(self) -> FilesStamp:
        """Return the stamps of the ledger's files, which change when it does; () without files."""
        return self._files.stamp()

    def refresh(self, progress: BuildProgress = quiet) -> None:
        """Bring the index up to date. `progress` gets the bytes done and the total."""
        self._ask(lambda _connection, _found: None, progress)

    def query(self, query: Query, *, limit: int, cursor: PageCursor | None = None) -> RecordPage:
        """Return one page: at most `limit` records that match `query`, newest first.

        `cursor` is the one that came with the previous page; without it, begin with the newest
        record.
        """
        # A limit from a client may be larger than SQLite's integers.
        limit = min(max(limit, 0), FAR)

        def asked(connection: sqlite3.Connection, found: Sources) -> RecordPage:
            walk = places(query, limit + 1, before(cursor), connection)
            taken = list(islice(walk, limit + 1))
            records = tuple(self._records(taken[:limit], found))
            more = len(taken) > limit
            return RecordPage(records, taken[limit - 1].cursor if more and limit else None)

        return self._ask(asked)

    def newest_for_path(self, path: WorkspacePath) -> Record | None:
        """Return the newest record with a path as a file's new or old path, or None."""
        return next(iter(self.query(Query(path=path), limit=1).records), None)

    def newest_passes(self, path: WorkspacePath) -> bool:
        """Return whether the newest record of a path is passing, or True if the path has no record.

        A record is passing if its edit happened and its verdict is not FAIL. The record's line is
        not read.
        """
        statement = """
            SELECT record.passing FROM touched JOIN record USING (moment, source)
            WHERE touched.path = ? ORDER BY touched.moment DESC, touched.source DESC LIMIT 1
        """

        def asked(connection: sqlite3.Connection, _found: Sources) -> bool:
            row = connection.execute(statement, (path_key(path),)).fetchone()
            return row is None or bool(row[0])

        return self._ask(asked)

    def newest_passing_for_path(self, path: WorkspacePath) -> Record | None:
        """Return a path's newest record with an edit that happened and no FAIL verdict, or None."""
        return next(iter(self.query(Query(path=path, passing=True), limit=1).records), None)

    def find(self, record_id: str) -> Record | None:
        """Return the record with the id `record_id`, or None if there is none."""

        def asked(connection: sqlite3.Connection, found: Sources) -> Record | None:
            records = self._records(of_id(record_id, connection), found)
            return next((record for record in records if record.id == record_id), None)

        return self._ask(asked)

    def starting_with(self, digits: str, *, limit: int) -> tuple[Record, ...]:
        """Return the oldest records, at most `limit`, whose ids start with hexadecimal `digits`.

        Hyphens do not count, and letters in `digits` may have either case. Return () if `digits`
        have any other character.
        """
        bare = digits.lower().replace("-", "")
        padded = [bare[:16].ljust(16, digit) for digit in "0f"]
        if not all(set(each) <= _HEX for each in padded):
            return ()
        first, last = map(key64, padded)

        def asked(connection: sqlite3.Connection, found: Sources) -> tuple[Record, ...]:
            records = self._records(of_ids_between(first, last, connection), found)
            matching = (each for each in records if each.id.replace("-", "").startswith(bare))
            return tuple(islice(matching, limit))

        return self._ask(asked)

    def count(self) -> int:
        """Return the number of the ledger's records. One whose line occurs twice counts once."""
        return self._ask(lambda _connection, found: sum(s.records for s in found.values()))

    def counts(self) -> Mapping[str, int]:
        """Return the number of records for each intent id, without records of no intent."""
        statement = "SELECT text, count(*) FROM record JOIN name ON number = intent GROUP BY intent"
        return self._ask(lambda connection, _found: dict(connection.execute(statement).fetchall()))

    def work(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `question`, a function from the module `work_queries`, returns.

        The function is called with the connection to the database.
        """
        return self._ask(lambda connection, _found: question(connection))

    def touched_files(self, since: TouchMark | None) -> TouchedFiles:
        """Return, for each intent and each file that it touched since a mark, the newest record.

        Marks come from earlier results. Without one, or with one that no longer fits the ledger,
        return the records for all files.
        """

        def asked(connection: sqlite3.Connection, found: Sources) -> TouchedFiles:
            count = sum(source.records for source in found.values())
            wanted, whole, mark = touches(since, count, connection)
            places_ = dict.fromkeys(place for _, _, place in wanted)
            records = {key64(record.id): record for record in self._records(places_, found)}
            files = tuple(
                TouchedFile(intent_id, path, records[place.id64])
                for intent_id, path, place in wanted
                if place.id64 in records
            )
            return TouchedFiles(files, whole, mark)

        return self._ask(asked)

    def paths(self, *, limit: int) -> tuple[WorkspacePath, ...]:
        """Return the first `limit` paths, in sorted order, that any record touched."""
        return self._ask(lambda connection, _found: touched_paths(connection, limit))

    def heads(self) -> tuple[Head, ...]:
        """Return the records that no other follows or merges, ordered by file, then by line."""
        return self._ask(lambda connection, found: tuple(all_heads(connection, found)))

    def trail(self, file: str, size: int) -> ChainCursor | None:
        """Return a chain cursor at the end of the ledger file `file`, from the index.

        Its heads are the `open_heads` of this file, then those of the other files. The index is
        brought up to date first; if more than `MAX_LAG` bytes would have to be read for that,
        return None instead. Return None also if the whole lines of `file` do not end at `size`.
        """

        def nearly(connection: sqlite3.Connection) -> ChainCursor | None:
            stamps = self._files.stamp()
            if lag(connection, self._root, stamps) > MAX_LAG:
                return None
            found = catch_up(connection, self._root, stamps)
            source = found.get(file)
            if (0 if source is None else source.offset) != size:
                return None
            trail = ChainCursor() if source is None else source.trail
            others = {name: each for name, each in found.items() if name != file}
            own = [] if source is None else open_heads(connection, source)
            heads = {head.hash: head for head in (*own, *all_heads(connection, others))}
            return replace(trail, heads=heads)

        return self._database.run(nearly)

    def appended(
        self, stamp: FileStamp, offset: int, lines: bytes, entries: Sequence[IndexEntry]
    ) -> None:
        """Index `lines`, just appended at `offset`; `stamp` is the file's stamp afterwards.

        `entries` are the fields of each line to index. Do nothing if the index has not read exactly
        up to `offset`: the next query then reads what the index lacks.
        """
        self._database.try_once(lambda it: add(it, stamp, offset, lines, entries))

    def close(self) -> None:
        """Close the database. The next query opens it again."""
        self._database.close()
        self._nothing.close()

    def _ask(
        self, question: Callable[[sqlite3.Connection, Sources], T], progress: BuildProgress = quiet
    ) -> T:
        """Bring the index up to date, and return what `question` returns.

        `question` gets a connection to the database, and how far each file has been read.
        """
        stamps = self._files.stamp()
        database = self._database if stamps else self._nothing

        def answer(connection: sqlite3.Connection) -> T:
            return question(connection, catch_up(connection, self._root, stamps, progress))

        return database.run(answer, PATIENT)

    def _records(self, wanted: Iterable[RecordPlace], found: Sources) -> Iterator[Record]:
        """Yield the records at the places `wanted`, read from the ledger. Each file is opened once.

        The paths that belong to the files' numbers are in `found`. Records of a file that no longer
        exists are skipped. Raise sqlite3.DatabaseError if a line is not the indexed record.
        """
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
                    # Git has removed the file since the index was brought up to date.
                    continue
                line = read_at(fd, place.offset, end)
                record = read(line) if len(line) < _LONG else _read_long(line)
                if record is None or key64(record.id) != place.id64:
                    # `IndexDatabase.run` catches this and repeats the query on an empty database.
                    raise sqlite3.DatabaseError(
                        "the index does not fit the ledger: it is built anew"
                    )
                yield record
