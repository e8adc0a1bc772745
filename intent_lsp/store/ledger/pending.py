"""Records not yet in the ledger: queued ones, and open runs of automatic saves.

A queued record could not be appended yet (requirements section 10), or is that of a run that has
just ended. An open run is the record of a file's automatic saves, which grows with each further
save.

Invariant: a record is on disk before its caller learns that it is queued, and leaves the queue only
after the ledger holds it.
Invariant: the disk holds each run in its latest state. Ending a run, also after a crash, moves its
file into the queue in one step, so that the ledger gets the record once.
"""

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import LedgerUnavailableError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read, seal
from intent_lsp.store.fs.local_dir import LOCAL_MODE, PRIVATE_FILE_MODE
from intent_lsp.store.fs.write import make_directory, move_file, remove_file, replace_lines
from intent_lsp.store.locks.root_lock import RootLock

SUFFIX: Final = ".json"
"""The suffix of the files that hold queued records and open runs."""

_BROKEN: Final = ".broken"

_LOCK: Final = "runs.lock"
_ROOM: Final = "runs"


class Waiting(NamedTuple):
    """A queued record or an open run of automatic saves, with its file.

    The record has no place in the chain: it gets one when it is appended. A queued record has its
    final id and time. The record of an open run has the id and time that it keeps if the run ends
    now.
    """

    path: Path
    record: Record


class LedgerQueue:
    """The queued records of a root, each in a file of `.local/queue/`. File names sort by time."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._order = count()

    def put(self, record: Record) -> Path:
        """Write a record without a place in the chain to a new file in the queue.

        Return the file's path. Raise OSError or UnsafePathError, or InvalidRecordError if the
        schema rejects the record.
        """
        _, line = seal(record)
        target = self._place(record)
        replace_lines(target, (line,), mode=PRIVATE_FILE_MODE)
        return target

    def adopt(self, file: Path, record: Record) -> None:
        """Move a file that contains `record` into the queue, by one rename.

        Raise OSError or UnsafePathError.
        """
        move_file(file, self._place(record))

    def find(self, record_id: str) -> Path | None:
        """Return the path of a queued record's file, or None if no record with the id is queued."""
        ending = f"-{record_id}{SUFFIX}"
        name = next((name for name in names_in(self._directory) if name.endswith(ending)), None)
        return None if name is None else self._directory / name

    def waiting(self, limit: int) -> list[Waiting]:
        """Return the oldest queued records, at most `limit`, oldest first.

        A file that cannot be read is skipped. One without a valid record gets the suffix `.broken`
        and is skipped from then on.
        """
        found: list[Waiting] = []
        for name in names_in(self._directory):
            if len(found) == limit:
                break
            path = self._directory / name
            record = _read(path)
            if record is not None:
                found.append(Waiting(path, record))
        return found

    def drop(self, waiting: list[Waiting]) -> None:
        """Delete the files of queued records that are now in the ledger. Ignore disk errors."""
        for each in waiting:
            with suppress(OSError):
                remove_file(each.path)

    def _place(self, record: Record) -> Path:
        """Return a new path in the queue for a record's file, named after the record's time.

        The queue's directory is created if needed.
        """
        make_directory(self._directory, mode=LOCAL_MODE)
        moment = record.timestamp.replace(":", "").replace("-", "")
        return self._directory / f"{moment}-{next(self._order):09}-{record.id}{SUFFIX}"


class OpenRuns:
    """The open runs of automatic saves of a root, each in a file of `.local/runs/`.

    Processes may share them.
    """

    def __init__(self, local: Path, queue: LedgerQueue, wait_seconds: float) -> None:
        """Set the paths: runs are stored in `local`, and moved into `queue` when they end.

        `wait_seconds` is how long to wait for another process that changes runs.
        """
        self._room = local / _ROOM
        self._queue = queue
        self._lock = RootLock(local / _LOCK, wait_seconds)

    def put(self, record: Record, *, begun: bool) -> bool:
        """Store the latest state of a run of automatic saves, and return True.

        `begun` is whether the run was stored before. If it was and is no longer open, store nothing
        and return False. Raise OSError, LedgerUnavailableError or UnsafePathError, or
        InvalidRecordError if the schema rejects the record.
        """
        _, line = seal(record)
        target = self._room / f"{_name(record)}{SUFFIX}"
        with self._lock.held():
            if begun and not target.exists():
                return False
            make_directory(self._room, mode=LOCAL_MODE)
            replace_lines(target, (line,), mode=PRIVATE_FILE_MODE)
        return True

    def drop(self, record_id: str) -> bool:
        """Delete a run of automatic saves, because its file has its old content again.

        Return True, or False if no run with this id is open. Raise OSError, LedgerUnavailableError
        or UnsafePathError.
        """
        with self._lock.held():
            run = next((run for run in self._all() if run.record.id == record_id), None)
            if run is not None:
                remove_file(run.path)
        return run is not None

    def end(
        self, paths: Collection[WorkspacePath] | None = None, *, idle_since: str | None = None
    ) -> None:
        """Move the runs of automatic saves of some files (None: all runs) into the queue.

        With `idle_since`, a timestamp, move only runs that were not extended after it. A run stays
        if its own file in `.local/runs/` cannot be moved. Raise LedgerUnavailableError or
        UnsafePathError if the runs cannot be locked.
        """
        if not names_in(self._room):
            return
        with self._lock.held():
            for run in self._all():
                if paths is not None and not run.record.left().keys() & set(paths):
                    continue
                if idle_since is not None and run.record.timestamp > idle_since:
                    continue
                with suppress(OSError, UnsafePathError):
                    self._queue.adopt(run.path, run.record)

    def left(self) -> Mapping[WorkspacePath, ContentHash | None]:
        """Return each file in an open run, with its last content hash (None: file removed)."""
        return {path: hash_ for run in self._all() for path, hash_ in run.record.left().items()}

    def close(self) -> None:
        """Close the file of the lock that protects the runs."""
        self._lock.close()

    def _all(self) -> Iterator[Waiting]:
        for name in names_in(self._room):
            file = self._room / name
            with suppress(OSError):
                record = read(file.read_bytes())
                if record is not None:
                    yield Waiting(file, record)


def names_in(directory: Path) -> list[str]:
    """Return the names in a directory that end with `.json`, sorted; [] if it cannot be listed."""
    try:
        names = os.listdir(directory)  # noqa: PTH208 -- faster, and called for each record
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(SUFFIX))


@contextmanager
def runs_kept(local: Path) -> Iterator[None]:
    """Run the `with` block, and turn its OSError or UnsafePathError into LedgerUnavailableError.

    `local` is the `.local/` directory, which that error names.
    """
    try:
        yield
    except (OSError, UnsafePathError) as error:
        raise LedgerUnavailableError(
            path=str(local),
            problem=f"the record of automatic saves cannot be stored or deleted: {error}",
            cure="free disk space, or make sure that files in this directory can be written",
        ) from error


def _read(path: Path) -> Record | None:
    """Return the record in a queue file, or None if the file is unreadable or has no valid record.

    A file without a valid record gets the suffix `.broken`.
    """
    try:
        line = path.read_bytes()
    except OSError:
        return None
    record = read(line)
    if record is None:
        with suppress(OSError):
            path.rename(path.with_suffix(_BROKEN))
    return record


def _name(record: Record) -> str:
    return hashlib.sha256(record.id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
