"""The account of a work tree: what a record, the server itself or git has made of its files.

Invariant: what the first look finds is accounted for; what changes later has to be explained.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from intent_lsp.core.content import ContentHash, hash_content, hash_if_there
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.contents import Contents, Seen
from intent_lsp.governance.disk_events import HeldThen
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.tree_sight import Sight, TreeSight
from intent_lsp.governance.uncommitted_tree import EMPTY_TREE
from intent_lsp.store.git import Git
from intent_lsp.store.tree_files import holds_file


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLook:
    """The files that differ from HEAD now; `moved` hold something else than at the last look."""

    seen: Seen
    moved: frozenset[WorkspacePath]


class TreeAccount:
    """Keeps account of what the work tree of one root holds; one thread at a time."""

    def __init__(self, stores: Stores, contents: Contents) -> None:
        self._stores = stores
        self._contents = contents
        self._sight = TreeSight(stores, contents)
        self._now: Sight | None = None
        self._since = ""
        # Of files that differ from HEAD, or did when they were changed.
        self._known: dict[WorkspacePath, ContentHash | None] = {}
        self._clean_at: dict[WorkspacePath, str] = {}
        self._put_away: dict[WorkspacePath, set[ContentHash | None]] = {}
        self._stashes: dict[str, None] = {}
        # Files that are gone, and that git did not track while they were there.
        self._untracked_gone: set[WorkspacePath] = set()

    def look(self) -> TreeLook | None:
        """Look at the work tree; None: git does not answer, or there is too much to look at."""
        now, before = self._sight.look(), self._now
        if now is None:
            return None
        now = self._now = self._with_gone(before, now)
        self._contents.tree_seen(Seen(now.head, now.files))
        self._note_stash()
        if before is None or self._is_made_anew(before, now):
            self.done()
            self._known = dict(now.files)
            return TreeLook(seen=Seen(now.head, now.files), moved=frozenset(now.files))
        moved = _moved(before.files, now.files)
        self._follow(before, now, moved)
        return TreeLook(seen=Seen(now.head, now.files), moved=moved)

    def unaccounted(self) -> dict[WorkspacePath, ContentHash | None]:
        """Give the changed files, as they were seen last, that nothing accounts for."""
        git, now = self._stores.git, self._now
        if git is None or now is None:
            return {}
        changed = {
            path
            for path, hash_ in now.files.items()
            if path not in self._known or self._known[path] != hash_
        }
        explained = {path for path in changed if self._explained(git, now, path)}
        explained |= self._stashed(git, now, changed - explained)
        for path in explained:
            self.settle(path)
        return {path: now.files[path] for path in sorted(changed - explained)}

    def settle(self, path: WorkspacePath) -> None:
        """Take what a file was seen to hold as accounted for."""
        now = {} if self._now is None else self._now.files
        self._clean_at.pop(path, None)
        self._untracked_gone.discard(path)
        if path in now:
            self._known[path] = now[path]
            self._put_away.get(path, set()).discard(now[path])

    def done(self) -> None:
        """Note that up to now everything is accounted for, or waits."""
        self._since = timestamp(self._stores.clock())

    def is_recorded(self, path: WorkspacePath, hash_: ContentHash | None) -> bool:
        """Whether a file's newest record left it with this hash (None: without it)."""
        newest = self._stores.past.newest(path)
        return newest is not None and _post_hashes(newest).get(path, _AS_IN_HEAD) == hash_

    def old(self, path: WorkspacePath) -> HeldThen:
        """Tell what a file held before its change: by its newest record, else as it was seen."""
        newest = self._stores.past.newest(path)
        if newest is not None and newest.timestamp > self._since:
            return self._kept(_post_hashes(newest).get(path))
        if path in self._known:
            return self._kept(self._known[path])
        git, commit = self._stores.git, self._clean_at.get(path)
        if git is None or commit is None:
            return HeldThen(hash=None, data=None, known=False)
        version = git.version_at(commit, path)
        if version is None:
            return HeldThen(hash=None, data=None)
        data = git.version_bytes(version)
        if data is None:
            return HeldThen(hash=None, data=None, known=False)
        self._contents.keep(data)
        return HeldThen(hash=hash_content(data), data=data)

    def _with_gone(self, before: Sight | None, now: Sight) -> Sight:
        """Add the files that are gone and that git did not know, so that it does not miss them.

        What came and went before anybody accounted for it, as the files that a save is written to
        first, was nobody's work.
        """
        if before is None:
            return now
        root, known, stays = self._stores.root, self._known, before.head == now.head
        left = [p for p in before.files if p not in now.files and p in before.untracked]
        # Where HEAD has moved git may have taken what was still there.
        gone = [p for p in left if p in known and (stays or _is_awaited(before, known, p))]
        missed = frozenset(path for path in gone if not holds_file(root / path))
        files = {**now.files, **dict.fromkeys(sorted(missed))}
        return replace(now, files=files, untracked=now.untracked | missed) if missed else now

    def _is_made_anew(self, before: Sight, now: Sight) -> bool:
        """Whether the repository is another, without a commit: what there was is lost with it."""
        git = self._stores.git
        if git is None or now.head != EMPTY_TREE or before.head == EMPTY_TREE:
            return False
        return git.versions_at(before.head, ()) is None

    def _follow(self, before: Sight, now: Sight, moved: frozenset[WorkspacePath]) -> None:
        """Note where files that are changed came from; what git puts away may come back."""
        git = self._stores.git
        at_work = git is not None and git.operation_in_progress()
        for path in moved:
            if path not in before.files:
                self._clean_at.setdefault(path, before.head)
            if now.files.get(path) is None and path in before.untracked:
                self._untracked_gone.add(path)
            else:
                self._untracked_gone.discard(path)
            if path not in now.files:
                self._leave(path, commit_stays=before.head == now.head)
            elif at_work:
                self.settle(path)

    def _leave(self, path: WorkspacePath, *, commit_stays: bool) -> None:
        """Take a file as accounted for that is as in HEAD by now, or of which git tells no more."""
        self._clean_at.pop(path, None)
        if path in self._known:
            former = self._known.pop(path)
            unlisted = commit_stays and former is not None
            # What was committed is not put away.
            if unlisted or hash_if_there(self._contents.disk_if_readable(path)) != former:
                self._put_away.setdefault(path, set()).add(former)

    def _explained(self, git: Git, now: Sight, path: WorkspacePath) -> bool:
        hash_, state = now.files[path], self._stores.state
        own = state is not None and hash_ is not None and state.own_write(path) == hash_
        back = hash_ in self._put_away.get(path, ())
        if own or back or path in now.unmerged or self.is_recorded(path, hash_):
            return True
        removed = hash_ is None and path not in self._untracked_gone
        if removed and not git.tracked(path) and git.head_version(path) is not None:
            return True
        data = None if hash_ is None else self._contents.disk_if_readable(path)
        if data is not None and hash_content(data) == hash_ and git.holds(path, data):
            return True
        # It is as it was; a link that leads nowhere, too, holds as little as it did.
        old = self.old(path)
        return old.known and old.hash == hash_

    def _stashed(self, git: Git, now: Sight, paths: set[WorkspacePath]) -> frozenset[WorkspacePath]:
        """List the files whose content came out of a stash, popped by now, or went into one."""
        found = set[WorkspacePath]()
        for commit in self._stashes if paths else ():
            for place in (commit, f"{commit}^3"):
                for path, version in (git.versions_at(place, paths) or {}).items():
                    data = git.version_bytes(version)
                    held = now.files[path] or self._known.get(path)
                    if data is not None and hash_content(data) == held:
                        found.add(path)
        return frozenset(found)

    def _note_stash(self) -> None:
        commit = None if self._stores.git is None else self._stores.git.stash_commit()
        if commit is not None:
            self._stashes[commit] = None

    def _kept(self, hash_: ContentHash | None) -> HeldThen:
        data = None if hash_ is None else self._stores.content(hash_)
        return HeldThen(hash=hash_, data=data)


_AS_IN_HEAD: Final = ContentHash("")


def _is_awaited(
    before: Sight, known: Mapping[WorkspacePath, ContentHash | None], path: WorkspacePath
) -> bool:
    """Whether a file was seen to be gone before, of which nobody has told yet."""
    return before.files[path] is None and known[path] is not None


def _moved(
    before: Mapping[WorkspacePath, ContentHash | None],
    now: Mapping[WorkspacePath, ContentHash | None],
) -> frozenset[WorkspacePath]:
    return frozenset(
        path
        for path in before.keys() | now.keys()
        if before.get(path, _AS_IN_HEAD) != now.get(path, _AS_IN_HEAD)
    )


def _post_hashes(record: Record) -> dict[WorkspacePath, ContentHash | None]:
    left = {file.previous: None for file in record.files if file.previous is not None}
    return {**left, **{file.path: file.post_hash for file in record.files}}
