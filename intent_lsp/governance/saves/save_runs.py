"""Runs of automatic saves: one record for all that an editor saved while somebody typed.

Specified in requirements section 7.

Invariant: an open run is on disk in the form that it would have if it ended now, so that it
outlives the process. It is recorded at most once.
Invariant: a run has one file, session, intent and verdict. A save that differs begins another run.
"""

import logging
from collections.abc import Collection
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError, LedgerUnavailableError
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.policy import RecordSaves
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import Event
from intent_lsp.governance.judging.save_events import Save, save_event
from intent_lsp.governance.root.stores import Stores
from intent_lsp.governance.saves.claimed_saves import AfterSave, audit_event
from intent_lsp.governance.views.audit_log import AuditLog

_log: Final = logging.getLogger(__name__)

RESTS_AFTER: Final = 3.0
"""Seconds without a save after which a run has ended."""


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
        run can be stored. `after` is the outcome of the save without a run; it is returned
        unchanged if the run is over because its saves cancel out.
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
            whole = _joined(run.save, save)
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
            event = self._event(run.save)
            return after.recorded(self._stores.ledger.append_or_queue(event, run.record_id))
        except IntentLspError as problem:
            return replace(after, queued=str(problem))

    def take_ended(self) -> tuple[AfterSave, ...]:
        """Return the outcomes of the runs that have ended since the last call."""
        ended, self._ended = tuple(self._ended), []
        return ended

    def _put(self, save: Save, record_id: str | None) -> str | None:
        return self._stores.ledger.put_run(self._event(save), record_id)

    def _event(self, save: Save) -> Event:
        stores, policy = self._stores, save.judgement.rules.policy
        return veiled(save_event(save, stores.revision(), stores.trees), policy)


def _joined(run: Save, save: Save) -> Save:
    """Return one save that merges a run with the save that continues the run."""
    return replace(save, old=run.old, concurrent=run.concurrent or save.concurrent)


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
