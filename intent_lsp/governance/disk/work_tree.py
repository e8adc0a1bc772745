"""The work tree before and after a command, compared (requirements section 6, ADR 0014).

Specified in requirements section 3.

Invariant: a tree that cannot be compared gives None, never "nothing changed".
Invariant: edits found while git is running are reported only once it has finished or the wait has
timed out.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import GitSnapshot, TreeSnapshot
from intent_lsp.core.content import ContentHash
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.comparison import compare
from intent_lsp.governance.disk.pending_changes import ChangedFile, Comparison
from intent_lsp.governance.disk.tree_snapshots import TreeLooks, is_anybodys
from intent_lsp.governance.judging.restoring_edits import only_bookkeeping, puts_back
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.clock import deadline
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.tree_reader import TreeFiles
from intent_lsp.store.git.activity import GitRest
from intent_lsp.store.git.ignored import IGNORE_FILE, hidden_by

_log: Final = logging.getLogger(__name__)

GIT_AWAITED_FOR: Final = 5.0
"""Seconds that recording a command waits for git to finish; its agent waits for the answer."""

_EXCLUDE: Final = WorkspacePath(".git/info/exclude")


class TreeChanges(Struct, frozen=True, kw_only=True):
    """Files changed since a snapshot.

    `assumed` is True if git was still running, so that it may have made some of the changes. `now`
    is the snapshot that the next comparison starts from; it was taken after the time `at`.
    """

    files: tuple[ChangedFile, ...]
    now: TreeSnapshot
    at: str
    assumed: bool = False


class TreeAtRest(Struct, frozen=True, kw_only=True):
    """A snapshot, taken after the time `at`.

    `rest` can be asked later whether git has been idle since `at`, or is None without a repository.
    """

    now: TreeSnapshot
    at: str
    rest: GitRest | None


class WorkTree:
    """Compares the work tree of one root with earlier snapshots."""

    def __init__(self, stores: Stores, contents: Contents, looks: TreeLooks | None = None) -> None:
        self._stores = stores
        self._contents = contents
        self._looks = looks or TreeLooks(stores.root, lambda: stores.git, contents, stores.clock)

    def seen(self) -> TreeSnapshot | None:
        """Take a snapshot before a command, and keep the contents of ignore files outside the tree.

        The automatic saves made so far are recorded first. Return None if no snapshot can be taken;
        then nothing can be compared later.
        """
        # Record what editors have saved automatically so far, so that it is not attributed to the
        # command.
        self._stores.end_runs()
        found = self._looks.look()
        if found is None:
            _log.warning("%s: the work tree cannot be compared", self._stores.root)
        elif found.git is not None:
            _keep_excludes(found.git, self._contents)
        return found

    def changes(self, before: TreeSnapshot) -> TreeChanges | None:
        """Return the files that have changed since a snapshot, or None if that is unknown.

        Left out are changes that git made (unless it discarded uncommitted work), files that were
        ignored before and are so now, files that only the server writes, and the server's own last
        writes (unless they may change the rules for agents). The automatic saves made so far are
        recorded first. This waits up to GIT_AWAITED_FOR seconds for a running git, so the caller
        must hold no lock.
        """
        if before.git is not None and self._stores.git is None:
            return None
        self._stores.end_runs()
        look, compared, assumed = self._compared(before)
        if compared is None or look is None:
            return None
        return replace(self._found(before, look, compared), assumed=assumed)

    def look(self) -> TreeAtRest | None:
        """Take a snapshot, without waiting for git. Return None if it cannot be taken."""
        git, at = self._stores.git, timestamp(self._stores.clock())
        rest = None if git is None else GitRest(git.git_dir)
        now = self._looks.look()
        return None if now is None else TreeAtRest(now=now, at=at, rest=rest)

    def changes_until(self, before: TreeSnapshot, look: TreeAtRest) -> TreeChanges | None:
        """Return the changes from one snapshot to another, without waiting.

        Return None if they cannot be compared, or while git is running.
        """
        git = before.git
        if git is not None and (look.rest is None or not look.rest.lasted(git.index, git.log)):
            return None
        compared = compare(self._looks, before, look.now)
        return None if compared is None else self._found(before, look, compared)

    def _found(self, before: TreeSnapshot, look: TreeAtRest, compared: Comparison) -> TreeChanges:
        edits = [file for file in compared.edits if not self._own(file)]
        edits += _hidden_files(self._looks, before, look.now, compared.edits)
        return TreeChanges(
            files=tuple(sorted((*edits, *compared.discarded), key=lambda file: file.path)),
            now=look.now,
            at=look.at,
        )

    def unreported(
        self, files: Iterable[ChangedFile], *, since: datetime, session_id: str
    ) -> tuple[ChangedFile, ...]:
        """Return those of the changes by a session's command that no record since `since` explains.

        If a record made in between left another content, the change starts from that one.
        Discarding the session's own uncommitted work is left out, unless that undoes a violation.
        The automatic saves made so far are recorded first. The caller holds the root's lock.
        """
        # Record automatic saves made since the snapshot first, so that they count as the editor's.
        self._stores.end_runs()
        moment = timestamp(since)
        none = self._stores.past.is_none_since(moment)
        told = (file if none else self._deferred(file, moment) for file in files)
        left = (file for file in told if file is not None)
        kept = (self._without_own_loss(session_id, file) for file in left)
        return tuple(file for file in kept if file is not None)

    def _without_own_loss(self, session_id: str, file: ChangedFile) -> ChangedFile | None:
        """Return a change to be reported, or None if the session only discarded its own work.

        If that work was a violation, the change is reported, since it restores the file.
        """
        if not self._is_own_loss(session_id, file):
            return file
        back = puts_back(self._contents, file.path, file.new)
        return replace(file, discarded=False) if back else None

    def _compared(self, before: TreeSnapshot) -> tuple[TreeAtRest | None, Comparison | None, bool]:
        """Wait for git to be idle and compare the tree with the snapshot `before`.

        Return the new snapshot and the comparison, each None if impossible, and whether the wait
        timed out.
        """
        late = deadline(GIT_AWAITED_FOR)
        while True:
            look = self.look()
            if look is None:
                return None, None, False
            compared = compare(self._looks, before, look.now)
            git, rest = before.git, look.rest
            no_edits = compared is not None and not compared.edits
            if git is None or rest is None or no_edits or rest.lasted(git.index, git.log):
                return look, compared, False
            if late():
                return look, compared, True
            rest.wait()

    def _deferred(self, file: ChangedFile, since: str) -> ChangedFile | None:
        """Return a change as the command's own, or None if a record since `since` explains it.

        If such a record left another content, the change starts from that content.
        """
        newest = self._stores.past.newest(file.path)
        if newest is None or newest.timestamp <= since:
            return file
        left = newest.left().get(file.path)
        if left == file.new:
            return None
        # A change recorded meanwhile left another content, so this change starts from that one.
        return replace(file, old=left, old_known=True)

    def _own(self, file: ChangedFile) -> bool:
        """Return whether the server wrote the file last and did not change the rules for agents."""
        state = self._stores.state
        if state is None or file.new is None or state.own_write(file.path) != file.new:
            return False
        if not control_plane(file.path):
            return True
        # A command may have run our own program to change the rules that govern it.
        kept = None if file.old is None else self._stores.content(file.old)
        return kept is not None and only_bookkeeping(kept, file.data or b"")

    def _is_own_loss(self, session_id: str, file: ChangedFile) -> bool:
        """Return whether the session itself wrote the content that it has now discarded."""
        newest = self._stores.past.newest(file.path) if file.discarded else None
        if newest is None or newest.session_id != session_id:
            return False
        return any(f.path == file.path and f.post_hash == file.old for f in newest.files)


def _keep_excludes(git: GitSnapshot, contents: Contents) -> None:
    """Keep the present contents of the ignore files outside the work tree that `git` names."""
    for place, _ in git.excludes:
        try:
            contents.keep(read_bytes(Path(place)))
        except OSError as problem:
            _log.warning("%s is not kept: %s", place, problem)


def _hidden_files(
    looks: TreeLooks, before: TreeSnapshot, now: TreeSnapshot, edits: Iterable[ChangedFile]
) -> Iterator[ChangedFile]:
    """Yield existing files that changes of ignore files between two snapshots have hidden from git.

    They are yielded as new files. `edits` are the changed files, among them changed ignore files.
    If the earlier content of an ignore file is not kept, the files that it has hidden are not
    found. Left out are the files of `before`, those of the server or of git, temporary ones
    (`is_anybodys`), and with a warning unreadable ones.
    """
    root, git, contents = looks.root, looks.git, looks.contents
    if git is None:
        return
    changed = dict(_changed_in_tree(contents, edits))
    paths = {git.full_path(each): each for each in changed}
    asked = {name: changed[path] for name, path in paths.items()}
    asked |= dict(_changed_elsewhere(contents, before.git, now.git))
    found = hidden_by(git, root, asked) if asked else {}
    files = TreeFiles(root)
    for path, source in (found or {}).items():
        if path in before.files or not is_anybodys(path):
            continue
        try:
            held = files.held(path)
        except OSError as problem:
            _log.warning("%s cannot be compared: %s", path, problem)
            continue
        if held.hash is not None:
            yield ChangedFile(
                path=path,
                old=None,
                new=held.hash,
                data=held.data,
                hidden_by=paths.get(source, _EXCLUDE),
            )


def _changed_in_tree(
    contents: Contents, edits: Iterable[ChangedFile]
) -> Iterator[tuple[WorkspacePath, bytes]]:
    for file in edits:
        held = _kept(contents, file.old) if file.path.rpartition("/")[2] == IGNORE_FILE else None
        if held is not None:
            yield file.path, held


def _changed_elsewhere(
    contents: Contents, before: GitSnapshot | None, now: GitSnapshot | None
) -> Iterator[tuple[str, bytes]]:
    """Yield (name, old content) of each changed ignore file outside the work tree.

    A file whose old content is not kept is left out. The name is the one in git's output. A file
    that git may report under two names is yielded twice.
    """
    old = dict(before.excludes) if before is not None else {}
    new = dict(now.excludes) if now is not None else {}
    for place in sorted(old.keys() | new.keys()):
        data = _kept(contents, old.get(place)) if old.get(place) != new.get(place) else None
        if data is not None:
            yield place, data
            if place.endswith("/info/exclude"):
                yield _EXCLUDE, data


def _kept(contents: Contents, hash_: ContentHash | None) -> bytes | None:
    """Return an ignore file's content by its hash (b"" for None), or None if it is not kept."""
    return b"" if hash_ is None else contents.stores.content(hash_)
