"""Changes on disk that nobody reported: noticed, told apart from git's own, and recorded.

Specified in requirements section 7.

Invariant: a content that a record or the server explains is not recorded here. A content that git
wrote is recorded only if it ends a violation.
Invariant: changes are recorded under the root's lock, so that of two servers on one root only one
records a change.
"""

import threading
from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import FileSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.contents.contents import Seen
from intent_lsp.governance.contents.initial_contents import EMPTY_TREE
from intent_lsp.governance.disk.change_records import DiskRecorder
from intent_lsp.governance.disk.comparison import compare
from intent_lsp.governance.disk.foreign_writes import ForeignWrites
from intent_lsp.governance.disk.pending_changes import (
    Comparison,
    PendingChange,
    PendingChanges,
    RecordedChange,
)
from intent_lsp.governance.disk.tree_snapshots import GitWork, TreeLooks, is_anybodys
from intent_lsp.governance.judging.restoring_edits import puts_back
from intent_lsp.governance.judging.save_judge import SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.roots import RootsBelow
from intent_lsp.store.git.activity import GitRest


class TreeLook(Struct, frozen=True, kw_only=True):
    """The root's own files that differ from HEAD now (`seen`), and the files just `changed`.

    Files of governed roots below the root are not in `seen`. Just changed are the files that differ
    from the last snapshot and from what recorded calls and file operations have left since. At the
    first snapshot, or if the last one's commit is gone, `changed` has all files of `seen`. If
    `again` is True, a git command is running or nothing can be compared now: `changed` is empty,
    and the changes are reported later.
    """

    seen: Seen
    changed: frozenset[WorkspacePath]
    again: bool = False


class DiskNews(Struct, frozen=True):
    """The changes that were `recorded`.

    `waiting` is True if other changes are to be recorded later. `git` is True if they wait because
    git has changed something since the last snapshot.
    """

    recorded: tuple[RecordedChange, ...] = ()
    waiting: bool = False
    git: bool = False


class DiskChanges(Struct, kw_only=True, dict=True):
    """Notices and records the changes of one root's files that nobody reported. Thread-safe.

    Changes are counted from the first snapshot. Without a repository none are noticed.
    """

    stores: Stores
    judging: SaveJudge
    looks: TreeLooks

    def __post_init__(self) -> None:
        """Begin without a snapshot, and create the parts that keep and record pending changes."""
        self._lock = threading.Lock()
        self._then: TreeSnapshot | None = None
        self._then_at = ""
        # The hashes that recorded calls and operations left since the last snapshot.
        self._left: dict[WorkspacePath, ContentHash | None] = {}
        self._pending = PendingChanges(stores=self.stores)
        self._git_work = GitWork(stores=self.stores)
        self._recorder = DiskRecorder(
            judging=self.judging, pending=self._pending, git_work=self._git_work
        )
        self.foreign = ForeignWrites(pending=self._pending, recorder=self._recorder)

    def look(self) -> TreeLook | None:
        """Take a snapshot of the work tree and note what changed since the last one.

        No change is noted at the first snapshot, or if the last one's commit is gone. If the two
        snapshots cannot be compared, or differ while git is running, the last one stays and the
        result says `again`. Return None if there is no repository or no snapshot can be taken.
        """
        with self._lock:
            git = self.stores.git
            if git is None:
                return None
            rest, at = GitRest(git.git_dir), timestamp(self.stores.clock())
            left = dict(self._left)
            now, before = self.looks.look(soon=True), self._then
            if now is None:
                return None
            seen = self._seen(now)
            before = None if before is None else _with_left(before, left)
            compared = None
            if before is not None:
                compared = compare(self.looks, before, now, also_unseen=True)
            again = TreeLook(seen=seen, changed=frozenset(), again=True)
            if before is not None and compared is None and not self._is_made_anew(before):
                # A file vanished while git was reading it: try again later.
                return again
            edited = compared is not None and bool(compared.edits)
            # In the middle of a git command, keep the old snapshot: otherwise commits that it has
            # made so far would be forgotten.
            moved = before is not None and (edited or now.git != before.git)
            if before is not None and moved and self._git_work.goes_on(rest, before):
                return again
            self._git_work.moment = rest.moment
            self.looks.contents.tree_seen(seen)
            if before is None or compared is None:
                self._then, self._then_at = now, at
                self._pending.forget()
                return TreeLook(seen=seen, changed=frozenset(seen.files))
            self._forget_left(left)
            self._take(compared, now, at)
            self._then = now
            self._pending.note_unlisted(before, now)
            return TreeLook(seen=seen, changed=_changed(before, now, compared))

    def record(self, session: Session, saving: Collection[WorkspacePath] = ()) -> DiskNews:
        """Record the changes that no record, call or editor accounts for.

        The author is the agent whose call was open, else unknown: such a change is recorded under
        `session`, which observed it. Changes wait if git has done something since the last
        snapshot, while an agent may still report them, while records are queued, and while an
        editor saves the file (`saving`). The result is empty if there are none or `.orchestration`
        is gone.
        """
        with self._lock:
            self.foreign.observer = session
            pending = self._pending
            if not pending.waiting or not self._recorder.has_control_dir():
                return DiskNews()
            if self._git_work.has_moved():
                return DiskNews(waiting=True, git=True)
            if not self._recorder.all_is_recorded():
                return DiskNews(waiting=True)
            pending.account(saving)
            awaited = pending.awaited().union(saving)
            ready = {p: each for p, each in sorted(pending.waiting.items()) if p not in awaited}
            inner = {} if self._then is None else self._then.inner
            recorded = tuple(self._recorder.record_all(session, ready, inner))
            return DiskNews(recorded, not awaited.isdisjoint(pending.waiting))

    def last(self) -> TreeSnapshot | None:
        """Return the last complete snapshot that `look` took, or None if there is none yet."""
        return self._then

    def note_left(self, path: WorkspacePath, left: ContentHash | None) -> None:
        """Note a file's hash (None: deleted) after a recorded change, for the next snapshot.

        Do nothing before the first snapshot, or for a temporary file or one of the server or of git
        (`is_anybodys`).
        """
        # Before the first snapshot there is nothing to compare with.
        if self._then is not None and is_anybodys(path):
            self._left[path] = left

    def _forget_left(self, seen: Mapping[WorkspacePath, ContentHash | None]) -> None:
        """Discard the noted hashes in `seen`, except where a newer one was noted since.

        `seen` are those that a snapshot has used.
        """
        for path, left in seen.items():
            if self._left.get(path) == left:
                self._left.pop(path, None)

    def _is_made_anew(self, before: TreeSnapshot) -> bool:
        """Return whether the earlier snapshot's commit is gone, as in a recreated repository."""
        git = self.stores.git
        return git is None or (before.head is not None and git.versions_at(before.head, ()) is None)

    def _stays(self, now: TreeSnapshot) -> bool:
        """Return whether HEAD and the stashes are the same as in the last snapshot."""
        then = None if self._then is None else self._then.git
        if then is None or now.git is None:
            return False
        return (then.head, then.stashes) == (now.git.head, now.git.stashes)

    def _take(self, compared: Comparison, now: TreeSnapshot, at: str) -> None:
        """Add the edits of a comparison to the pending changes, except in governed roots below.

        `follow_git` handles the pending change of a file that git changed. `keep_taken` sets aside
        edits that were committed and replaced between the snapshots. If git discarded an
        uncommitted edit (`git restore`), that is added only if it undoes a violation, and HEAD and
        the stashes are unchanged. `at` is the time of the snapshot `now`.
        """
        for path in compared.gits:
            self._pending.follow_git(path)
        for file in compared.unseen:
            taken = PendingChange(old=file.old, new=file.new, since=self._then_at)
            self._pending.keep_taken(file.path, taken)
        for file in compared.discarded if self._stays(now) else ():
            # A `git restore` that undoes a violation is noted too, so that a record ends the
            # violation.
            if puts_back(self.looks.contents, file.path, file.new):
                self._pending.note(file, self._then_at)
        below = RootsBelow(self.stores.root)
        for file in compared.edits:
            # Files of a governed root below belong to that root's own server.
            if not below.hold(file.path):
                self._pending.note(file, self._then_at)
        self._then_at = at

    def _seen(self, now: TreeSnapshot) -> Seen:
        """Return the state of this root's own files, without those of governed roots below it."""
        below = RootsBelow(self.stores.root)
        files = {path: file.hash for path, file in now.files.items() if not below.hold(path)}
        return Seen(now.head or EMPTY_TREE, files)


def _with_left(
    before: TreeSnapshot, left: Mapping[WorkspacePath, ContentHash | None]
) -> TreeSnapshot:
    """Return the snapshot `before`, updated with hashes that were recorded since (`left`)."""
    if not left:
        return before
    nothing = FileSnapshot(None)
    later = {
        path: FileSnapshot(hash_, before.files.get(path, nothing).index)
        for path, hash_ in left.items()
    }
    return replace(before, files={**before.files, **later})


def _changed(
    before: TreeSnapshot, now: TreeSnapshot, compared: Comparison
) -> frozenset[WorkspacePath]:
    listed = before.files.keys() | now.files.keys()
    changed = {path for path in listed if _hash_in(before, path) != _hash_in(now, path)}
    return frozenset(changed.union(compared.gits, (file.path for file in compared.edits)))


_AS_IN_HEAD: Final = ContentHash("")


def _hash_in(snapshot: TreeSnapshot, path: WorkspacePath) -> ContentHash | None:
    listed = snapshot.files.get(path)
    return _AS_IN_HEAD if listed is None else listed.hash
