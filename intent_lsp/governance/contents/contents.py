"""Contents that a file's changes are compared with: HEAD, the session's baseline, kept contents.

Invariant: without a repository or a commit, the file's initial content on disk counts as HEAD.
Invariant: unsaved text is never part of a baseline.
Invariant: a cache key always means the same content, so a cache entry is never stale.
Invariant: the cache is bounded; the least recently used entry is evicted first.
"""

import logging
import threading
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of, hash_if_there
from intent_lsp.core.control_plane import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.initial_contents import (
    EMPTY_TREE,
    InitialContents,
    is_too_large,
    read_tree,
)
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.git.objects import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.status import tree_status

_log: Final = logging.getLogger(__name__)

KEPT_AT_MOST: Final = 5 * 1024 * 1024
"""Bytes of a file above which a baseline keeps only its hash."""

_ABSENT_IN_HEAD: Final = FileContent(committed=True)

KEPT_TOGETHER: Final = 8 << 20
"""The most characters of all cached contents together. A single larger one is not cached."""


class ContentLru:
    """A cache of contents, keyed by hash or by a version that git knows."""

    def __init__(self, kept_together: int = KEPT_TOGETHER) -> None:
        self._room = kept_together
        self._lock = threading.Lock()
        self._kept: dict[Hashable, FileContent] = {}
        self._size = 0

    def get(self, name: Hashable, read: Callable[[], FileContent]) -> FileContent:
        """Return the content cached under `name`, else that of `read`, which is cached if text."""
        with self._lock:
            known = self._kept.pop(name, None)
            if known is not None:
                # Reinserting keeps the dictionary in order of use.
                self._kept[name] = known
                return known
        return self._keep(name, read())

    def _keep(self, name: Hashable, content: FileContent) -> FileContent:
        # Do not cache what could not be read, since the next read may succeed.
        if content.hash is None or content.text is None or len(content.text) > self._room:
            return content
        with self._lock:
            # Another thread may have read the same content meanwhile.
            if name in self._kept:
                return self._kept[name]
            self._kept[name] = content
            self._size += len(content.text)
            while self._size > self._room:
                self._size -= len(self._kept.pop(next(iter(self._kept))).text or "")
        return content


class Seen(NamedTuple):
    """The commit at a work tree's HEAD, and the hashes of the files that differ from it.

    A hash is None if there is no file or it is unknown. Before the first commit `head` is the empty
    tree, from which every file differs.
    """

    head: str | None
    files: Mapping[WorkspacePath, ContentHash | None]


class Contents:
    """The present and past contents of one root's files."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self._lock = threading.Lock()
        self._recent = ContentLru()
        self._initial = InitialContents(self.kept)
        self._sight_baseline: dict[str, dict[WorkspacePath, FileContent]] = {}

    def disk(self, path: WorkspacePath) -> bytes | None:
        """Return a file's bytes on disk, or None if the file is absent. Raise OSError."""
        return files.read_bytes(self.stores.root / path)

    def on_disk(self, path: WorkspacePath) -> FileContent:
        """Return the content of a file of the root on disk now. Raise OSError."""
        return content_of(self.disk(path))

    def disk_if_readable(self, path: WorkspacePath) -> bytes | None:
        """Return a file's bytes on disk, or None if absent or, with a warning, unreadable."""
        try:
            return self.disk(path)
        except OSError as problem:
            _log.warning("%s cannot be hashed: %s", path, problem)
            return None

    def hash_of(self, path: WorkspacePath) -> ContentHash | None:
        """Return the hash of a file on disk now, or None if it is absent. Raise OSError."""
        return self.on_disk(path).hash

    def seen(self, path: WorkspacePath, content: FileContent) -> None:
        """Store a file's initial content, unless it has one or commits say all that is needed."""
        if not self._committed() or self._sight_baseline:
            self._initial.open(path, content)
            if self._initial.found(path) is not None:
                self.keep(content.data, content.hash)

    def tree_seen(self, seen: Seen) -> None:
        """Store the hashes of a work tree that has no commit; discard them once it has one.

        Without a commit, call InitialContents.find; with one, InitialContents.forget_found.
        """
        if seen.head == EMPTY_TREE:
            self._initial.find(seen.files)
        else:
            self._initial.forget_found()

    def head(self, path: WorkspacePath) -> FileContent:
        """Return a file's content in HEAD, as checked out; an absent one if HEAD lacks the file.

        Without a repository or a commit, return what the file held when it was first read, or an
        absent one if that is unknown.
        """
        git = self.stores.git
        if git is not None and self._committed():
            version = git.head_version(path)
            return _ABSENT_IN_HEAD if version is None else self._in_commit(git, version)
        return self._initial.content(path) or ABSENT

    def begin_baseline(self, session_id: str, seen: Seen | None = None) -> None:
        """Set a session's baseline to the present contents of the disk.

        `seen` is a snapshot just taken, or None to take one. If none can be taken or stored, the
        baseline has only the files that editors have opened, and is kept in memory.
        """
        git, state = self.stores.git, self.stores.state
        if git is not None and state is not None and seen is None:
            seen = self._changed(git) if self._committed() else self._uncommitted()
        if state is None or seen is None:
            now = {path: _read(self.stores.root, path) for path in self._initial.opened()}
            with self._lock:
                self._sight_baseline[session_id] = now
            if state is not None:
                # Entries of an earlier baseline no longer hold.
                state.replace_baseline(session_id, None, {})
            return
        with self._lock:
            self._sight_baseline.pop(session_id, None)
        changed = dict(seen.files)
        if seen.head == EMPTY_TREE:
            # An ignored file is not in the tree, but an editor may have opened it.
            changed = {**dict.fromkeys(self._initial.opened()), **changed}
        # A path without a hash was not read as a file of the root: it may be a link that leads out.
        changed = {path: hash_ or self._keep(path) for path, hash_ in changed.items()}
        state.replace_baseline(session_id, seen.head, changed)

    def has_whole_baseline(self, session_id: str) -> bool:
        """Return whether a session has a stored baseline. It covers all files but ignored ones."""
        state = self.stores.state
        return state is not None and state.baseline_head(session_id) is not None

    def baseline(self, session_id: str, path: WorkspacePath) -> FileContent:
        """Return a file's content when the session began or selected another intent.

        If no whole baseline was stored, return the content kept in memory, else the file's initial
        content, else that in HEAD.
        """
        git, state = self.stores.git, self.stores.state
        commit = None if git is None or state is None else state.baseline_head(session_id)
        if git is None or state is None or commit is None:
            return self._sighted(session_id, path)
        known = state.baseline_of(session_id, path)
        if known is not None:
            return self.kept(known.hash)
        version = git.version_at(commit, path)
        return ABSENT if version is None else self._in_commit(git, version)

    def correct(
        self, session_id: str, path: WorkspacePath, taken: FileContent, before: FileContent
    ) -> None:
        """Replace a file's initial content, if it has one, and its baseline by `before`.

        `taken` is the content that was wrongly taken for both. A baseline with another hash stays.
        """
        in_baseline = self.baseline(session_id, path).hash == taken.hash
        self._initial.correct(path, before)
        if not in_baseline:
            return
        self.keep(before.data, before.hash)
        state = self.stores.state
        if state is not None and state.baseline_head(session_id) is not None:
            state.move_baseline(session_id, path, before.hash)
            return
        with self._lock:
            self._sight_baseline.setdefault(session_id, {})[path] = before

    def follow(self, session_id: str, old: WorkspacePath, new: WorkspacePath) -> None:
        """Carry the baseline and the initial content of a file over to its new name."""
        git, state = self.stores.git, self.stores.state
        self._initial.follow(old, new)
        commit = None if git is None or state is None else state.baseline_head(session_id)
        if git is None or state is None or commit is None:
            with self._lock:
                known = self._sight_baseline.get(session_id, {})
                if old in known:
                    known[new] = known[old]
            return
        listed = state.baseline_of(session_id, old)
        if listed is not None:
            state.move_baseline(session_id, new, listed.hash)
            return
        version = git.version_at(commit, old)
        data = None if version is None else git.version_bytes(version)
        self.keep(data)
        state.move_baseline(session_id, new, hash_if_there(data))

    def kept(self, content_hash: ContentHash | None) -> FileContent:
        """Return the content with a hash (None: ABSENT), without data if not in the blob cache."""
        if content_hash is None:
            return ABSENT
        kept = self.stores.snapshots
        return self._recent.get(
            content_hash, lambda: content_of(kept.get(content_hash), known_hash=content_hash)
        )

    def keep(self, data: bytes | None, known: ContentHash | None = None) -> None:
        """Put a content into the blob cache; `known` is its hash, if known.

        Do nothing for one of more than KEPT_AT_MOST bytes, or if `data` is None (no file).
        """
        if data is not None and len(data) <= KEPT_AT_MOST:
            self.stores.snapshots.put(data, known)

    def _in_commit(self, git: Git, version: Version) -> FileContent:
        def read() -> FileContent:
            return content_of(git.version_bytes(version), committed=True)

        # A filter program may make different content of the same blob, so the blob is no cache key.
        return read() if version.how.program else self._recent.get(version, read)

    def _committed(self) -> bool:
        git = self.stores.git
        return git is not None and git.head_commit() is not None

    def _changed(self, git: Git) -> Seen:
        # Files that only the server writes are left out; the ledger is large and no edit.
        paths = (path for path in git.changed_paths() if not server_only(path))
        return Seen(git.head_commit(), dict.fromkeys(paths))

    def _uncommitted(self) -> Seen | None:
        """Return the files of a work tree without a commit, and keep their contents.

        Return None if git fails or the tree is too large.
        """
        status = tree_status(self.stores.root)
        if status is None or is_too_large(self.stores.root, status.paths):
            return None
        found = dict[WorkspacePath, ContentHash | None]()
        for path, held in read_tree(self.stores.root, status.paths):
            found[path] = held.hash
            # A file's initial content was already kept when it was found.
            if held.hash != self._initial.found(path):
                self.keep(held.data, held.hash)
        return Seen(status.head or EMPTY_TREE, found)

    def _keep(self, path: WorkspacePath) -> ContentHash | None:
        found = _read(self.stores.root, path)
        self.keep(found.data, found.hash)
        return found.hash

    def _sighted(self, session_id: str, path: WorkspacePath) -> FileContent:
        """Return a file's baseline kept in memory, else its initial content, else that in HEAD."""
        with self._lock:
            known = self._sight_baseline.get(session_id, {})
            if path in known:
                return known[path]
        return self._initial.content(path) or self.head(path)


def _read(root: Path, path: WorkspacePath) -> FileContent:
    try:
        return content_of(files.read_bytes(root / path))
    except OSError:
        return ABSENT
