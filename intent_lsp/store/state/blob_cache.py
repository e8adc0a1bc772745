"""Content-addressed cache of file contents in `.local/snapshots/`, limited in size.

Invariant: it is only a cache. Any entry may vanish at any time, and a damaged one counts as
missing.
Invariant: a content is checked against its hash whenever it is read, not when it is written.
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
"""The bytes on disk above which the oldest cached contents of a root are removed."""

_ROOM: Final = "snapshots"
# Share of the limit that is left after making room. Removing a bit more than needed means that the
# directory is not listed again for each new content.
_KEPT_OF_MAX: Final = 0.8
_AT_ONCE: Final = 4
"""The most contents removed with each one that is added, so that no caller waits long."""
_LEVEL: Final = 1
# Bytes of a content that is compressed. An agent waits for this, and for larger contents
# compressing takes longer than writing.
_PACKED_AT_MOST: Final = 64 * 1024


class BlobCache:
    """The cached file contents of one root, in files named by their hashes.

    If they take more than `max_bytes` on disk, the oldest are removed.
    """

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES) -> None:
        self._root = root
        self._room = root / LOCAL_ROOM / _ROOM
        self._max_bytes = max_bytes
        self._guard = threading.Lock()
        self._size: int | None = None
        # Files to remove, oldest first, with their sizes.
        self._doomed: dict[Path, int] = {}
        self._found_safe: tuple[int, int] | None = None

    def put(self, data: bytes, known: ContentHash | None = None) -> ContentHash:
        """Add a file content to the cache, unless it is there, and return its hash in any case.

        If the cache is full, old contents are removed. A content too large for the cache is not
        added. `known` is the content's hash, or None to compute it. An error is only logged.
        """
        content_hash = hash_content(data) if known is None else known
        path = self._path(content_hash)
        with self._guard:
            try:
                if not _is_kept(path):
                    self._put(path, data)
                # It is used again, so it must not be removed as an old one.
                self._doomed.pop(path, None)
            except (OSError, UnsafePathError) as problem:
                _log.warning("%s: a content is not kept: %s", self._room, problem)
        return content_hash

    def get(self, content_hash: ContentHash) -> bytes | None:
        """Return the content with a hash, or None if it is not in the cache.

        Its file is removed, and the result is None, if the file is damaged or cannot be read.
        """
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
        """Write a content to the file `path` of the cache, and remove old contents if necessary.

        Do nothing if the content is too large for the cache.
        """
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
        """Create the cache directory, or check that it is safe.

        Do nothing if this was done before for the same directory.
        """
        if self._found_safe is None or self._found_safe != _directory(self._room):
            ensure_inner_directory(ensure_local_directory(self._root), _ROOM)
            self._found_safe = _directory(self._room)

    def _make_room(self, newest: Path) -> None:
        """Remove old contents, oldest first, if the cache is over its limit.

        All contents to remove are chosen at once, when the cache exceeds its limit. Each call then
        removes `_AT_ONCE` of them, and more if the cache is still over its limit. `newest` is the
        file of the content just added, which is kept.
        """
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
        """Choose the oldest contents for removal. Return the byte size of all contents.

        After their removal the others take at most the share `_KEPT_OF_MAX` of the limit. Contents
        that other processes have added count as well.
        """
        kept = sorted(self._kept())
        left = everything = sum(size for _, size, _ in kept)
        for _, size, path in kept:
            if left <= self._max_bytes * _KEPT_OF_MAX:
                break
            self._doomed[path] = size
            left -= size
        return everything

    def _kept(self) -> Iterator[tuple[int, int, Path]]:
        """Yield (modification time in ns, size in bytes, path) of each cached content's file."""
        with os.scandir(self._room) as entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # Another process has removed it.
                    continue
                yield found.st_mtime_ns, found.st_size, Path(entry.path)

    def _drop(self, path: Path) -> None:
        try:
            remove_file(path)
        except OSError as problem:
            _log.warning("%s cannot be dropped: %s", path, problem)


def _meanings(stored: bytes) -> Iterator[bytes]:
    """Yield the contents that a cached file may stand for: its bytes, then its bytes decompressed.

    Only small contents are compressed in the cache.
    """
    yield stored
    with contextlib.suppress(zlib.error):
        yield zlib.decompress(stored)


def _is_kept(path: Path) -> bool:
    """Return whether a file exists and is not empty. A power failure may leave an empty file."""
    found = stamp(path)
    return found is not None and found.size > 0


def _directory(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a directory, or None if it is missing. Links are not followed."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
