"""Changes of files on disk: found by a comparison, waiting to be recorded, and recorded."""

from collections.abc import Collection
from contextlib import suppress
from datetime import timedelta
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import COMMAND_AWAITED_FOR, Ticket, TreeSnapshot
from intent_lsp.core.content import ContentHash
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.tree_reader import TreeFiles, holds_file

ABANDONED_AFTER: Final = timedelta(seconds=30)
"""How long after its last save a run of automatic saves counts as abandoned."""

TAKEN_AT_MOST: Final = 1_000
"""The most removed changes that are remembered, to be recognized when git brings them back."""

_PASSED: Final = 8
"""The most contents of a file between two records that are remembered."""


class ChangedFile(Struct, frozen=True, kw_only=True):
    """A file with another content than before: its hashes (None: no file) and its new content.

    `data` is also None if the file is too large to keep, or is a protected file or a repository.
    `old_known` is false if the earlier content cannot be determined; `old` is then None.
    `discarded`: git removed an uncommitted content from the work tree. `hidden_by` is the ignore
    file whose new line hides the file from git, or None.
    """

    path: WorkspacePath
    old: ContentHash | None
    new: ContentHash | None
    data: bytes | None
    old_known: bool = True
    discarded: bool = False
    hidden_by: WorkspacePath | None = None


class Comparison(Struct, frozen=True, kw_only=True):
    """What changed between two snapshots: `edits`, and the paths that git itself changed (`gits`).

    `discarded` are uncommitted contents that git removed. `unseen`, if asked for, are edits that
    were committed between the snapshots and replaced since; each leads from the content before the
    edit to the committed one.
    """

    edits: tuple[ChangedFile, ...]
    gits: frozenset[WorkspacePath]
    discarded: tuple[ChangedFile, ...] = ()
    unseen: tuple[ChangedFile, ...] = ()


class RecordedChange(Struct, frozen=True, kw_only=True):
    """One record of changes on disk: the paths that changed, and the record.

    `record` is None if the record is queued and not yet in the ledger; `queued` then says why.
    `unannounced`: no call that was announced may have made the changes, and their verdict is not
    EXEMPT.
    """

    paths: tuple[WorkspacePath, ...]
    record: Record | None = None
    queued: str | None = None
    unannounced: bool = False


class PendingChange(Struct, frozen=True, kw_only=True):
    """An unrecorded change of a file, from the hash `old` to the hash `new` last noticed.

    A hash is None if there was no file. `old` is None, too, if it is not known (`old_known` is
    false). `since` is the time of the last snapshot before the change.
    `ticket` is the ticket of a call that may have made the change, or None. `passed` are the hashes
    noticed in between, at most the last `_PASSED`.
    """

    old: ContentHash | None
    old_known: bool = True
    new: ContentHash | None
    since: str
    ticket: Ticket | None = None
    passed: tuple[ContentHash, ...] = ()


class PendingChanges(Struct, kw_only=True):
    """The unrecorded changes of one root's files, by path.

    `waiting` are changes to be recorded. `taken` are changes that git removed from the work tree
    before they were recorded. `unlisted` are the last hashes of untracked files that git no longer
    lists and that still existed when this was noticed.
    """

    stores: Stores
    waiting: dict[WorkspacePath, PendingChange] = field(default_factory=dict)
    taken: dict[WorkspacePath, PendingChange] = field(default_factory=dict)
    unlisted: dict[WorkspacePath, ContentHash] = field(default_factory=dict)

    def forget(self) -> None:
        """Discard the changes in `waiting` and `taken`: the snapshot to compare with is lost."""
        self.waiting, self.taken = {}, {}

    def note(self, file: ChangedFile, since: str) -> None:
        """Note a change, made after the time `since`, or update the pending change of its file.

        If the file is back at its old content, drop the pending change. If a file seems new because
        git did not list it for a while, its old content is the hash in `self.unlisted`.
        """
        known = self.waiting.get(file.path)
        if file.old is None and file.path in self.unlisted:
            file = replace(file, old=self.unlisted[file.path])
        if known is None:
            known = PendingChange(old=file.old, old_known=file.old_known, new=file.new, since=since)
        if known.old_known and known.old == file.new:
            # The file is back at its old content.
            self.waiting.pop(file.path, None)
        else:
            ticket = known.ticket if known.new == file.new else None
            passed = known.passed
            if known.new not in (None, file.new):
                passed = (*passed, known.new)[-_PASSED:]
            self.waiting[file.path] = replace(known, new=file.new, ticket=ticket, passed=passed)

    def follow_git(self, path: WorkspacePath) -> None:
        """Set aside the pending change of a file that git has changed; drop a pending deletion.

        If nothing is pending and git has brought back the content of a change that was set aside,
        that change is pending again, unless an earlier record left the file with this content. This
        is for edits that are committed and rebased, or stashed and popped.
        """
        taken = self.waiting.pop(path, None)
        if taken is not None and taken.new is not None:
            self.keep_taken(path, taken)
        elif path in self.taken:
            with suppress(OSError):
                held = TreeFiles(self.stores.root).held(path).hash
                if held is not None and held == self.taken[path].new:
                    back = self.taken.pop(path)
                    if not self.stores.past.has_left(path, held):
                        self.waiting[path] = back

    def keep_taken(self, path: WorkspacePath, taken: PendingChange) -> None:
        """Set aside a change that git removed from disk. Beyond the limit, drop the oldest."""
        self.taken[path] = taken
        while len(self.taken) > TAKEN_AT_MOST:
            del self.taken[next(iter(self.taken))]

    def note_unlisted(self, before: TreeSnapshot, now: TreeSnapshot) -> None:
        """Put existing untracked files that git listed before, but not now, into `unlisted`."""
        for path in now.files:
            self.unlisted.pop(path, None)
        for path, file in before.files.items():
            unreported = path not in now.files and file.index is None
            if unreported and file.hash is not None and holds_file(self.stores.root / path):
                self.unlisted[path] = file.hash

    def account(self, saving: Collection[WorkspacePath] = ()) -> None:
        """End interrupted runs of automatic saves.

        Drop the changes that the server itself made or that a record has. `saving` are the files
        that an editor is saving; their changes end no run.
        """
        self._end_runs_of_others(saving)
        for changes in (self.waiting, self.taken):
            for path, change in tuple(changes.items()):
                if self.is_own(path, change.new) or self.stores.past.left_last(path, change.new):
                    del changes[path]

    def awaited(self) -> set[WorkspacePath]:
        """Return the files whose change an open call or a run of automatic saves may yet record.

        Also set the `ticket` of each waiting change that an open call may have made.
        """
        state, at = self.stores.state, self.stores.clock()
        left = self.stores.ledger.left_by_runs()
        # Automatic saves are recorded when their run ends.
        waiting = {p for p, each in self.waiting.items() if p in left and left[p] == each.new}
        if state is None or not self.waiting:
            return waiting
        commands = state.tickets.commands.since(at - COMMAND_AWAITED_FOR)
        for path, change in self.waiting.items():
            makers = [each for each in commands if each.may_have_made(path, change.new)]
            # Prefer a running command over a background process or a read-only command.
            first = min(makers, key=lambda each: (each.late, each.looking), default=None)
            ticket = state.tickets.over(path, at) or first
            if ticket is not None:
                self.waiting[path] = replace(change, ticket=ticket)
                # Nobody reports the end of a background process, so do not wait for it.
                waiting.update(() if ticket.late else (path,))
        return waiting

    def is_own(self, path: WorkspacePath, new: ContentHash | None) -> bool:
        """Return whether `new` is the content of a write that the server has noted as its own."""
        state = self.stores.state
        return state is not None and new is not None and state.own_write(path) == new

    def _end_runs_of_others(self, saving: Collection[WorkspacePath]) -> None:
        """End runs of automatic saves that were abandoned, or whose file somebody else has changed.

        A change of a file in `saving`, the files that an editor is saving, counts as the editor's.
        """
        since = timestamp(self.stores.clock() - ABANDONED_AFTER)
        self.stores.end_runs(idle_since=since)
        left = self.stores.ledger.left_by_runs()
        changed = {p for p, each in self.waiting.items() if p in left and left[p] != each.new}
        others = {p for p in changed.difference(saving) if self._is_of_others(p, left[p])}
        if others:
            self.stores.end_runs(others)

    def _is_of_others(self, path: WorkspacePath, left: ContentHash | None) -> bool:
        """Return whether a file differs from `left`, what its run of automatic saves last wrote.

        False if an editor is about to record a save of the present content, True if the file cannot
        be read. The disk is read again, since the run may be newer than the last snapshot.
        """
        try:
            held = TreeFiles(self.stores.root).held(path)
        except OSError:
            return True
        return held.hash != left and not self.stores.is_coming_save(path, held.data)
