"""The work tree before a command and after it (requirements section 6, decision 0014).

Specified in requirements section 3.

Invariant: a tree that cannot be compared is None, never "nothing changed".
Invariant: while git is at work nothing is told, until it rests or nobody waits any longer.
Invariant: what cannot be read is a change of the rules.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from intent_lsp.core.agents.tree_snapshot import TreeSnapshot
from intent_lsp.core.content import decode
from intent_lsp.core.control_plane import control_plane
from intent_lsp.core.intents import Intent, Status
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.intents.intents_file import read_intents
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.disk.changed_files import ChangedFile, Comparison
from intent_lsp.governance.disk.comparison import compare
from intent_lsp.governance.disk.hidden_files import hidden_files, keep_excludes
from intent_lsp.governance.disk.tree_snapshots import TreeLooks
from intent_lsp.governance.judging.restoring_edits import RestoringEdits
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.clock import deadline
from intent_lsp.store.git.activity import GitRest

_log: Final = logging.getLogger(__name__)

GIT_AWAITED_FOR: Final = 5.0
"""Seconds that a command's record waits for git to come to rest: its agent waits for the answer."""

_ANY_STATUS: Final = Status.PLANNED


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeChanges:
    """What a command changed; `assumed`: git did not come to rest, and may have made some of it.

    `now` is what the tree holds now, from which a next comparison goes on; it was looked at after
    `at`.
    """

    files: tuple[ChangedFile, ...]
    now: TreeSnapshot
    at: str
    assumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeAtRest:
    """What a tree held at one look, which began after `at`, and whether git has rested since."""

    now: TreeSnapshot
    at: str
    rest: GitRest | None


class WorkTree:
    """Compares the work tree of one root with what it was."""

    def __init__(self, stores: Stores, contents: Contents, looks: TreeLooks | None = None) -> None:
        self._stores = stores
        self._contents = contents
        self._putting_back = RestoringEdits(stores, contents)
        self._looks = looks or TreeLooks(stores.root, stores.git, contents, stores.clock)

    def seen(self) -> TreeSnapshot | None:
        """Look at what a command may change, and keep it; None: the tree cannot be compared."""
        # What editors have saved by themselves so far is nobody else's change.
        self._stores.end_runs()
        found = self._looks.look()
        if found is None:
            _log.warning("%s: the work tree cannot be compared", self._stores.root)
        elif found.git is not None:
            keep_excludes(found.git, self._contents)
        return found

    def changes(self, before: TreeSnapshot) -> TreeChanges | None:
        """Give the files that hold something else than before; None: nobody can tell.

        Left out is what git made of a file, unless it discarded what nobody had committed, what git
        ignores, what only the server writes, and what it wrote last itself, unless that gives
        agents other rules. It waits for a git that is at work: no lock is to be held meanwhile.
        """
        if before.git is not None and self._stores.git is None:
            return None
        self._stores.end_runs()
        look, compared, assumed = self._compared(before)
        if compared is None or look is None:
            return None
        return replace(self._found(before, look, compared), assumed=assumed)

    def look(self) -> TreeAtRest | None:
        """Look at the tree once, for comparisons that wait for nobody; None: it cannot be."""
        git, at = self._stores.git, timestamp(self._stores.clock())
        rest = None if git is None else GitRest(git.git_dir)
        now = self._looks.look()
        return None if now is None else TreeAtRest(now=now, at=at, rest=rest)

    def changes_until(self, before: TreeSnapshot, look: TreeAtRest) -> TreeChanges | None:
        """Give what `changes` would, as it was at one look; None also while git is at work."""
        git = before.git
        if git is not None and (look.rest is None or not look.rest.lasted(git.index, git.log)):
            return None
        compared = compare(self._looks, self._contents, before, look.now)
        return None if compared is None else self._found(before, look, compared)

    def _found(self, before: TreeSnapshot, look: TreeAtRest, compared: Comparison) -> TreeChanges:
        edits = [file for file in compared.edits if not self._own(file)]
        edits += hidden_files(self._looks, self._contents, before, look.now, compared.edits)
        return TreeChanges(
            files=tuple(sorted((*edits, *compared.discarded), key=lambda file: file.path)),
            now=look.now,
            at=look.at,
        )

    def unreported(
        self, files: Iterable[ChangedFile], *, since: datetime, session_id: str
    ) -> tuple[ChangedFile, ...]:
        """Give the changes of a session's command since a moment that no record has told of.

        Whose record left something else, is what the change then began with. What git discarded of
        a session's own is no loss. Whoever asks holds the root's lock.
        """
        # What an editor saved after the look, or before one that ended no runs, is the editor's.
        self._stores.end_runs()
        moment = timestamp(since)
        none = self._stores.past.is_none_since(moment)
        told = (file if none else self._deferred(file, moment) for file in files)
        left = (file for file in told if file is not None)
        kept = (self._without_own_loss(session_id, file) for file in left)
        return tuple(file for file in kept if file is not None)

    def _without_own_loss(self, session_id: str, file: ChangedFile) -> ChangedFile | None:
        """Give a change, but for what the session has thrown away that it had written itself.

        Where that was out of bounds, the file is put back, which is told.
        """
        if not self._is_own_loss(session_id, file):
            return file
        back = self._putting_back.puts_back(file.path, file.new)
        return replace(file, discarded=False) if back else None

    def _compared(self, before: TreeSnapshot) -> tuple[TreeAtRest | None, Comparison | None, bool]:
        """Compare when git rests; whether it did not while it was waited for."""
        late = deadline(GIT_AWAITED_FOR)
        while True:
            look = self.look()
            if look is None:
                return None, None, False
            compared = compare(self._looks, self._contents, before, look.now)
            if before.git is None or look.rest is None:
                return look, compared, False
            if compared is None or compared.edits:
                settled = look.rest.lasted(before.git.index, before.git.log)
            else:
                settled = True
            if settled:
                return look, compared, False
            if late():
                return look, compared, True
            look.rest.wait()

    def _deferred(self, file: ChangedFile, since: str) -> ChangedFile | None:
        """Give a change as it is a command's; None: somebody else has accounted for it."""
        newest = self._stores.past.newest(file.path)
        if newest is None or newest.timestamp <= since:
            return file
        left = next((f.post_hash for f in newest.files if f.path == file.path), None)
        if left == file.new:
            return None
        # Somebody recorded a change meanwhile: this one began with what that one left.
        return replace(file, old=left, old_known=True)

    def _own(self, file: ChangedFile) -> bool:
        """Whether a file is as we wrote it last, and that was nobody's way to other rules."""
        state = self._stores.state
        if state is None or file.new is None or state.own_write(file.path) != file.new:
            return False
        if not control_plane(file.path):
            return True
        # A command may have had our own program change what it is held to.
        kept = None if file.old is None else self._stores.content(file.old)
        return kept is not None and only_bookkeeping(kept, file.data or b"")

    def _is_own_loss(self, session_id: str, file: ChangedFile) -> bool:
        """Whether the session itself wrote what it has now thrown away."""
        newest = self._stores.past.newest(file.path) if file.discarded else None
        if newest is None or newest.session_id != session_id:
            return False
        return any(f.path == file.path and f.post_hash == file.old for f in newest.files)


def only_bookkeeping(before: bytes, after: bytes) -> bool:
    """Whether two contents of the intents file give every intent the same rules.

    They may differ in `status`, `recent_history` and `updated_at`, which we write at any time.
    """
    rules = _rules(before)
    return rules is not None and rules == _rules(after)


def _rules(data: bytes) -> tuple[Intent, ...] | None:
    text = decode(data)
    read = None if text is None else read_intents(text.text)
    if read is None or not read.parsed:
        return None
    return tuple(
        replace(intent, status=_ANY_STATUS, recent_history=(), updated_at=None)
        for intent in read.intents
    )
