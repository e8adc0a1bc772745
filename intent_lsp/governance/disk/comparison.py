"""Comparison of two snapshots of a work tree: which files changed, and which of them by git.

Invariant: a file with the same blob before and after is unchanged, and is not read.
Invariant: a tree that cannot be compared gives None, never "nothing changed".
"""

import logging
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import FileSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash, hash_content
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.disk.git_changes import GitChanges
from intent_lsp.governance.disk.pending_changes import ChangedFile, Comparison
from intent_lsp.governance.disk.tree_snapshots import FILES_AT_MOST, TreeLooks, is_anybodys
from intent_lsp.store.fs.tree_reader import TreeFiles
from intent_lsp.store.git.repository import Git
from intent_lsp.store.git.trees import GitTrees

_log: Final = logging.getLogger(__name__)

UNSEEN_AT_MOST: Final = 1_000
"""The most files of new commits that are checked for an edit that git has removed again."""


class _Side(Struct, frozen=True):
    """A path's content in one of two snapshots, by its hash, its git blob, or both.

    `blob` is None if it is not known. `hash` is None if there was no file, or if the hash is not
    known (`hashed` is False).
    """

    hash: ContentHash | None = None
    blob: str | None = None
    hashed: bool = True


_ABSENT: Final = _Side()


def compare(
    looks: TreeLooks,
    then: TreeSnapshot,
    now: TreeSnapshot,
    *,
    also_unseen: bool = False,
    above: str = "",
) -> Comparison | None:
    """Return what changed between two snapshots of a work tree, or None if that is unknown.

    `also_unseen`: also look for edits that were committed in between and replaced since. `above` is
    put before each path of the work tree in the result and to look up records: "", or for a
    repository below the root its own path with a slash.
    """
    then, now = _unfolded(then, now), _unfolded(now, then)
    comparing = _Comparing(looks, then, now, above)
    own = comparing.comparison()
    if own is None:
        return None
    parts = [own]
    for path in sorted(then.inner.keys() | now.inner.keys()):
        part = _inner(looks, path, then, now, above)
        if part is None:
            return None
        parts.append(part)
    return Comparison(
        edits=tuple(sorted((e for p in parts for e in p.edits), key=lambda each: each.path)),
        gits=frozenset(path for part in parts for path in part.gits),
        discarded=tuple(file for part in parts for file in part.discarded),
        unseen=tuple(comparing.unseen(own)) if also_unseen else (),
    )


def _unfolded(snapshot: TreeSnapshot, other: TreeSnapshot) -> TreeSnapshot:
    """Return the snapshot with the files of some inner repositories listed as its own files.

    These are the inner repositories that have no commit and are not in the other snapshot.
    """
    alone = [p for p, i in snapshot.inner.items() if p not in other.inner and i.head is None]
    if not alone:
        return snapshot
    files = dict(snapshot.files)
    for room in alone:
        for path, file in snapshot.inner[room].files.items():
            files[WorkspacePath(f"{room}/{path}")] = FileSnapshot(file.hash)
    inner = {path: each for path, each in snapshot.inner.items() if path not in alone}
    return replace(snapshot, files=files, inner=inner)


def _inner(
    looks: TreeLooks, path: WorkspacePath, then: TreeSnapshot, now: TreeSnapshot, above: str
) -> Comparison | None:
    """Return what changed in the repository at `path` below the root, or None if that is unknown.

    An inner repository that appeared or vanished counts as one changed file. A submodule that
    appeared or vanished is no change. `above` is put before each path in the result.
    """
    before, after, inner = then.inner.get(path), now.inner.get(path), looks.git_of(path)
    if before is not None and after is not None and inner is not None:
        return compare(inner, before, after, above=f"{above}{path}/")
    submodule = looks.gits is not None and path in looks.gits.flags().submodules
    old, new = commit_hash(before), commit_hash(after)
    if submodule or old == new:
        return Comparison(edits=(), gits=frozenset())
    changed = ChangedFile(path=WorkspacePath(f"{above}{path}"), old=old, new=new, data=None)
    return Comparison(edits=(changed,), gits=frozenset())


def commit_hash(snapshot: TreeSnapshot | None) -> ContentHash | None:
    """Return the hash that represents an inner repository in records, or None for no repository.

    It is the hash of the line that a git diff shows for a submodule.
    """
    if snapshot is None:
        return None
    return hash_content(f"Subproject commit {snapshot.head or 0}\n".encode())


class _Comparing:
    """One comparison of the files of one repository, or of a directory without one."""

    def __init__(self, looks: TreeLooks, then: TreeSnapshot, now: TreeSnapshot, above: str) -> None:
        self._looks = looks
        self._above = above
        self._then = then
        self._now = now
        self._git = looks.git if then.git is not None and now.git is not None else None
        self._files = TreeFiles(looks.root)
        self._changes = None if self._git is None else self._git_changes(self._git)

    def comparison(self) -> Comparison | None:
        """Return what changed, or None if that cannot be determined."""
        paths = self._then.files.keys() | self._now.files.keys()
        if self._changes is not None:
            more = self._changes.paths()
            if more is None:
                _log.warning("%s: a commit cannot be read", self._looks.root)
                return None
            paths |= {path for path in more if is_anybodys(path)}
        then, now = self._then, self._now
        both = ((path, self._side(then, path), self._side(now, path)) for path in sorted(paths))
        sides = {path: (old, new) for path, old, new in both if not _are_same(old, new)}
        if len(sides) > FILES_AT_MOST and self._changes is None:
            return None
        return self._judged(sides)

    def _judged(self, sides: dict[WorkspacePath, tuple[_Side, _Side]]) -> Comparison | None:
        changes = self._changes
        unknown = tuple(path for path, (_, new) in sides.items() if new.blob is None)
        blobs = {} if changes is None else changes.trees.object_ids(unknown)
        if blobs is None:
            # Git does not answer.
            return None
        edits, discarded = list[ChangedFile](), list[ChangedFile]()
        gits = set[WorkspacePath]()
        for path, (old, new) in sides.items():
            blob = new.blob or blobs.get(path)
            made = changes is not None and changes.made(path, old.hash, blob)
            lost = made and path in self._then.files and not self._was_gits(path, old.hash)
            if made:
                gits.add(self._recorded(path))
            if made and not lost:
                continue
            try:
                file = self._changed(path, old)
            except OSError as problem:
                _log.warning("%s cannot be compared: %s", path, problem)
                continue
            if file is not None:
                (discarded if made else edits).append(file)
        if len(edits) > FILES_AT_MOST:
            _log.warning("%s: %d files cannot be compared", self._looks.root, len(edits))
            return None
        return Comparison(
            edits=tuple(edits),
            gits=frozenset(gits),
            discarded=tuple(replace(file, discarded=True) for file in discarded),
        )

    def _was_gits(self, path: WorkspacePath, old: ContentHash | None) -> bool:
        """Return whether git wrote a file's earlier content `old`, or there was no file (None).

        If so, nobody's work is lost when git replaces the content.
        """
        return old is None or (self._changes is not None and self._changes.wrote(path, old))

    def unseen(self, compared: Comparison) -> Iterator[ChangedFile]:
        """Yield edits, not in `compared`, that were committed in between and replaced since.

        At most UNSEEN_AT_MOST files are examined.
        """
        changes, edited = self._changes, {file.path for file in compared.edits}
        if changes is None:
            return
        for path in sorted(changes.authored - edited)[:UNSEEN_AT_MOST]:
            data = changes.authored_content(path)
            new = None if data is None else hash_content(data)
            old, known = self._old(path, self._side(self._then, path))
            if data is None or not known or new == old or self._holds(path, new):
                continue
            self._looks.contents.keep(data, new)
            yield ChangedFile(path=path, old=old, new=new, data=data)

    def _holds(self, path: WorkspacePath, hash_: ContentHash | None) -> bool:
        try:
            return self._files.held(path).hash == hash_
        except OSError as problem:
            _log.warning("%s cannot be compared: %s", path, problem)
            return True

    def _git_changes(self, git: Git) -> GitChanges | None:
        gits = self._looks.gits
        if gits is None:
            return None
        return GitChanges(
            content=self._looks.contents.stores.content,
            recorded=self._left_last,
            git=git,
            gits=gits,
            trees=GitTrees(git),
            then=self._then,
            now=self._now,
        )

    def _left_last(self, path: WorkspacePath, hash_: ContentHash) -> bool:
        """Return whether a file's newest record left it with this content."""
        return self._looks.contents.stores.past.left_last(self._recorded(path), hash_)

    def _recorded(self, path: WorkspacePath) -> WorkspacePath:
        """Return the path that records give to a file of this repository."""
        return WorkspacePath(f"{self._above}{path}")

    def _side(self, snapshot: TreeSnapshot, path: WorkspacePath) -> _Side:
        """Return a path's content in a snapshot, or in its HEAD if the snapshot lacks the path."""
        listed = snapshot.files.get(path)
        if listed is not None:
            return _Side(listed.hash, listed.index if listed.as_index else None)
        head, blob = snapshot.head, None
        if self._changes is not None and head is not None:
            blob = self._changes.trees.blob(head, path)
        return _ABSENT if blob is None else _Side(None, blob, hashed=False)

    def _changed(self, path: WorkspacePath, old: _Side) -> ChangedFile | None:
        """Return a file with its new content, or None if it has not changed since `old`."""
        held = self._files.held(path)
        before, known = self._old(path, old)
        if known and before == held.hash:
            return None
        path = self._recorded(path)
        return ChangedFile(path=path, old=before, new=held.hash, data=held.data, old_known=known)

    def _old(self, path: WorkspacePath, old: _Side) -> tuple[ContentHash | None, bool]:
        """Return the hash of a file's earlier content (None: no file), and whether it is known."""
        if old.hashed:
            return old.hash, True
        head, git = self._then.head, self._git
        version = None if git is None or head is None else git.version_at(head, path)
        data = None if git is None or version is None else git.version_bytes(version)
        if data is None:
            return None, False
        self._looks.contents.keep(data)
        return hash_content(data), True


def _are_same(old: _Side, new: _Side) -> bool:
    if old.blob is not None and old.blob == new.blob:
        return True
    return old.hashed and new.hashed and old.hash == new.hash
