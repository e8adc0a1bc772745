"""The files that make up a ledger, in the order in which they are read (ledger section 3).

Invariant: nothing is followed out of the ledger's rooms: a link, a directory or a pipe in a
file's place is named, and never opened.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.paths import CONTROL_ROOM, LEDGER_FILE, WorkspacePath

ARCHIVE_ROOM: Final = WorkspacePath(f"{CONTROL_ROOM}/archive")
SEGMENT_ROOM: Final = WorkspacePath(f"{CONTROL_ROOM}/trace")
ARCHIVE_PREFIX: Final = "agent_trace-"
SUFFIX: Final = ".jsonl"


class FileStamp(NamedTuple):
    """What tells two states of one of the files apart without reading it."""

    file: WorkspacePath
    identity: tuple[int, int]
    size: int
    mtime_ns: int


FilesStamp = tuple[FileStamp, ...]
"""What tells two states of a whole ledger apart; its files are in reading order."""


class Strange(NamedTuple):
    """What stands in the place of one of the files; `problem` says why it is none."""

    file: str
    problem: str


class LedgerFiles:
    """The files of one root's ledger: archives by name, the main file, segments by name."""

    def __init__(self, root: Path) -> None:
        """Name the ledger below `root`; nothing is opened."""
        # Text, not Path: they are asked for each call.
        self._main = f"{os.fspath(root)}/{LEDGER_FILE}"
        self._archive = f"{os.fspath(root)}/{ARCHIVE_ROOM}"
        self._segments = f"{os.fspath(root)}/{SEGMENT_ROOM}"

    def names(self) -> tuple[WorkspacePath, ...]:
        """List the files that are there, relative to the root.

        Whatever has the main file's name is listed: to open it tells what is wrong with it.
        """
        return tuple(file for file, _ in self._found())

    def stamp(self) -> FilesStamp:
        """Stamp every file: one question to the disk for each; empty: there is none."""
        return tuple(
            FileStamp(file, (found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns)
            for file, path in self._found()
            if (found := _stat(path)) is not None
        )

    def strange(self) -> tuple[Strange, ...]:
        """List what is named as an archive or a segment and is not a regular file, or no room."""
        rooms = ((self._archive, ARCHIVE_ROOM), (self._segments, SEGMENT_ROOM))
        linked = [
            Strange(room, "it is not a directory")
            for path, room in rooms
            if not _is_room(path) and os.path.lexists(path)
        ]
        entries = [
            (f"{room}/{entry.name}", entry)
            for (path, room), prefix in zip(rooms, (ARCHIVE_PREFIX, ""), strict=True)
            for entry in _entries(path, prefix)
            if not _is_ours(entry)
        ]
        return (
            *linked,
            *(Strange(_shown(name), "it is not a regular file") for name, _ in entries),
        )

    def _found(self) -> Iterator[tuple[WorkspacePath, str]]:
        yield from _plain(self._archive, ARCHIVE_ROOM, ARCHIVE_PREFIX)
        if os.path.lexists(self._main):
            yield LEDGER_FILE, self._main
        yield from _plain(self._segments, SEGMENT_ROOM, "")


def _plain(path: str, room: WorkspacePath, prefix: str) -> Iterator[tuple[WorkspacePath, str]]:
    for name in sorted(entry.name for entry in _entries(path, prefix) if _is_ours(entry)):
        yield WorkspacePath(f"{room}/{name}"), f"{path}/{name}"


def _entries(path: str, prefix: str) -> "list[os.DirEntry[str]]":
    if not _is_room(path):
        return []
    with suppress(OSError), os.scandir(path) as entries:
        return [e for e in entries if e.name.startswith(prefix) and e.name.endswith(SUFFIX)]
    return []


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    """Whether an entry is a plain file of a name that can be told."""
    with suppress(OSError, UnicodeEncodeError):
        entry.name.encode()
        return entry.is_file(follow_symlinks=False)
    return False


def _is_room(path: str) -> bool:
    found = _stat(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _stat(path: str) -> os.stat_result | None:
    with suppress(OSError, ValueError):
        return os.lstat(path)
    return None


def _shown(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
