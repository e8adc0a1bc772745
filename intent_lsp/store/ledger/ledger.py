"""The ledger of one root: appended to under a lock, verified, queried (ledger sections 2 to 4).

Invariant: `append` returns only after the record is synced to disk.
Invariant: the chain's end is found under the lock. No append reads all of a large ledger for it.
Invariant: the queued records are appended before the record of a new event.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError, InvalidRecordError, LedgerUnavailableError
from intent_lsp.core.ledger.chain import ChainCursor
from intent_lsp.core.ledger.verification import Anchor, Verification
from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM, WorkspacePath
from intent_lsp.core.policy import LedgerForm
from intent_lsp.core.records import Event, Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.ledger.jsonl import read
from intent_lsp.store.fs.local_dir import make_private_directory
from intent_lsp.store.ledger.append_target import AppendTarget, single
from intent_lsp.store.ledger.index.build import BuildProgress, quiet
from intent_lsp.store.ledger.index.index import Index
from intent_lsp.store.ledger.journal import Journal
from intent_lsp.store.ledger.known_heads import KnownHeads
from intent_lsp.store.ledger.pending import LedgerQueue, OpenRuns, Waiting, runs_kept
from intent_lsp.store.ledger.raw.file import FileSystem
from intent_lsp.store.ledger.sealing import (
    Identified,
    Sealed,
    chain,
    drafted,
    follow,
    prepared,
    touched_by,
)
from intent_lsp.store.ledger.tail import Clock
from intent_lsp.store.ledger.verify.link_check import FindEvidence
from intent_lsp.store.ledger.verify.verify import no_past, snapshot_of, verify
from intent_lsp.store.locks.root_lock import WAIT_SECONDS, ledger_lock

_BATCH: Final = 200
_BATCHES: Final = 1000


class Appended(Struct, frozen=True):
    """The result of recording an event: its `record`, which is in the ledger and synced to disk."""

    record: Record


class Queued(Struct, frozen=True):
    """The result of recording an event if its record could not be appended: it waits in a file.

    The record is appended from the file `path` later. `reason` is why it could not be appended now.
    """

    path: Path
    reason: str


class Ledger:
    """The ledger of one governed root. Threads and processes may share it.

    `index` answers queries and brings itself up to date at each one. `root` is the governed root.
    """

    def __init__(  # noqa: PLR0913 - each is a part of the world that it needs
        self,
        root: Path,
        clock: Clock,
        new_id: Callable[[], str],
        *,
        disk: FileSystem | None = None,
        wait_seconds: float = WAIT_SECONDS,
        form: Callable[[], LedgerForm] = single,
    ) -> None:
        """Set the paths below `root`, open nothing. `form` returns the policy's ledger form."""
        self.root, self._clock, self._new_id = root, clock, new_id
        self._path = root / LEDGER_FILE
        self._local = root / LOCAL_ROOM
        self._lock = ledger_lock(root, wait_seconds)
        self._queue = LedgerQueue(self._local / "queue")
        self._runs = OpenRuns(self._local, self._queue, wait_seconds)
        self._journal = Journal(self._local)
        self._known_heads = KnownHeads(self._local)
        self.index = Index(self._local / "index.sqlite3", root)
        self._tail = AppendTarget(
            root, self._lock, disk=disk or FileSystem(), clock=clock, form=form
        )

    def append(self, event: Event) -> Record:
        """Append the queued records, then `event`. Return its record once all are synced to disk.

        Open runs of automatic saves of the event's files are ended, and appended first. Raise
        LedgerUnavailableError, UnsafePathError if something else is in the place of a file or
        directory of the ledger, or InvalidRecordError if the schema rejects the event.
        """
        self._runs.end(touched_by(event))
        return self._append(self._identify(event))

    def append_or_queue(self, event: Event, record_id: str | None = None) -> Appended | Queued:
        """Append an event as `append` does, or queue it if the ledger cannot be written.

        With a `record_id`, repeated calls record it only once. Raise LedgerUnavailableError if the
        event can be neither appended nor queued, or InvalidRecordError if the schema rejects it.
        """
        identified = self._identify(event, record_id)
        try:
            if record_id is not None:
                if self._queue.find(record_id) is not None:
                    self.drain()
                if (known := self.index.find(record_id)) is not None:
                    return Appended(known)
            # Automatic saves of these files came before this event, so their records do, too.
            self._runs.end(touched_by(event))
            return Appended(self._append(identified))
        except InvalidRecordError:
            raise
        except IntentLspError as error:
            return self._keep(identified, str(error))

    def put_run(self, event: Event, record_id: str | None = None) -> str | None:
        """Store an event as an open run of automatic saves, and return its record id.

        A run becomes one record when it ends; until then it may be replaced by a longer one. To
        replace a run, pass its `record_id`. Return None if that run is no longer open. Raise
        LedgerUnavailableError, or InvalidRecordError if the schema rejects the event.
        """
        record = drafted(self._identify(event, record_id))
        with runs_kept(self._local):
            make_private_directory(self.root)
            kept = self._runs.put(record, begun=record_id is not None)
        return record.id if kept else None

    def drop_run(self, record_id: str) -> bool:
        """Delete an open run of automatic saves, because its file has its old content again.

        Return True, or False if no run with this id is open. Raise LedgerUnavailableError.
        """
        with runs_kept(self._local):
            return self._runs.drop(record_id)

    def end_runs(
        self, paths: Collection[WorkspacePath] | None = None, *, idle_since: str | None = None
    ) -> int:
        """End the open runs of automatic saves of some files (None: all), and append their records.

        Other queued records are appended too. Return how many records these are together. With
        `idle_since`, a timestamp, end only runs not extended after it. Raise errors as `append`.
        """
        self._runs.end(paths, idle_since=idle_since)
        # Drains even if no run was ended here: another process may have queued one.
        return self.drain()

    def left_by_runs(self) -> Mapping[WorkspacePath, ContentHash | None]:
        """Return each file in an open run, with its last content hash (None: file removed)."""
        return self._runs.left()

    def drain(self) -> int:
        """Append all queued records and return how many there were. Raise errors as `append`."""
        drained = 0
        for _ in range(_BATCHES):
            waiting = self._queue.waiting(_BATCH)
            if waiting:
                self._write(waiting, [])
            drained += len(waiting)
            if len(waiting) < _BATCH:
                break
        return drained

    def append_all(self, events: Sequence[Identified]) -> int:
        """Append the queued records, then those of `events` whose ids the ledger lacks.

        Return how many of `events` were appended. Raise the same errors as `append`.
        """

        def due(trail: ChainCursor) -> list[Sealed]:
            new = (each for each in events if self.index.find(each.id) is None)
            return [chain(prepared(each), trail) for each in new]

        self.drain()
        return len(self._put_down(due)) if events else 0

    def adopt(self, lines: Sequence[bytes]) -> int:
        """Append ledger lines that were sealed for this ledger before, unchanged. Return how many.

        The caller ensures that each record that a line follows is in the ledger or earlier in
        `lines`. Lines that are no records, or whose records' ids the ledger has, are skipped. Raise
        LedgerUnavailableError or UnsafePathError as `append` does.
        """

        def due(trail: ChainCursor) -> list[Sealed]:
            return [
                follow(record, line, trail)
                for line in lines
                if (record := read(line)) is not None and self.index.find(record.id) is None
            ]

        return len(self._put_down(due)) if lines else 0

    def verify(
        self,
        anchors: Sequence[Anchor] = (),
        *,
        past: FindEvidence = no_past,
        progress: BuildProgress = quiet,
    ) -> Verification:
        """Verify all files of the ledger as they are now, and return the result.

        `anchors` are hashes that the ledger should contain. `past` finds records, by their hashes,
        in the ledger's versions in git. `progress` is called with the bytes done and the total. An
        unreadable file is a problem in the result. Raise LedgerUnavailableError if SQLite fails.
        """
        with snapshot_of(self.root, self._lock) as snapshot:
            parts = snapshot.parts(progress)
            return verify(parts, anchors, strange=snapshot.strange, past=past)

    def has_news(self) -> bool:
        """Return whether others changed the main file's size since the last call of `has_news`."""
        return self._tail.has_news()

    def close(self) -> None:
        """Close every file. The next call opens them again."""
        self._lock.close()
        self._runs.close()
        self.index.close()
        self._tail.close()

    def _identify(self, event: Event, record_id: str | None = None) -> Identified:
        return Identified(event, record_id or self._new_id(), timestamp(self._clock()))

    def _append(self, identified: Identified) -> Record:
        if len(waiting := self._queue.waiting(_BATCH)) == _BATCH:
            self.drain()
            waiting = []
        return self._write(waiting, [identified])[-1].record

    def _write(self, waiting: list[Waiting], fresh: list[Identified]) -> list[Sealed]:
        """Append and return the records of `waiting` that the ledger lacks, and those of `fresh`.

        The queue files of `waiting` are deleted afterwards.
        """
        # Serialized before the lock is taken, so that other writers wait less.
        made = [prepared(each) for each in fresh]

        def due(trail: ChainCursor) -> list[Sealed]:
            queued = [
                Identified(each.record, each.record.id, each.record.timestamp)
                for each in waiting
                if self.index.find(each.record.id) is None
            ]
            return [chain(each, trail) for each in (*map(prepared, queued), *made)]

        sealed = self._put_down(due)
        self._queue.drop(waiting)
        return sealed

    def _put_down(self, due: Callable[[ChainCursor], list[Sealed]]) -> list[Sealed]:
        """Append, sync, index and return the records that `due`, given the chain's end, seals."""
        try:
            make_private_directory(self.root)
            with self._lock.held():
                file, end = self._tail.take(self.index)
                name, offset = self._tail.file, end.size
                sealed = due(end.trail)
                data = b"".join([each.line for each in sealed])
                ticket = file.append(data)
                end.moved(data)
                self._tail.give_back(end)
            # Outside the lock, so that writers that come together share one fsync.
            file.sync(ticket)
        except OSError as error:
            raise LedgerUnavailableError(
                path=str(self._path),
                problem=f"no record can be appended: {error.strerror or error}",
                cure="free disk space or fix the permissions; waiting records are appended then",
            ) from error
        self._journal.note(data)
        self._known_heads.note([each.entry.link for each in sealed])
        entries = [each.entry for each in sealed]
        self.index.appended(file.stamp(name), offset, data, entries)
        return sealed

    def _keep(self, identified: Identified, reason: str) -> Queued:
        record = drafted(identified)
        try:
            make_private_directory(self.root)
            return Queued(self._queue.find(record.id) or self._queue.put(record), reason)
        except (OSError, IntentLspError) as error:
            raise LedgerUnavailableError(
                path=str(self._path),
                problem=f"{reason}; the record cannot be stored: {error}",
                cure="make sure that intent-lsp can write files in .orchestration/.local/",
            ) from error
