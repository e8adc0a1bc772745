"""Reports records and queued edits to the client, and schedules the intent map and the history.

Invariant: an edit is reported as recorded only when the record is on disk.
Invariant: two to four seconds after a change, the writing of the root's intent map begins.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Final

from intent_lsp.core.agents.tickets import CLAIMED_FOR
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.doors.lsp.connection.client_ui import ClientUi
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.diagnostics.tracked_documents import TrackedDocuments
from intent_lsp.doors.lsp.runtime.executor import BackgroundExecutor
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import DID_TRACE, trace_wire
from intent_lsp.governance.saves.unrecorded_saves import AfterSave

_log: Final = logging.getLogger(__name__)

HISTORY_AFTER: Final = 6.0
"""Seconds to wait before writing the history, until other writers of the intents file are done."""

A_MOMENT: Final = 0.01
"""Seconds added to a time limit, so that it has certainly passed."""

EVERY: Final = 2.0
"""Seconds from the first change that concerns an intent map to its writing.

After these, it waits for an idle moment, at most as long again.
"""


class IntentMapWriter:
    """Writes the intent maps of roots in the background."""

    def __init__(self, work: BackgroundExecutor) -> None:
        self._work = work
        self._waiting: set[OpenRoot] = set()

    def schedule(self, open_root: OpenRoot) -> None:
        """Schedule the writing of a root's intent map, unless it is scheduled already.

        The writing begins two to four seconds later.
        """
        if open_root not in self._waiting:
            self._waiting.add(open_root)
            self._work.begin(self._write(open_root))

    async def _write(self, open_root: OpenRoot) -> None:
        try:
            await asyncio.sleep(EVERY)
            await self._work.idle_scheduler.wait_until_idle(EVERY)
        finally:
            self._waiting.discard(open_root)
        await self._work.in_thread(open_root.governance.intent_map.write)


def _nothing(*_: OpenRoot) -> None:
    """Do nothing: a stand-in for the functions of a `RecordNotifier` until they are set."""


class RecordNotifier:
    """Reports to one connection's client whether edits are recorded or queued.

    `look` is called with a root, and judges the root's documents again if its rules have changed.
    `origins_changed` is called after each record that is reported, because attributions may have
    changed. `tree_changed` is called with a root in whose work tree files have changed.
    """

    def __init__(
        self,
        tracked_documents: TrackedDocuments,
        people: ClientUi,
        look: Callable[[OpenRoot], Coroutine[object, object, None]],
    ) -> None:
        self._tracked_documents, self._work = tracked_documents, tracked_documents.work
        self._people = people
        self._look = look
        self._writing: set[OpenRoot] = set()
        self._open_runs: dict[OpenRoot, set[WorkspacePath]] = {}
        self.maps = IntentMapWriter(tracked_documents.work)
        self.origins_changed: Callable[[], None] = _nothing
        self.tree_changed: Callable[[OpenRoot], None] = _nothing

    def saved(self, open_root: OpenRoot, after: AfterSave) -> None:
        """Report the save whose outcome is `after`, if it is recorded or queued.

        If an agent's claim delays the record of the save, record the save once the claim has
        expired.
        """
        path = after.judgement.path
        self.recorded(open_root, f"{path} is saved", after.record, after.queued)
        if after.held:
            self.later(CLAIMED_FOR.total_seconds() + A_MOMENT, self.release(open_root))

    def run_goes_on(self, open_root: OpenRoot, after: AfterSave, rests_after: float) -> None:
        """Schedule the record of a run of automatic saves, of which `after` is the newest.

        The run is recorded after `rests_after` seconds without another save.
        """
        self._open_runs.setdefault(open_root, set()).add(after.judgement.path)
        self.later(rests_after, self.end_run_at_rest(open_root, after))

    def typed_in(self, open_root: OpenRoot, path: WorkspacePath) -> None:
        """Begin to record a root's open runs of automatic saves, except that of the file `path`.

        That file is being edited, so its run goes on.
        """
        left = self._open_runs.get(open_root, set()) - {path}
        if left:
            self._open_runs[open_root] -= left
            self._work.begin(self.end_runs(open_root, left))

    async def closed(self, tracked: TrackedDocument) -> None:
        """Record a closed document's open run of automatic saves, once its saves are recorded."""
        await tracked.all_recorded.wait()
        if tracked.open_root is not None and tracked.place is not None:
            await self.end_runs(tracked.open_root, [tracked.place.path])

    async def end_run_at_rest(self, open_root: OpenRoot, after: AfterSave) -> None:
        """End and record the run of automatic saves whose newest save is `after`.

        This is called once saves have paused. If later saves were added to the run, it goes on.
        Runs that have already ended, and are not recorded yet, are recorded too.
        """
        end = open_root.governance.saves.end_run_at_rest
        self._runs_ended(open_root, await self._work.in_thread(end, after))

    async def end_runs(
        self, open_root: OpenRoot, paths: Collection[WorkspacePath] | None = None
    ) -> None:
        """End and record the runs of automatic saves of the files at `paths`; None means all files.

        Runs that have already ended, and are not recorded yet, are recorded too.
        """
        end = open_root.governance.saves.end_runs
        self._runs_ended(open_root, await self._work.in_thread(end, paths))

    def _runs_ended(self, open_root: OpenRoot, ended: Iterable[AfterSave]) -> None:
        for after in ended:
            self._open_runs.get(open_root, set()).discard(after.judgement.path)
            self.saved(open_root, after)

    def claimed(self, open_root: OpenRoot, paths: Iterable[str]) -> None:
        """Schedule snapshots of the open files among `paths`, which a ticket has just claimed.

        They are taken now, and again when the claim has expired. `paths` are relative to the root.
        """
        for tracked in self._tracked_documents.open_at(open_root, paths).values():
            self._work.begin(self._tracked_documents.look_again(tracked))
            lapsed = CLAIMED_FOR.total_seconds() + A_MOMENT
            self.later(lapsed, self._tracked_documents.look_again(tracked))

    async def release(self, open_root: OpenRoot) -> None:
        """Record the saves that were delayed by a claim that has expired.

        Then judge the root's documents again.
        """
        release = open_root.governance.saves.release
        for after in await self._work.in_thread(release, open_root.session):
            self.saved(open_root, after)
        await self._tracked_documents.look_at(self._tracked_documents.of_root(open_root))

    def recorded(
        self, open_root: OpenRoot, edit: str, record: Record | None, queued: str | None
    ) -> None:
        """Report an edit, which the clause `edit` describes, as recorded or as queued.

        `record` is its record on disk, or None. `queued` is the reason why the record cannot be
        written yet, or None. If both are None, nothing is reported. In every case, schedule the
        writing of deferred audit events, of the intent map and of the history.
        """
        if record is not None:
            self._people.notify(DID_TRACE, trace_wire(record))
            self.origins_changed()
        if queued is not None:
            _log.error("the ledger cannot be appended: %s", queued)
            self._people.warn(
                f"intent-lsp: {edit}, but the ledger cannot record it yet: {queued}. Once that is"
                " fixed, it is recorded with the next edit."
            )
        self._work.begin(self._work.in_thread(open_root.governance.unreported.write))
        self.noted(open_root)

    def noted(self, open_root: OpenRoot) -> None:
        """Schedule the writing of a root's intent map, and of the history in its intents file.

        The history is written only if the policy says so. After that, written or not, the root's
        documents are judged again if its rules have changed.
        """
        self.maps.schedule(open_root)
        if open_root not in self._writing:
            self._writing.add(open_root)
            self.later(HISTORY_AFTER, self._write_history(open_root))

    async def _write_history(self, open_root: OpenRoot) -> None:
        history, in_thread = open_root.governance.history, self._work.in_thread
        try:
            await in_thread(history.write, unsaved_file=self._tracked_documents.unsaved(open_root))
            again = await in_thread(history.is_due)
        finally:
            self._writing.discard(open_root)
        if again:
            self.noted(open_root)
        await self._look(open_root)

    def later(self, seconds: float, work: Coroutine[object, object, None]) -> None:
        """Await `work` after some seconds, unless the connection ends before that."""

        async def wait() -> None:
            try:
                await asyncio.sleep(seconds)
            except BaseException:
                work.close()
                raise
            await work

        self._work.begin(wait())
