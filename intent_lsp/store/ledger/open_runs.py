"""Records of automatic saves that may still go on: one a file, kept until its run ends.

Invariant: a run is on the disk as it is now; whoever ends it, after a crash too, moves it into the
waiting queue whole, and the ledger gets it once.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import LedgerUnavailableError, UnsafePathError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read, seal
from intent_lsp.store.fs.local_dir import LOCAL_MODE, PRIVATE_FILE_MODE
from intent_lsp.store.fs.write import make_directory, remove_file, replace_lines
from intent_lsp.store.ledger.pending import SUFFIX, LedgerQueue, names_in
from intent_lsp.store.locks.root_lock import RootLock

_LOCK: Final = "runs.lock"
_ROOM: Final = "runs"


class OpenRun(NamedTuple):
    """A run as it is kept: the file, and the record that it would be if it ended now."""

    file: Path
    record: Record


class OpenRuns:
    """The files of `.local/runs/`; any number of processes may use them."""

    def __init__(self, local: Path, queue: LedgerQueue, wait_seconds: float) -> None:
        """Keep runs in a local room; those that end go into a queue."""
        self._room = local / _ROOM
        self._queue = queue
        self._lock = RootLock(local / _LOCK, wait_seconds)

    def put(self, record: Record, *, begun: bool) -> bool:
        """Keep a record as its run is now; False: it was `begun`, and somebody has ended it.

        Raises OSError, LedgerUnavailableError, UnsafePathError.
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
        """Forget a run that came back to what it began with; False: somebody has ended it.

        Raises OSError, LedgerUnavailableError.
        """
        with self._lock.held():
            run = next((run for run in self._all() if run.record.id == record_id), None)
            if run is not None:
                remove_file(run.file)
        return run is not None

    def end(
        self, paths: Collection[WorkspacePath] | None = None, *, idle_since: str | None = None
    ) -> None:
        """Move the runs of some files (None: of all) into the queue.

        `idle_since`: only those that nothing was added to since. Raises LedgerUnavailableError.
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
                    self._queue.adopt(run.file, run.record)

    def left(self) -> Mapping[WorkspacePath, ContentHash | None]:
        """Give what each file with an open run was left with."""
        return {path: hash_ for run in self._all() for path, hash_ in run.record.left().items()}

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()

    def _all(self) -> Iterator[OpenRun]:
        for name in names_in(self._room):
            file = self._room / name
            with suppress(OSError):
                record = read(file.read_bytes())
                if record is not None:
                    yield OpenRun(file, record)


@contextmanager
def runs_kept(local: Path) -> Iterator[None]:
    """Raise LedgerUnavailableError where open runs cannot be kept in a directory."""
    try:
        yield
    except (OSError, UnsafePathError) as error:
        raise LedgerUnavailableError(
            path=str(local), problem=f"an open run cannot be kept: {error}"
        ) from error


def _name(record: Record) -> str:
    return hashlib.sha256(record.id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
