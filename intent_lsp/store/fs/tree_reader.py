"""Reads the current contents of a root's files, to compare them, and knows which are unchanged.

Invariant: a file counts as unchanged only if any later change would have given it another stamp.
Invariant: the content of a file that a link puts outside the root is not read.
Invariant: `TreeFiles` hashes a file piece by piece if it is too large to be held in memory.
"""

import errno
import hashlib
import os
import stat as modes
import threading
from itertools import accumulate
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.content import (
    ABSENT,
    ContentHash,
    FileContent,
    content_of,
    hash_if_there,
    parse_hash,
)
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store import clock
from intent_lsp.store.fs.files import Stamp, read_bytes, stamp
from intent_lsp.store.fs.resolve import resolve_below, resolved_path

HELD_AT_MOST: Final = 64 * 1024 * 1024
"""The most bytes of a file that is held in memory. A larger one is only hashed."""

_NOT_THERE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_STEP_SECONDS: Final = 0.001
_STEPS: Final = 20
"""How many times to wait for the next tick of the clock for files, which is 1 to 10 ms away."""

_COARSE_NS: Final = 1_000_000
"""A time that is a multiple of this counts as one of a file system with a coarse clock."""


class ReadFile(Struct, frozen=True):
    """The hash and the bytes of a file. Both are None if there is no file.

    If the file is too large to be held in memory, `hash` is set and `data` is None.
    """

    hash: ContentHash | None
    data: bytes | None


NOTHING: Final = ReadFile(None, None)


class TreeFiles:
    """Reads the files of one root. Caches which directories are inside the root."""

    def __init__(self, root: Path, *, held_at_most: int = HELD_AT_MOST) -> None:
        self._root = root
        self._held_at_most = held_at_most
        self._rooms: dict[str, bool] = {"": True}

    def held(self, path: WorkspacePath) -> ReadFile:
        """Return a file's hash and bytes. Raise OSError if the file cannot be read.

        A file of more than `held_at_most` bytes is only hashed. Return NOTHING if there is no
        regular file or it is outside the root after links are resolved.
        """
        place = self._root / path
        size = self._size(path, place)
        if size is None:
            return NOTHING
        if size > self._held_at_most:
            return ReadFile(_streamed(place), None)
        data = read_bytes(place)
        return NOTHING if data is None else ReadFile(hash_if_there(data), data)

    def _size(self, path: WorkspacePath, place: Path) -> int | None:
        """Return a regular file's size in bytes, or None if the root has no such file.

        `place` is the full path of the file. A link inside the root counts as its target.
        """
        try:
            inside = self._inside(path.rpartition("/")[0])
            found = place.lstat() if inside else None
        except ValueError:  # A null character: no file has such a name.
            return None
        except OSError as problem:
            if problem.errno not in _NOT_THERE:
                raise
            return None
        if found is None or modes.S_ISREG(found.st_mode):
            return None if found is None else found.st_size
        # A link, whose target counts, or a directory or pipe, for which `stamp` returns None.
        target = stamp(place) if self._leads_inside(path) else None
        return None if target is None else target.size

    def _inside(self, room: str) -> bool:
        """Return whether a directory is inside the root after links in its path are resolved."""
        inside = True
        for inner in accumulate(room.split("/"), "{}/{}".format):
            if inner not in self._rooms:
                linked = (self._root / inner).is_symlink()
                # A directory that is no link is inside if its parent is. Resolve all others: below
                # a directory that is outside, a link may lead back in.
                self._rooms[inner] = self._leads_inside(inner) if linked or not inside else True
            inside = self._rooms[inner]
        return inside

    def _leads_inside(self, path: str) -> bool:
        return resolved_path(self._root, path) is not None


class KnownFiles:
    """Stores stamps of files of one root in memory, to detect later whether a file has changed.

    Thread-safe.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._stamps: dict[WorkspacePath, Stamp] = {}

    def settled_stamp(self, path: WorkspacePath) -> Stamp | None:
        """Return a file's present stamp if every later change of the file will change the stamp.

        Two changes within one tick of the clock have the same time, so this waits up to about 20 ms
        for the next tick. Return None if there was no tick, if the change time is in whole
        milliseconds, as from a coarse clock, or if there is no regular file.
        """
        for _ in range(_STEPS):
            tick = clock.file_time_ns()
            found = stamp(self._root / path)
            if found is None or not found.changed_ns % _COARSE_NS:
                return None
            if found.changed_ns < tick:
                return found
            clock.pause(_STEP_SECONDS)
        return None

    def note(self, path: WorkspacePath, known: Stamp | None) -> None:
        """Store the stamp `known` that a file had before it was read; if None, forget the file."""
        with self._lock:
            if known is None:
                self._stamps.pop(path, None)
            else:
                self._stamps[path] = known

    def is_unchanged(self, path: WorkspacePath) -> bool:
        """Return whether a file's present stamp equals the stored one. False if none is stored."""
        with self._lock:
            known = self._stamps.get(path)
        return known is not None and stamp(self._root / path) == known


def holds_file(place: Path) -> bool:
    """Return whether a regular file or a link is at a path: the two kinds of files in git."""
    try:
        mode = place.lstat().st_mode
    except (OSError, ValueError):
        return False
    return modes.S_ISREG(mode) or modes.S_ISLNK(mode)


def read_in(root: Path, path: WorkspacePath) -> bytes | None:
    """Return the content of a file in a root, or None if it cannot be read or is outside the root.

    `path` may come from a record and need not be a valid path.
    """
    place = resolve_below(root, path)
    if place is None or place.real is None:
        return None
    try:
        return read_bytes(root / place.path)
    except OSError:
        return None


def read_tracked(root: Path, path: WorkspacePath) -> FileContent:
    """Return the content of a file. The content of a link is the path that it names, as in git.

    A file that is too large to be held has only its hash. Without a file the content is absent.
    Raise OSError if the file is unreadable.
    """
    place = root / path
    try:
        if place.is_symlink():
            return content_of(os.fsencode(place.readlink()))
    except ValueError:  # A null character: no file has such a name.
        return ABSENT
    found = TreeFiles(root).held(path)
    return content_of(found.data, known_hash=found.hash)


def _streamed(place: Path) -> ContentHash | None:
    """Return the SHA-256 hash of a file, reading it in chunks. Raise OSError if that fails."""
    with place.open("rb", buffering=0) as file:
        return parse_hash(hashlib.file_digest(file, "sha256").hexdigest())
