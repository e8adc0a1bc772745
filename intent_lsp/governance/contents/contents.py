"""The contents a file's change is measured against: HEAD, the baseline, what a record let pass.

Invariant: without a repository or a commit, HEAD is the disk's content at first sight.
Invariant: unsaved text is never part of a baseline.
Invariant: a content is kept under a name that never means another one, so that it is never stale.
Invariant: what is kept together is bounded; what was not asked for the longest goes first.
"""

import logging
import threading
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.gate.file_class import server_only
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.contents.content import ABSENT, FileContent, content_of
from intent_lsp.governance.contents.initial_contents import InitialContents
from intent_lsp.governance.contents.uncommitted_tree import EMPTY_TREE, is_too_large, read_tree
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs import files
from intent_lsp.store.git.conversion import Version
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.status import tree_status

_log: Final = logging.getLogger(__name__)

KEPT_AT_MOST: Final = 5 * 1024 * 1024
"""Bytes of a file above which a baseline keeps its hash alone."""

_ABSENT_IN_HEAD: Final = content_of(None, committed=True)

KEPT_TOGETHER: Final = 16 << 20
"""Characters of all contents kept; a content that is larger alone is not kept."""


class ContentLru:
    """Contents by the name of what they are: a hash, or a version that git knows."""

    def __init__(self, kept_together: int = KEPT_TOGETHER) -> None:
        self._room = kept_together
        self._lock = threading.Lock()
        self._kept: dict[Hashable, FileContent] = {}
        self._size = 0

    def get(self, name: Hashable, read: Callable[[], FileContent]) -> FileContent:
        """Give the content of a name; `read` is called, outside the lock, when it is not kept."""
        with self._lock:
            known = self._kept.pop(name, None)
            if known is not None:
                # Last in the dictionary is the last that was asked for.
                self._kept[name] = known
                return known
        return self._keep(name, read())

    def _keep(self, name: Hashable, content: FileContent) -> FileContent:
        # What could not be read may be readable the next time.
        if content.hash is None or content.text is None or len(content.text) > self._room:
            return content
        with self._lock:
            if name in self._kept:
                return self._kept[name]
            self._kept[name] = content
            self._size += len(content.text)
            while self._size > self._room:
                self._size -= len(self._kept.pop(next(iter(self._kept))).text or "")
        return content


class Seen(NamedTuple):
    """A work tree: HEAD's commit, and the files that differ from it (None: no hash is known).

    Where HEAD is unborn it is the empty tree, from which every file differs.
    """

    head: str | None
    files: Mapping[WorkspacePath, ContentHash | None]


class Contents:
    """What is known of the past contents of one root's files."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._lock = threading.Lock()
        self._recent = ContentLru()
        self._first_sight = InitialContents(self.kept)
        self._sight_baseline: dict[str, dict[WorkspacePath, bytes | None]] = {}

    def disk(self, path: WorkspacePath) -> bytes | None:
        """Read a file of the root as it is on disk now."""
        return files.read_bytes(self._stores.root / path)

    def disk_if_readable(self, path: WorkspacePath) -> bytes | None:
        """Read a file as it is on disk now; None, and a line in the log, where it cannot be."""
        try:
            return self.disk(path)
        except OSError as problem:
            _log.warning("%s cannot be hashed: %s", path, problem)
            return None

    def hash_of(self, path: WorkspacePath) -> ContentHash | None:
        """Hash a file as it is on disk now; None: there is none."""
        return hash_if_there(self.disk(path))

    def seen(self, path: WorkspacePath, data: bytes | None) -> None:
        """Remember a file's content at first sight, where no commit or no baseline knows it."""
        committed = self._committed()
        if not committed or self._sight_baseline:
            self._first_sight.open(path, data)
            if data is not None and self._first_sight.found(path) is not None:
                self.keep(data)

    def tree_seen(self, seen: Seen) -> None:
        """Remember a whole tree without a commit at first sight, until a commit knows of it."""
        if seen.head == EMPTY_TREE:
            self._first_sight.find(seen.files)
        else:
            self._first_sight.forget_found()

    def head(self, path: WorkspacePath) -> FileContent:
        """Give the content in HEAD as the work tree spells it, or that of the first sight."""
        git = self._stores.git
        if git is not None and self._committed():
            version = git.head_version(path)
            return _ABSENT_IN_HEAD if version is None else self._in_commit(git, version)
        return self._first_sight.content(path) or ABSENT

    def begin_baseline(self, session_id: str, seen: Seen | None = None) -> None:
        """Take the disk's content, as it is now, as this session's baseline.

        `seen`: what somebody has just looked at, so that it need not be looked at again.
        """
        git, state = self._stores.git, self._stores.state
        if git is not None and state is not None and seen is None:
            seen = self._changed(git) if self._committed() else self._uncommitted()
        if state is None or seen is None:
            self._baseline_of_sight(session_id)
            if state is not None:
                # What an earlier one said of other files counts no more.
                state.replace_baseline(session_id, None, {})
            return
        with self._lock:
            self._sight_baseline.pop(session_id, None)
        changed = dict(seen.files)
        if seen.head == EMPTY_TREE:
            # What git ignores is not in the tree, and was opened all the same.
            changed = {**dict.fromkeys(self._first_sight.opened()), **changed}
        # What was not seen as a file of the root may be a link that leads out of it.
        changed = {path: hash_ or self._keep(path) for path, hash_ in changed.items()}
        state.replace_baseline(session_id, seen.head, changed)

    def has_whole_baseline(self, session_id: str) -> bool:
        """Whether a file that the session's baseline does not have was not there when it began."""
        state = self._stores.state
        return state is not None and state.baseline_head(session_id) is not None

    def baseline(self, session_id: str, path: WorkspacePath) -> FileContent:
        """Give what stood on disk when the session began or chose a different intent."""
        git, state = self._stores.git, self._stores.state
        commit = None if git is None or state is None else state.baseline_head(session_id)
        if git is None or state is None or commit is None:
            return self._sighted(session_id, path)
        known = state.baseline_of(session_id, path)
        if known is not None:
            return self.kept(known.hash)
        version = git.version_at(commit, path)
        return ABSENT if version is None else self._in_commit(git, version)

    def correct(
        self, session_id: str, path: WorkspacePath, taken: bytes, before: bytes | None
    ) -> None:
        """Take `before` for what was `taken` for the baseline and the first sight of a file."""
        in_baseline = self.baseline(session_id, path).hash == hash_content(taken)
        self._first_sight.correct(path, before)
        if not in_baseline:
            return
        if before is not None:
            self.keep(before)
        state = self._stores.state
        if state is not None and state.baseline_head(session_id) is not None:
            state.move_baseline(session_id, path, hash_if_there(before))
            return
        with self._lock:
            self._sight_baseline.setdefault(session_id, {})[path] = before

    def follow(self, session_id: str, old: WorkspacePath, new: WorkspacePath) -> None:
        """Take what is known of a file to the name that it was moved to: baseline, first sight."""
        git, state = self._stores.git, self._stores.state
        self._first_sight.follow(old, new)
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
        if data is not None:
            self.keep(data)
        state.move_baseline(session_id, new, hash_if_there(data))

    def kept(self, content_hash: ContentHash | None) -> FileContent:
        """Give a content that `.local/` keeps; its lines are None where it keeps it no more."""
        if content_hash is None:
            return ABSENT
        return self._recent.get(content_hash, lambda: self._snapshot(content_hash))

    def kept_bytes(self, content_hash: ContentHash) -> bytes | None:
        """Give the bytes of a content that `.local/` keeps; None: it keeps it no more."""
        return self._stores.content(content_hash)

    def left_by_record(self, path: WorkspacePath, content_hash: ContentHash) -> bool:
        """Whether the newest record of a file tells of this content."""
        return self._stores.past.left_last(path, content_hash)

    def keep(self, data: bytes, known: ContentHash | None = None) -> None:
        """Keep a content in `.local/`, unless it is too large; `known` is its hash, if at hand."""
        if len(data) <= KEPT_AT_MOST:
            self._stores.snapshots.put(data, known)

    def _snapshot(self, content_hash: ContentHash) -> FileContent:
        data = self._stores.snapshots.get(content_hash)
        return FileContent(hash=content_hash, text=None) if data is None else content_of(data)

    def _in_commit(self, git: Git, version: Version) -> FileContent:
        def read() -> FileContent:
            return content_of(git.version_bytes(version), committed=True)

        # What a program makes of a blob is not told by the blob alone.
        return read() if version.how.program else self._recent.get(version, read)

    def _committed(self) -> bool:
        git = self._stores.git
        return git is not None and git.head_commit() is not None

    def _changed(self, git: Git) -> Seen:
        # The ledger is nobody's edit, and larger than all that is.
        paths = (path for path in git.changed_paths() if not server_only(path))
        return Seen(git.head_commit(), dict.fromkeys(paths))

    def _uncommitted(self) -> Seen | None:
        """Look at a tree without a commit; None: git does not answer, or there is too much."""
        status = tree_status(self._stores.root)
        if status is None or is_too_large(self._stores.root, status.paths):
            return None
        found = dict[WorkspacePath, ContentHash | None]()
        for path, held in read_tree(self._stores.root, status.paths):
            found[path] = held.hash
            # What was found first is kept by whoever found it, as far as there is room.
            if held.data is not None and held.hash != self._first_sight.found(path):
                self.keep(held.data, held.hash)
        return Seen(status.head or EMPTY_TREE, found)

    def _keep(self, path: WorkspacePath) -> ContentHash | None:
        try:
            data = self.disk(path)
        except OSError:
            return None
        if data is None:
            return None
        found = hash_content(data)
        self.keep(data, found)
        return found

    def _sighted(self, session_id: str, path: WorkspacePath) -> FileContent:
        """Give the baseline of a session that began without a commit or without `.local/`."""
        with self._lock:
            known = self._sight_baseline.get(session_id, {})
            if path in known:
                return content_of(known[path])
        return self._first_sight.content(path) or self.head(path)

    def _baseline_of_sight(self, session_id: str) -> None:
        now = {path: _read(self._stores.root, path) for path in self._first_sight.opened()}
        with self._lock:
            self._sight_baseline[session_id] = now


def _read(root: Path, path: WorkspacePath) -> bytes | None:
    try:
        return files.read_bytes(root / path)
    except OSError:
        return None
