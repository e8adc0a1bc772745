"""What the files of a root hold now, read one after the other for a comparison.

Invariant: what a link leads out to is not the content of a file of the root.
Invariant: a file too large to hold is hashed piece by piece, and never in memory whole.
"""

import errno
import hashlib
import stat as modes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, hash_if_there, parse_hash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.store.fs.files import read_bytes, stamp
from intent_lsp.store.fs.resolve import resolve_below

HELD_AT_MOST: Final = 64 * 1024 * 1024
"""Bytes of a file above which it is hashed without being held."""


_NOT_THERE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file's hash (None: there is no file) and its bytes (None too: it is too large to hold)."""

    hash: ContentHash | None
    data: bytes | None


NOTHING: Final = ReadFile(None, None)


class TreeFiles:
    """Reads the files of one root; where its directories lead is asked once for each."""

    def __init__(self, root: Path, *, held_at_most: int = HELD_AT_MOST) -> None:
        self._root = root
        self._held_at_most = held_at_most
        self._rooms: dict[str, bool] = {"": True}

    def held(self, path: WorkspacePath) -> ReadFile:
        """Read a file; raises OSError when it is there and cannot be read."""
        place = self._root / path
        size = self._size(path, place)
        if size is None:
            return NOTHING
        if size > self._held_at_most:
            return ReadFile(_streamed(place), None)
        data = read_bytes(place)
        return NOTHING if data is None else ReadFile(hash_if_there(data), data)

    def _size(self, path: WorkspacePath, place: Path) -> int | None:
        """Give the bytes of a regular file; None: none is there, or it is not in the root."""
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
        # A link, or a directory or a pipe, which has no stamp.
        target = stamp(place) if self._leads_inside(path) else None
        return None if target is None else target.size

    def _inside(self, room: str) -> bool:
        """Whether a directory is in the root: no link leads out of it on the way there."""
        unknown = []
        while room not in self._rooms:
            unknown.append(room)
            room = room.rpartition("/")[0]
        inside = self._rooms[room]
        for inner in reversed(unknown):
            linked = (self._root / inner).is_symlink()
            # What is no link is where its own room is; from outside, a link may lead back.
            inside = self._leads_inside(inner) if linked or not inside else True
            self._rooms[inner] = inside
        return inside

    def _leads_inside(self, path: str) -> bool:
        place = resolve_below(self._root, path)
        return place is not None and place.real is not None


def holds_file(place: Path) -> bool:
    """Whether a regular file or a link is there, of which git can tell."""
    try:
        mode = place.lstat().st_mode
    except (OSError, ValueError):
        return False
    return modes.S_ISREG(mode) or modes.S_ISLNK(mode)


def read_in(root: Path, path: WorkspacePath) -> bytes | None:
    """Read a file of a root; None: there is none to be read, or it lies outside.

    A record's path may be anything that somebody wrote.
    """
    place = resolve_below(root, path)
    if place is None or place.real is None:
        return None
    try:
        return read_bytes(root / place.path)
    except OSError:
        return None


def _streamed(place: Path) -> ContentHash | None:
    with place.open("rb", buffering=0) as file:
        return parse_hash(hashlib.file_digest(file, "sha256").hexdigest())
