"""The queue: records that could not be appended to the ledger yet (requirements section 10).

Invariant: a record is on disk before its caller learns that it is queued, and leaves the queue only
after the ledger holds it.
"""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.records import Record
from intent_lsp.formats.ledger.jsonl import read, seal
from intent_lsp.store.fs.local_dir import LOCAL_MODE, PRIVATE_FILE_MODE
from intent_lsp.store.fs.write import make_directory, move_file, remove_file, replace_lines

SUFFIX: Final = ".json"
"""The suffix of the files that hold queued records and open runs."""

_BROKEN: Final = ".broken"


class Waiting(NamedTuple):
    """A queued record and its file. It has its final id and time, but no place in the chain."""

    path: Path
    record: Record


class LedgerQueue:
    """The files of `.local/queue/`, one for each record. Their names sort by time."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._order = count()

    def put(self, record: Record) -> Path:
        """Queue a drafted record and return its file. Raise OSError or UnsafePathError."""
        _, line = seal(record)
        target = self._place(record)
        replace_lines(target, (line,), mode=PRIVATE_FILE_MODE)
        return target

    def adopt(self, file: Path, record: Record) -> None:
        """Move a file that holds a drafted record into the queue, in one step. Raise as `put`."""
        move_file(file, self._place(record))

    def find(self, record_id: str) -> Path | None:
        """Return the file of a queued record, or None if it is not queued."""
        ending = f"-{record_id}{SUFFIX}"
        name = next((name for name in names_in(self._directory) if name.endswith(ending)), None)
        return None if name is None else self._directory / name

    def waiting(self, limit: int) -> list[Waiting]:
        """Return at most `limit` queued records, oldest first.

        A file that holds no record is renamed to `.broken` and skipped.
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
        """Delete the files of records that the ledger now holds."""
        for each in waiting:
            with suppress(OSError):
                remove_file(each.path)

    def _place(self, record: Record) -> Path:
        """Return the file for a record, named after its time. Create the directory if needed."""
        make_directory(self._directory, mode=LOCAL_MODE)
        moment = record.timestamp.replace(":", "").replace("-", "")
        return self._directory / f"{moment}-{next(self._order):09}-{record.id}{SUFFIX}"


def names_in(directory: Path) -> list[str]:
    """Return the sorted names of the record files in a directory; empty if it does not exist."""
    try:
        names = os.listdir(directory)  # noqa: PTH208 -- faster, and called for each record
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(SUFFIX))


def _read(path: Path) -> Record | None:
    """Read a queued record. A file that holds none is renamed to `.broken`, and None returned."""
    try:
        line = path.read_bytes()
    except OSError:
        return None
    record = read(line)
    if record is None:
        with suppress(OSError):
            path.rename(path.with_suffix(_BROKEN))
    return record
