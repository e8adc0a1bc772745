"""Contents kept by their hash in `.local/snapshots/`, as long as there is room.

Invariant: a cache: it may go at any time, and what is damaged in it is not there.
Invariant: a content is held against its hash whenever it is given out, and not when it is put.
"""

import contextlib
import logging
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content, parse_hash
from intent_lsp.core.errors import UnsafePathError
from intent_lsp.core.paths import LOCAL_ROOM
from intent_lsp.store.fs.files import read_bytes, stamp
from intent_lsp.store.fs.local_dir import (
    PRIVATE_FILE_MODE,
    ensure_inner_directory,
    ensure_local_directory,
)
from intent_lsp.store.fs.write import create_cache_file, remove_file

_log = logging.getLogger(__name__)

MAX_BYTES: Final = 256 * 1024 * 1024
"""Bytes on disk that all snapshots of a root may take together."""

_ROOM: Final = "snapshots"
# In the end this much is left, so that what is kept is not listed anew for each content.
_KEPT_OF_MAX: Final = 0.8
_AT_ONCE: Final = 4
"""Contents dropped with one that is kept: whoever waits for that does not wait for all."""
_LEVEL: Final = 1
# An agent waits while its files are kept: packing a larger one takes longer than writing it.
_PACKED_AT_MOST: Final = 64 * 1024


class BlobCache:
    """The kept contents of one root."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES) -> None:
        self._root = root
        self._room = root / LOCAL_ROOM / _ROOM
        self._max_bytes = max_bytes
        self._guard = threading.Lock()
        self._size: int | None = None
        # What is to go, oldest first, with its size.
        self._doomed: dict[Path, int] = {}
        self._found_safe: tuple[int, int] | None = None

    def put(self, data: bytes, known: ContentHash | None = None) -> ContentHash:
        """Keep a content if the disk lets us, and give its hash; the oldest make room for it.

        `known` is its hash, where the caller has it.
        """
        content_hash = hash_content(data) if known is None else known
        path = self._path(content_hash)
        with self._guard:
            try:
                if not _is_kept(path):
                    self._put(path, data)
                # What is kept anew is not old.
                self._doomed.pop(path, None)
            except (OSError, UnsafePathError) as problem:
                _log.warning("%s: a content is not kept: %s", self._room, problem)
        return content_hash

    def get(self, content_hash: ContentHash) -> bytes | None:
        """Give a content; None: it was never kept, is kept no more, or is damaged."""
        if parse_hash(content_hash) != content_hash:
            return None
        path = self._path(content_hash)
        try:
            stored = read_bytes(path)
        except OSError:
            stored = b""
        if stored is None:
            return None
        for data in _meanings(stored):
            if hash_content(data) == content_hash:
                return data
        _log.warning("%s is damaged and dropped", path)
        self._drop(path)
        return None

    def _path(self, content_hash: ContentHash) -> Path:
        return self._room / content_hash.removeprefix("sha256:")

    def _put(self, path: Path, data: bytes) -> None:
        stored = zlib.compress(data, _LEVEL) if len(data) <= _PACKED_AT_MOST else data
        if len(stored) > self._max_bytes * _KEPT_OF_MAX:
            return
        self._ensure_room()
        if self._size is None:
            self._size = sum(size for _, size, _ in self._kept())
        create_cache_file(path, stored, mode=PRIVATE_FILE_MODE)
        self._size += len(stored)
        self._make_room(path)

    def _ensure_room(self) -> None:
        """Make the room, or find it safe; the very directory that was, is still."""
        if self._found_safe is None or self._found_safe != _directory(self._room):
            ensure_inner_directory(ensure_local_directory(self._root), _ROOM)
            self._found_safe = _directory(self._room)

    def _make_room(self, newest: Path) -> None:
        """Drop the oldest where there is no room; then a few each time, until there is enough."""
        if self._size is not None and self._size > self._max_bytes and not self._doomed:
            self._size = self._doom()
        dropped = 0
        while self._size is not None and self._doomed:
            if self._size <= self._max_bytes and dropped >= _AT_ONCE:
                break
            path = next(iter(self._doomed))
            size = self._doomed.pop(path)
            if path != newest:
                self._drop(path)
                self._size -= size
                dropped += 1

    def _doom(self) -> int:
        """List what is to go, oldest first; give the size of all, of other processes' too."""
        kept = sorted(self._kept())
        left = everything = sum(size for _, size, _ in kept)
        for _, size, path in kept:
            if left <= self._max_bytes * _KEPT_OF_MAX:
                break
            self._doomed[path] = size
            left -= size
        return everything

    def _kept(self) -> Iterator[tuple[int, int, Path]]:
        """Give the moment, the size and the path of each snapshot."""
        with os.scandir(self._room) as entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # Another process was first.
                    continue
                yield found.st_mtime_ns, found.st_size, Path(entry.path)

    def _drop(self, path: Path) -> None:
        try:
            remove_file(path)
        except OSError as problem:
            _log.warning("%s cannot be dropped: %s", path, problem)


def _meanings(stored: bytes) -> Iterator[bytes]:
    """Give what a file may stand for: a large content is stored as it is, others packed."""
    yield stored
    with contextlib.suppress(zlib.error):
        yield zlib.decompress(stored)


def _is_kept(path: Path) -> bool:
    """Whether a content seems to be there: a disk that lost its power may leave an empty file."""
    found = stamp(path)
    return found is not None and found.size > 0


def _directory(path: Path) -> tuple[int, int] | None:
    """Identify what has this name, links not followed; None: nothing."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
