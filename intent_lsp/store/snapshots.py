"""Contents kept by their hash in `.local/snapshots/`, as long as there is room.

Invariant: a cache: it may go at any time, and what is damaged in it is not there.
"""

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
from intent_lsp.store.files import create_cache_file, read_bytes, remove_file
from intent_lsp.store.local_room import PRIVATE_FILE_MODE, ensure_inner_room, ensure_local_room

_log = logging.getLogger(__name__)

MAX_BYTES: Final = 256 * 1024 * 1024
"""Compressed bytes that all snapshots of a root may take together."""

_ROOM: Final = "snapshots"
# After a sweep this much is left, so that the next one is not due at once.
_KEPT_OF_MAX: Final = 0.8
_LEVEL: Final = 1


class Snapshots:
    """The kept contents of one root."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES) -> None:
        self._root = root
        self._room = root / LOCAL_ROOM / _ROOM
        self._max_bytes = max_bytes
        self._guard = threading.Lock()
        self._size: int | None = None

    def put(self, data: bytes) -> ContentHash:
        """Keep a content if the disk lets us, and give its hash; the oldest make room for it."""
        content_hash = hash_content(data)
        if self.get(content_hash) is not None:
            return content_hash
        with self._guard:
            try:
                self._put(self._path(content_hash), data)
            except (OSError, UnsafePathError) as problem:
                _log.warning("%s: a content is not kept: %s", self._room, problem)
        return content_hash

    def get(self, content_hash: ContentHash) -> bytes | None:
        """Give a content; None: it was never kept, is kept no more, or is damaged."""
        if parse_hash(content_hash) != content_hash:
            return None
        path = self._path(content_hash)
        try:
            packed = read_bytes(path)
            data = None if packed is None else zlib.decompress(packed)
        except (OSError, zlib.error):
            data = b""
        if data is None or hash_content(data) == content_hash:
            return data
        _log.warning("%s is damaged and dropped", path)
        self._drop(path)
        return None

    def _path(self, content_hash: ContentHash) -> Path:
        return self._room / content_hash.removeprefix("sha256:")

    def _put(self, path: Path, data: bytes) -> None:
        packed = zlib.compress(data, _LEVEL)
        if len(packed) > self._max_bytes * _KEPT_OF_MAX:
            return
        ensure_inner_room(ensure_local_room(self._root), _ROOM)
        if self._size is None:
            self._size = sum(size for _, size, _ in self._kept())
        create_cache_file(path, packed, mode=PRIVATE_FILE_MODE)
        self._size += len(packed)
        if self._size > self._max_bytes:
            self._sweep(path)

    def _sweep(self, newest: Path) -> None:
        """Drop the oldest until there is room; other processes' contents count too."""
        kept = sorted(self._kept())
        left = sum(size for _, size, _ in kept)
        for _, size, path in kept:
            if left <= self._max_bytes * _KEPT_OF_MAX:
                break
            if path != newest:
                self._drop(path)
                left -= size
        self._size = left

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
