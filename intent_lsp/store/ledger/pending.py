"""The waiting queue: records that could not be appended yet (requirements section 10).

Invariant: a queued record is on the disk before anyone is told, and leaves only when the ledger
holds it.
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
"""How the name of a kept record's file ends."""

_BROKEN: Final = ".broken"


class Waiting(NamedTuple):
    """A queued record: chained on nothing, but of an id and a time that it keeps."""

    path: Path
    record: Record


class LedgerQueue:
    """The files of `.local/queue/`, one a record; their names are in the order of time."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._order = count()

    def put(self, record: Record) -> Path:
        """Keep a drafted record until it can be appended. Raises OSError, UnsafePathError."""
        _, line = seal(record)
        target = self._place(record)
        replace_lines(target, (line,), mode=PRIVATE_FILE_MODE)
        return target

    def adopt(self, file: Path, record: Record) -> None:
        """Take over a file that holds a drafted record, in one step. Raises as `put`."""
        move_file(file, self._place(record))

    def find(self, record_id: str) -> Path | None:
        """Give where a record waits; None: it does not."""
        ending = f"-{record_id}{SUFFIX}"
        name = next((name for name in names_in(self._directory) if name.endswith(ending)), None)
        return None if name is None else self._directory / name

    def waiting(self, limit: int) -> list[Waiting]:
        """Give the oldest records; one that cannot be read is set aside under another name."""
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
        """Let records go that the ledger holds."""
        for each in waiting:
            with suppress(OSError):
                remove_file(each.path)

    def _place(self, record: Record) -> Path:
        """Give the file of a record, which is named by its time, in a directory that is there."""
        make_directory(self._directory, mode=LOCAL_MODE)
        moment = record.timestamp.replace(":", "").replace("-", "")
        return self._directory / f"{moment}-{next(self._order):09}-{record.id}{SUFFIX}"


def names_in(directory: Path) -> list[str]:
    """List the files of kept records, in the order of their names; none where it is not there."""
    try:
        names = os.listdir(directory)  # noqa: PTH208 -- asked for each record
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(SUFFIX))


def _read(path: Path) -> Record | None:
    try:
        line = path.read_bytes()
    except OSError:
        return None
    record = read(line)
    if record is None:
        with suppress(OSError):
            path.rename(path.with_suffix(_BROKEN))
    return record
