"""Recording of unreported changes on disk: judged, and grouped into records.

Invariant: changes are recorded under the root's lock, so that only one of two servers does it.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from msgspec import Struct

from intent_lsp.core.agents.tickets import Ticket, TreeSnapshot
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.paths import CONTROL_ROOM, WorkspacePath
from intent_lsp.core.records import UNKNOWN_CONTRIBUTOR, ScopeValidation
from intent_lsp.core.rename_detection import renamed
from intent_lsp.governance.disk.comparison import commit_hash
from intent_lsp.governance.disk.pending_changes import PendingChange, PendingChanges, RecordedChange
from intent_lsp.governance.disk.tree_snapshots import GitWork
from intent_lsp.governance.judging.edit_events import Author, DiskChange, record_changes
from intent_lsp.governance.judging.refused_calls import refused_call
from intent_lsp.governance.judging.restoring_edits import puts_back
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.tree_reader import ReadFile, TreeFiles
from intent_lsp.store.ledger.ledger import Appended
from intent_lsp.store.locks.root_lock import holding

_log: Final = logging.getLogger(__name__)


Held = Callable[[WorkspacePath], ReadFile | None]
"""Returns what a file holds now, or None if it cannot be read."""


class _Group(NamedTuple):
    """What the changes that go into one record have in common. `intent` is an intent's id.

    Creations, deletions and modifications (`effect`) get separate records, since a record has only
    one mutation class. `refused` is the hash of a refused call that was made all the same, or None.
    """

    author: Author
    verdict: ScopeValidation
    intent: str | None
    effect: Effect
    refused: ContentHash | None = None

    @property
    def unannounced(self) -> bool:
        """Whether no announced call may have made the changes, and their verdict is not EXEMPT."""
        unknown = self.author.contributor == UNKNOWN_CONTRIBUTOR
        return unknown and self.verdict is not ScopeValidation.EXEMPT


class DiskRecorder(Struct, frozen=True, kw_only=True):
    """Judges and records the unreported changes of one root's files."""

    judging: SaveJudge
    pending: PendingChanges
    git_work: GitWork

    def record_all(
        self,
        session: Session,
        ready: Mapping[WorkspacePath, PendingChange],
        inner: Mapping[WorkspacePath, TreeSnapshot],
    ) -> Iterator[RecordedChange]:
        """Record those of the `ready` changes that still hold; yield a result for each record.

        Nothing is recorded if git has done something since the last snapshot (`GitWork.has_moved`),
        if records still wait in the queue, or if `.orchestration` is gone. Changes by an unknown
        author are recorded under `session`, which observed them. `inner` are the snapshots of the
        git repositories below the root. The root's lock is held until the last result is taken.
        """
        held = partial(self._held, TreeFiles(self.judging.stores.root), inner)
        names = self._renamed(held, ready)
        with holding(self.judging.stores.gate_lock):
            # Check again under the lock: git or another server may have acted while we waited for
            # it.
            settled = self.has_control_dir() and not self.git_work.has_moved()
            if not settled or not self.all_is_recorded():
                return
            groups: dict[_Group, list[tuple[DiskChange, Judgement]]] = {}
            for path in ready:
                change = None if path in names.values() else self._change(held, path, names)
                if change is None:
                    continue
                author = self._author(session, self.pending.waiting[path])
                judged = self._judged(change, author)
                if judged is None:
                    self._settle(change)
                else:
                    judgement, verdict = judged
                    intent = None if judgement.intent is None else judgement.intent.id
                    refused = self._refused(change, self.pending.waiting[path].ticket)
                    verdict = verdict if refused is None else ScopeValidation.FAIL
                    group = _Group(author, verdict, intent, _effect(change), refused)
                    groups.setdefault(group, []).append((change, judgement))
            for group, found in groups.items():
                changes = tuple(change for change, _ in found)
                outcome = record_changes(
                    self.judging.stores,
                    changes,
                    group.author,
                    found[0][1],
                    group.verdict,
                    refused_call=group.refused,
                )
                for change in changes:
                    self._settle(change)
                yield RecordedChange(
                    paths=tuple(change.path for change in changes),
                    record=outcome.record if isinstance(outcome, Appended) else None,
                    queued=None if isinstance(outcome, Appended) else outcome.reason,
                    unannounced=group.unannounced,
                )

    def record_step(
        self,
        observer: Session,
        path: WorkspacePath,
        old: ContentHash | None,
        new: ContentHash | None,
    ) -> None:
        """Record that a file changed from content `old` to `new`, by an unknown author.

        `observer` is the session that noticed it. Changes of an ignored file are not recorded.
        """
        content = self.judging.stores.content
        before, after = (None if each is None else content(each) for each in (old, new))
        change = DiskChange(path=path, old=old, old_data=before, new=new, data=after)
        author = _nobody(observer)
        judged = self._judged(change, author)
        if judged is not None:
            record_changes(self.judging.stores, [change], author, *judged)

    def has_control_dir(self) -> bool:
        """Return whether `.orchestration` exists. If it was deleted, no record must recreate it."""
        return (self.judging.stores.root / CONTROL_ROOM).is_dir()

    def all_is_recorded(self) -> bool:
        """Append the queued records to the ledger. Return whether none is left in the queue.

        Call this before recording a change, since a queued record may be of the same change.
        """
        try:
            self.judging.stores.ledger.drain()
        except IntentLspError as problem:
            _log.warning("changes on disk wait for the ledger: %s", problem)
            return False
        return True

    def _settle(self, change: DiskChange) -> None:
        self.pending.waiting.pop(change.path, None)
        self.pending.waiting.pop(change.previous or change.path, None)

    def _renamed(
        self, held_by: Held, ready: Mapping[WorkspacePath, PendingChange]
    ) -> Mapping[WorkspacePath, WorkspacePath]:
        """Return the files that were renamed: from each new path to its old path.

        A file counts as renamed only if it vanished and a file with similar content appeared.
        `held_by` reads a file's present content.
        """
        gone, came = dict[WorkspacePath, bytes](), dict[WorkspacePath, bytes]()
        for path, each in ready.items():
            if each.new is None and each.old is not None:
                data = self.judging.stores.content(each.old)
                gone |= {} if data is None else {path: data}
        if gone:
            for path, each in ready.items():
                if each.old_known and each.old is None and each.new is not None:
                    held = held_by(path)
                    came |= {} if held is None or held.data is None else {path: held.data}
        return renamed(gone, came)

    def _change(
        self, held_by: Held, path: WorkspacePath, names: Mapping[WorkspacePath, WorkspacePath]
    ) -> DiskChange | None:
        """Return the change or rename of a file, or None if it is not to be recorded now.

        `held_by` reads a file's present content; `names` maps the new paths of renamed files to the
        old ones. A change waits if the file has changed again, cannot be read or is claimed by an
        agent's call. If the newest record of the file already left its present content, the change
        is dropped.
        """
        pending, previous = self.pending.waiting[path], names.get(path)
        before = pending if previous is None else self.pending.waiting[previous]
        held = held_by(path)
        if held is None or held.hash != pending.new or self._is_claimed(path):
            # The file has changed again, or an agent is about to change it: the next snapshot
            # decides.
            return None
        if self.judging.stores.past.left_last(path, pending.new):
            self.pending.waiting.pop(path)
            return None
        old, known = before.old, before.old_known
        newest = self.judging.stores.past.newest(previous or path)
        left = {} if newest is None or newest.timestamp <= before.since else newest.left()
        if (previous or path) in left:
            # A record was made since: the change starts from the content that the record left.
            old, known = left[previous or path], True
        return DiskChange(
            path=path,
            old=old,
            old_data=None if old is None else self.judging.stores.content(old),
            old_known=known,
            new=pending.new,
            data=held.data,
            previous=previous,
        )

    def _held(
        self, files: TreeFiles, inner: Mapping[WorkspacePath, TreeSnapshot], path: WorkspacePath
    ) -> ReadFile | None:
        if path in inner:
            return ReadFile(commit_hash(inner[path]), None)
        try:
            return files.held(path)
        except OSError as problem:
            _log.warning("%s cannot be recorded: %s", path, problem)
            return None

    def _is_claimed(self, path: WorkspacePath) -> bool:
        """Return whether an agent's open call claims the file and will record it."""
        state, now = self.judging.stores.state, self.judging.stores.clock()
        return state is not None and state.tickets.over(path, now) is not None

    def _judged(
        self, change: DiskChange, author: Author
    ) -> tuple[Judgement, ScopeValidation] | None:
        """Return the judgement and the verdict on a change, or None if it is not to be recorded."""
        place = resolve_below(self.judging.stores.root, change.path)
        if place is None:
            return None
        reading = BaseHash(read=change.new, disk=change.new)
        judgement = self.judging.judge(author.session_id, place, reading)
        verdict = judgement.verdict
        if verdict is None:
            return None
        if change.previous is not None and self._was_out_of_bounds(author, change.previous):
            verdict = ScopeValidation.FAIL
        contents = self.judging.contents
        if verdict is ScopeValidation.FAIL and puts_back(contents, change.path, change.new):
            verdict = ScopeValidation.EXEMPT
        return judgement, verdict

    def _was_out_of_bounds(self, author: Author, previous: WorkspacePath) -> bool:
        place = resolve_below(self.judging.stores.root, previous)
        if place is None:
            return False
        judged = self.judging.judge(author.session_id, place, BaseHash(read=None, disk=None))
        return judged.verdict is ScopeValidation.FAIL

    def _refused(self, change: DiskChange, ticket: Ticket | None) -> ContentHash | None:
        """Return the hash of a refused call that a change carries out all the same, or None.

        It is what a record has as its `refused_call_hash`. Return None, too, if an allowed call
        (`ticket`) may have made the change.
        """
        if ticket is not None or change.new is None:
            return None
        before = b"" if change.created else change.old_data
        return refused_call(self.judging.stores, change.path, change.new, before, change.data)

    def _author(self, session: Session, pending: PendingChange) -> Author:
        ticket = pending.ticket
        if ticket is None:
            return _nobody(session)
        agent = self.judging.stores.agent_info(ticket.session_id, ticket.agent_id)
        return Author(
            session_id=ticket.session_id,
            agent_id=ticket.agent_id,
            contributor=agent.contributor,
            assumed=ticket.late,
        )


def _nobody(session: Session) -> Author:
    """Return the unknown author of a change that nobody reported, under the observing session."""
    return Author(session_id=session.id, contributor=UNKNOWN_CONTRIBUTOR, assumed=True)


def _effect(change: DiskChange) -> Effect:
    if change.new is None:
        return Effect.DELETE
    return Effect.CREATE if change.created else Effect.WRITE
