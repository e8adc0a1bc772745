"""The ledger of one root: appended to under a lock, verified, asked (ledger sections 2 to 4).

Invariant: `append` returns only when the record is on the disk.
Invariant: the end of the chain is read under the lock, from the file's tail or what is known of
it; never from the whole file.
Invariant: what could not be appended waits in the queue, and goes before what comes later.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.chain import End, Trail, draft
from intent_lsp.core.errors import (
    IntentLspError,
    InvalidRecordError,
    LedgerUnavailableError,
    UnsafePathError,
)
from intent_lsp.core.paths import CONTROL_ROOM, LEDGER_FILE, LOCAL_ROOM
from intent_lsp.core.records import Event, Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.core.verification import Verification
from intent_lsp.formats.ledger_jsonl import Entry, entry_of, seal
from intent_lsp.store.files import Stamp, stamp
from intent_lsp.store.index import Index
from intent_lsp.store.ledger_end import Clock, LedgerEnd
from intent_lsp.store.ledger_file import Disk, LedgerFile, opened, read_at
from intent_lsp.store.ledger_queue import LedgerQueue, Waiting
from intent_lsp.store.ledger_verify import verify
from intent_lsp.store.root_lock import WAIT_SECONDS, RootLock

_BATCH: Final = 200
_BATCHES: Final = 1000


@dataclass(frozen=True, slots=True)
class Appended:
    """The record is in the ledger and on the disk."""

    record: Record


@dataclass(frozen=True, slots=True)
class Queued:
    """The record waits at `path`, on the disk, until the ledger can be written again."""

    path: Path
    reason: str


class Identified(NamedTuple):
    """An event with the id and the time that it keeps wherever it waits."""

    event: Event
    id: str
    timestamp: str


class Sealed(NamedTuple):
    """A record with its line, and what the index keeps of it."""

    record: Record
    line: bytes
    entry: Entry


class Ledger:
    """The ledger of one governed root; safe for threads, and among processes.

    `index` answers questions; it is brought up to date by each.
    """

    def __init__(
        self,
        root: Path,
        clock: Clock,
        new_id: Callable[[], str],
        *,
        disk: Disk | None = None,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Name the ledger below `root`; nothing is opened or made yet."""
        self._root, self._clock, self._new_id = root, clock, new_id
        self._path = root / LEDGER_FILE
        self._local = root / LOCAL_ROOM
        self._disk = disk or Disk()
        self._lock = RootLock(self._local / "ledger.lock", wait_seconds)
        self._queue = LedgerQueue(self._local / "queue")
        self.index = Index(self._local / "index.sqlite3", self._path)
        self._file: LedgerFile | None = None
        self._end: LedgerEnd | None = None

    def append(self, event: Event) -> Record:
        """Append what waits in the queue, then `event`; return when all is on the disk.

        Raises LedgerUnavailableError, UnsafePathError when something else is in the ledger's
        place, InvalidRecordError for an event that the schema refuses.
        """
        return self._append(self._identify(event))

    def append_or_queue(self, event: Event, record_id: str | None = None) -> Appended | Queued:
        """Append, or keep the event until the ledger can be written again.

        An event that knows its record's id is appended once, however often that is asked for.
        Raises LedgerUnavailableError when neither can be done, InvalidRecordError as `append`.
        """
        identified = self._identify(event)
        if record_id is not None:
            identified = identified._replace(id=record_id)
            with suppress(IntentLspError):
                known = self.index.find(record_id)
                if known is not None:
                    return Appended(known)
        try:
            return Appended(self._append(identified))
        except InvalidRecordError:
            raise
        except IntentLspError as error:
            return self._keep(identified, str(error))

    def drain(self) -> int:
        """Append what waits in the queue; give how much that was. Raises as `append`."""
        drained = 0
        for _ in range(_BATCHES):
            waiting = self._queue.waiting(_BATCH)
            if not waiting:
                break
            self._write(waiting, [])
            drained += len(waiting)
        return drained

    def verify(self) -> Verification:
        """Verify all that is in the ledger now. Raises LedgerUnavailableError."""
        with opened(self._path) as fd:
            if fd is None:
                return verify(lambda _start, _end: b"", 0, LEDGER_FILE)
            size = self._settled_size(fd)
            return verify(lambda start, end: read_at(fd, start, end), size, LEDGER_FILE)

    def stamp(self) -> Stamp | None:
        """Tell two states of the ledger apart without reading it; None: there is none to read."""
        return stamp(self._path)

    def close(self) -> None:
        """Let go of every file; the next call opens them again."""
        self._lock.close()
        self.index.close()
        self._file = self._end = None

    def _identify(self, event: Event) -> Identified:
        return Identified(event, self._new_id(), timestamp(self._clock()))

    def _append(self, identified: Identified) -> Record:
        waiting = self._queue.waiting(_BATCH)
        if len(waiting) == _BATCH:
            self.drain()
            waiting = []
        return self._write(waiting, [identified])[-1].record

    def _write(self, waiting: list[Waiting], fresh: list[Identified]) -> list[Sealed]:
        """Append queued records that the ledger does not hold yet, then fresh ones."""
        try:
            self._make_room()
            with self._lock.held():
                file, end = self._settled()
                due = [
                    Identified(each.record, each.record.id, each.record.timestamp)
                    for each in waiting
                    if self.index.find(each.record.id) is None
                ]
                offset = end.size
                # Until all is written for certain, what is known of the end is not.
                self._end = None
                sealed = [_chain(each, end.trail) for each in (*due, *fresh)]
                data = b"".join([each.line for each in sealed])
                ticket = file.append(data)
                end.moved(data)
                self._end = end
            file.sync(ticket)
        except OSError as error:
            raise LedgerUnavailableError(
                path=str(self._path),
                problem=f"it cannot be appended to: {error.strerror or error}",
                cure="free the disk or mend its rights; what waits is appended then",
            ) from error
        self._queue.drop(waiting)
        self.index.appended(file.fd, offset, [(each.line, each.entry) for each in sealed])
        return sealed

    def _settled(self) -> tuple[LedgerFile, LedgerEnd]:
        """Give the file that the path names now, and its end, a torn line moved aside."""
        if self._file is None or not self._file.is_current():
            self._file, self._end = LedgerFile(self._path, self._disk), None
        if self._end is None or not self._end.follow(self._file):
            torn = self._local / "torn"
            self._end = LedgerEnd.find(self._file, torn, self._clock, self.index)
        return self._file, self._end

    def _settled_size(self, fd: int) -> int:
        """Give the size between two appends, where anyone could be appending."""
        if self._lock.exists():
            # A reader without rights to the lock sees at worst a line that is being written.
            with suppress(IntentLspError), self._lock.held():
                return os.fstat(fd).st_size
        return os.fstat(fd).st_size

    def _keep(self, identified: Identified, reason: str) -> Queued:
        event, id_, moment = identified
        record = draft(event, id=id_, timestamp=moment, end=End())
        try:
            self._make_room()
            return Queued(self._queue.find(id_) or self._queue.put(record), reason)
        except (OSError, IntentLspError) as error:
            raise LedgerUnavailableError(
                path=str(self._path), problem=f"{reason}; nor can the record wait: {error}"
            ) from error

    def _make_room(self) -> None:
        """Make `.orchestration/.local/`, private to this user, where it is missing."""
        control = self._root / CONTROL_ROOM
        if not _is_directory(control):
            control.mkdir(exist_ok=True)
            if not control.resolve().is_relative_to(self._root.resolve()):
                raise UnsafePathError(path=str(control), problem="it leads out of the root")
        if not _is_directory(self._local):
            try:
                self._local.mkdir(mode=0o700)
            except FileExistsError as error:
                # Two that start together make it once; anything else is no place to write.
                if not _is_directory(self._local):
                    problem = "not a directory"
                    raise UnsafePathError(path=str(self._local), problem=problem) from error


def _is_directory(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISDIR(os.lstat(path).st_mode)
    return False


def _chain(identified: Identified, trail: Trail) -> Sealed:
    event, id_, moment = identified
    record, line = seal(draft(event, id=id_, timestamp=moment, end=trail.end))
    entry = entry_of(record)
    trail.step(entry.link)
    return Sealed(record, line, entry)
