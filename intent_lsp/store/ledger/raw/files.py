"""The files that make up a ledger, in reading order (ledger section 3).

Invariant: no file is opened. A link, directory or pipe in the place of an archive or a segment is
not listed as one, and `strange` reports it.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.paths import CONTROL_ROOM, LEDGER_FILE, WorkspacePath
from intent_lsp.store.fs.files import is_plain_directory

ARCHIVE_ROOM: Final = WorkspacePath(f"{CONTROL_ROOM}/archive")
SEGMENT_ROOM: Final = WorkspacePath(f"{CONTROL_ROOM}/trace")
ARCHIVE_PREFIX: Final = "agent_trace-"
SUFFIX: Final = ".jsonl"


class FileStamp(NamedTuple):
    """The path, identity, size and time of a ledger file, to see whether its content has changed.

    `file` is relative to the root, `identity` is device and inode, `size` is in bytes, and
    `mtime_ns` is the time of the last change in ns since 1970.
    """

    file: WorkspacePath
    identity: tuple[int, int]
    size: int
    mtime_ns: int


FilesStamp = tuple[FileStamp, ...]
"""The stamps of all files of a ledger, in reading order."""


class Strange(NamedTuple):
    """A path where a ledger file should be, but something else is; `problem` says what."""

    file: str
    problem: str


class LedgerFiles:
    """The files of one root's ledger, in reading order: archives, the main file, segments.

    Archives and segments are sorted by name.
    """

    def __init__(self, root: Path) -> None:
        """Set the paths of the ledger below `root`. Nothing is opened."""
        # A string, because paths are made of it at every call and Path is slower.
        self._root = os.fspath(root)

    def names(self) -> tuple[WorkspacePath, ...]:
        """Return the paths of the ledger's files that exist, relative to the root.

        The main file's path is included even if it is not a regular file. Opening it then reports
        the problem.
        """
        return tuple(self._found())

    def stamp(self) -> FilesStamp:
        """Return the stamp of each ledger file in reading order; empty if there are none.

        What is at the main file's path is included even if it is not a regular file. No file is
        opened.
        """
        return tuple(
            FileStamp(file, (found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns)
            for file in self._found()
            if (found := _stat(f"{self._root}/{file}")) is not None
        )

    def strange(self) -> Iterator[Strange]:
        """Yield each entry that is named like an archive or segment but cannot be one.

        It is not a regular file, or its name is not UTF-8. If something else is in the place of the
        directory of archives or of segments, yield it too.
        """
        for room, prefix in ((ARCHIVE_ROOM, ARCHIVE_PREFIX), (SEGMENT_ROOM, "")):
            path = f"{self._root}/{room}"
            if not is_plain_directory(path) and os.path.lexists(path):
                linked = Path(path).is_symlink()
                yield Strange(room, "it is a symbolic link" if linked else "it is not a directory")
            for entry in _entries(path, prefix):
                problem = _problem(entry)
                if problem is not None:
                    yield Strange(_shown(f"{room}/{entry.name}"), problem)

    def _found(self) -> Iterator[WorkspacePath]:
        """Yield each ledger file's path, relative to the root: archives, main file, segments."""
        yield from self._plain(ARCHIVE_ROOM, ARCHIVE_PREFIX)
        if os.path.lexists(f"{self._root}/{LEDGER_FILE}"):
            yield LEDGER_FILE
        yield from self._plain(SEGMENT_ROOM, "")

    def _plain(self, room: WorkspacePath, prefix: str) -> Iterator[WorkspacePath]:
        entries = _entries(f"{self._root}/{room}", prefix)
        for name in sorted(entry.name for entry in entries if _problem(entry) is None):
            yield WorkspacePath(f"{room}/{name}")


def _entries(path: str, prefix: str) -> "list[os.DirEntry[str]]":
    """Return the entries of the directory `path` with the given prefix and the suffix `.jsonl`.

    The result is empty if the directory cannot be read.
    """
    if not is_plain_directory(path):
        return []
    with suppress(OSError), os.scandir(path) as entries:
        return [e for e in entries if e.name.startswith(prefix) and e.name.endswith(SUFFIX)]
    return []


def _problem(entry: "os.DirEntry[str]") -> str | None:
    """Return why a directory entry cannot be a file of the ledger, or None if it can be one."""
    with suppress(OSError):
        if entry.is_file(follow_symlinks=False):
            return None if _shown(entry.name) == entry.name else "its name is not UTF-8"
    return "it is not a regular file"


def _stat(path: str) -> os.stat_result | None:
    with suppress(OSError, ValueError):
        return os.lstat(path)
    return None


def _shown(name: str) -> str:
    """Return a file name as displayable text: bytes that are not UTF-8 are escaped."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
