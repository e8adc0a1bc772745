"""Saves without a record so far: those that an agent's open call claims, and automatic ones.

Specified in requirements section 7.

Invariant: a change has at most one record: the agent's if its call is recorded, else the editor's
own once the claim has lapsed.
Invariant: an open run is on disk in the form that it would have if it ended now, so that it
outlives the process. It is recorded at most once.
Invariant: a run has one file, session, intent and verdict. A save that differs begins another run.
"""

import logging
from collections.abc import Collection
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.content import ABSENT, ContentHash, FileContent, content_of
from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.gate.request import EDITOR_SAVE
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import RecordSaves
from intent_lsp.core.records import UNKNOWN_CONTRIBUTOR, Record
from intent_lsp.governance.calls.call_events import CallEvents
from intent_lsp.governance.calls.ticket_saves import record_ticket_save
from intent_lsp.governance.judging.edit_events import Save, record_save, save_event
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.views.audit_log import AuditEvent, AuditLog
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.state.tickets import HeldSave

_log: Final = logging.getLogger(__name__)

RESTS_AFTER: Final = 3.0
"""Seconds without a save after which a run has ended."""


class AfterSave(Struct, frozen=True, kw_only=True):
    """The outcome of a save: its judgement, and the content before (`old`) and after it (`disk`).

    If the file cannot be read after the save, `disk` is the content before it. `record` is the
    appended record, or None. `queued` is why the record is queued, or None. `held`: the change may
    be an agent's, so no record is written yet. `run`: the save belongs to an open run of automatic
    saves, whose record will have this id.
    """

    judgement: Judgement
    old: FileContent
    disk: FileContent
    record: Record | None = None
    queued: str | None = None
    held: bool = False
    run: str | None = None

    def recorded(self, outcome: Appended | Queued) -> "AfterSave":
        """Return this outcome with the appended record, or with the reason why it is queued."""
        if isinstance(outcome, Appended):
            return replace(self, record=outcome.record)
        return replace(self, queued=outcome.reason)


class ClaimedSaves(Struct, frozen=True):
    """Holds back saves of one root that may be agents' changes, and records them later."""

    judging: SaveJudge
    audit_log: AuditLog

    def save(self, ticket: Ticket, session: Session, done: AfterSave) -> AfterSave:
        """Record a save under the ticket that claims its file, or hold it back for that ticket.

        The save is recorded at once if the ticket expects an editor to make the change (`by_save`).
        `done` is the outcome so far, with the contents before and after the save; return it with
        the result added, or unchanged if nothing was to be recorded.
        """
        path = done.judgement.path
        if ticket.by_save:
            events = CallEvents(stores=self.judging.stores, contents=self.judging.contents)
            outcome = record_ticket_save(events, ticket, path, done.old, done.disk)
            if outcome is None:
                return done
            told = replace(audit_event(session, done.judgement), tool=ticket.tool_name)
            told = replace(told, session_id=ticket.session_id, intent_id=ticket.intent_id)
            self.audit_log.done(told, error=None)
            return done.recorded(outcome)
        state, hash_ = self.judging.stores.state, done.disk.hash
        if state is not None and hash_ is not None:
            held = HeldSave(path=path, ticket_id=ticket.id, session_id=session.id, hash=hash_)
            state.tickets.hold(held)
        return replace(done, held=True)

    def release(self, session: Session) -> tuple[AfterSave, ...]:
        """Record the held saves whose claims have lapsed, as changes of the editors that saved.

        A save is held while an agent's open call claims its file. `session` is the present
        editor's. If the save was made in another session, its record says that the contributor is
        unknown. Return the outcomes of the recorded saves. A save whose content is no longer kept
        is dropped.
        """
        state = self.judging.stores.state
        if state is None:
            return ()
        lapsed = state.tickets.lapsed(self.judging.stores.clock())
        made = (self._released(session, held, ticket) for held, ticket in lapsed)
        return tuple(after for after in made if after is not None)

    def _released(self, session: Session, held: HeldSave, ticket: Ticket) -> AfterSave | None:
        """Record a held save as a change of the editor that saved; `session` is the present one's.

        Return None if the content is lost or the file's saves are not recorded.
        """
        stores = self.judging.stores
        place = resolve_below(stores.root, held.path)
        old = next((file.pre_hash for file in ticket.files if file.path == held.path), None)
        new = stores.snapshots.get(held.hash)
        if place is None or new is None:
            _log.warning("a save of %s was held and is kept no more", held.path)
            return None
        known = ABSENT if old is None else content_of(stores.content(old), known_hash=old)
        by = session
        if held.session_id != session.id:
            by = Session(id=held.session_id, contributor=UNKNOWN_CONTRIBUTOR)
        judgement = self.judging.judge(held.session_id, place, BaseHash(read=old, disk=old))
        judgement = replace(judgement, ticket=None)
        verdict = judgement.verdict
        if verdict is None:
            return None
        content = content_of(new, known_hash=held.hash)
        save = Save(session=by, judgement=judgement, verdict=verdict, old=known, new=content)
        outcome = record_save(stores, save)
        return AfterSave(judgement=judgement, old=known, disk=content).recorded(outcome)


def audit_event(session: Session, judgement: Judgement) -> AuditEvent:
    """Return the audit event of an editor's save, from the judgement on it."""
    return AuditEvent(
        tool=EDITOR_SAVE,
        session_id=session.id,
        intent_id=None if judgement.intent is None else judgement.intent.id,
        paths=(judgement.path,),
        model=session.contributor.model_identifier,
    )


class _Run(Struct, frozen=True, kw_only=True):
    """An open run: `save` is all its saves merged into one, `after` its last save's outcome."""

    record_id: str
    save: Save
    after: AfterSave


class SaveRuns:
    """The open runs of automatic saves of this process: each will be one record of its file.

    Not thread-safe: the caller holds a lock.
    """

    def __init__(self, stores: Stores, audit_log: AuditLog) -> None:
        self._stores = stores
        self._audit_log = audit_log
        self._runs: dict[WorkspacePath, _Run] = {}
        self._ended: list[AfterSave] = []

    def add(self, save: Save, after: AfterSave) -> AfterSave | None:
        """Add a save to its file's run, or begin a run with it. Return the outcome.

        Return None if the save has to be recorded by itself, because the policy wants that or no
        run can be stored. `after` is the outcome that the save would have without a run. It is
        returned unchanged if the run is over because its saves cancel out.
        """
        try:
            return self._added(save, after)
        except LedgerUnavailableError as problem:
            _log.warning("%s: no run of saves can be kept: %s", save.judgement.path, problem)
            self.end([save.judgement.path])
            return None

    def _added(self, save: Save, after: AfterSave) -> AfterSave | None:
        if save.judgement.rules.policy.record_saves is RecordSaves.EACH:
            self.end([save.judgement.path])
            return None
        path = save.judgement.path
        run = self._open(save)
        record_id, whole = None, save
        if run is not None:
            former = run.save
            # One save that merges the run with the save that continues it.
            whole = replace(save, old=former.old, concurrent=former.concurrent or save.concurrent)
            if whole.hashes[0] != whole.hashes[1]:
                record_id = self._put(whole, run.record_id)
            elif self._stores.ledger.drop_run(run.record_id):
                # The run's saves cancel out: the file holds what it held before the run.
                del self._runs[path]
                return after
            if record_id is None:
                # Another process or thread has ended the run with what it held before this save.
                self.end([path])
        if record_id is None:
            whole, record_id = save, self._put(save, None)
        if record_id is None:
            return None
        done = replace(after, run=record_id)
        self._runs[path] = _Run(record_id=record_id, save=whole, after=done)
        return done

    def _open(self, save: Save) -> _Run | None:
        """Return the open run of the save's file if the save continues it, or None.

        If the save does not continue the run, end the run.
        """
        path = save.judgement.path
        run = self._runs.get(path)
        if run is not None and not _goes_on(run.save, save):
            self.end([path])
            run = None
        return run

    def is_at(self, path: WorkspacePath, record_id: str, left: ContentHash | None) -> bool:
        """Return whether a file's open run has the id `record_id` and last left the hash `left`."""
        run = self._runs.get(path)
        return run is not None and (run.record_id, run.save.hashes[1]) == (record_id, left)

    def end(self, paths: Collection[WorkspacePath] | None = None) -> None:
        """End and record the open runs of some files (None: all). `take_ended` has the outcomes."""
        ending = [path for path in self._runs if paths is None or path in paths]
        ended = [self._runs.pop(path) for path in ending]
        queued = None
        try:
            if ending:
                self._stores.ledger.end_runs(ending)
        except IntentLspError as problem:
            queued = str(problem)
        for run in ended:
            after = replace(run.after, run=None, queued=queued)
            self._audit_log.saved(audit_event(run.save.session, run.save.judgement))
            self._ended.append(after if queued else self._recorded(run, after))

    def _recorded(self, run: _Run, after: AfterSave) -> AfterSave:
        """Return the outcome of an ended run; append its record unless another process has.

        `after` is the outcome so far.
        """
        try:
            event = save_event(self._stores, run.save)
            return after.recorded(self._stores.ledger.append_or_queue(event, run.record_id))
        except IntentLspError as problem:
            return replace(after, queued=str(problem))

    def take_ended(self) -> tuple[AfterSave, ...]:
        """Return the outcomes of the runs of automatic saves that ended since the last call."""
        ended, self._ended = tuple(self._ended), []
        return ended

    def _put(self, save: Save, record_id: str | None) -> str | None:
        return self._stores.ledger.put_run(save_event(self._stores, save), record_id)


def _goes_on(run: Save, save: Save) -> bool:
    """Return whether a save continues a run: it starts from the run's last content.

    It must also have the run's session, contributor, intent, verdict and code of refusal.
    """
    return run.hashes[1] == save.hashes[0] and _told(run) == _told(save)


def _told(save: Save) -> tuple[object, ...]:
    judgement = save.judgement
    intent = None if judgement.intent is None else judgement.intent.id
    denied = None if judgement.denied is None else judgement.denied.code
    return save.session.id, save.session.contributor, intent, save.verdict, denied
