"""What became of saves and calls: told, held, and written into the history in a quiet moment.

Invariant: what is told as recorded is on disk; what waits is said to wait.
Invariant: a map is written at most once in two seconds, whatever stirs it meanwhile, and at the
latest after four.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Final

from intent_lsp.core.agents.tickets import CLAIMED_FOR
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record
from intent_lsp.doors.lsp.connection.client_ui import People
from intent_lsp.doors.lsp.diagnostics.tracked_document import Tracked
from intent_lsp.doors.lsp.diagnostics.tracked_documents import Workplace
from intent_lsp.doors.lsp.runtime.executor import Work
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.wire.common import DID_TRACE, trace_wire
from intent_lsp.governance.saves.claimed_saves import AfterSave

_log: Final = logging.getLogger(__name__)

HISTORY_AFTER: Final = 6.0
"""Seconds after an event in which others may be done with the intents file."""

A_MOMENT: Final = 0.01
"""Seconds after which what has a time limit is over for certain."""

EVERY: Final = 2.0
"""Seconds from the first thing that may have changed a map to its writing."""


class IntentMaps:
    """Has the maps written that may say something else by now."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._waiting: set[Attached] = set()

    def stir(self, attached: Attached) -> None:
        """Have a root's map written in a while; until then nothing more is needed."""
        if attached not in self._waiting:
            self._waiting.add(attached)
            self._work.begin(self._write(attached))

    async def _write(self, attached: Attached) -> None:
        try:
            await asyncio.sleep(EVERY)
            await self._work.lulls.lull(EVERY)
        finally:
            self._waiting.discard(attached)
        await self._work.in_thread(attached.desk.intent_map.write)


def _nothing() -> None:
    """Do nothing after a record."""


class Outcomes:
    """Tells of the outcomes on one connection; `look` looks again at what a root governs.

    `origins_changed` is called when other words may hold of lines: a record is on disk.
    """

    def __init__(
        self,
        workplace: Workplace,
        people: People,
        look: Callable[[Attached], Coroutine[object, object, None]],
    ) -> None:
        self._workplace = workplace
        self._people = people
        self._look = look
        self._writing: set[Attached] = set()
        self._open_runs: dict[Attached, set[WorkspacePath]] = {}
        self.maps = IntentMaps(workplace.work)
        self.origins_changed: Callable[[], None] = _nothing

    def saved(self, attached: Attached, after: AfterSave) -> None:
        """Tell what became of a save: recorded, waiting for the ledger, or held for an agent."""
        path = after.judgement.path
        self.recorded(attached, f"{path} is saved", after.record, after.queued)
        if after.held:
            self.later(CLAIMED_FOR.total_seconds() + A_MOMENT, self.release(attached))

    def run_goes_on(self, attached: Attached, after: AfterSave, rests_after: float) -> None:
        """Have a run of automatic saves recorded when it rests."""
        self._open_runs.setdefault(attached, set()).add(after.judgement.path)
        self.later(rests_after, self.run_rests(attached, after))

    def typed_in(self, attached: Attached, path: WorkspacePath) -> None:
        """Record the runs of the files that somebody has left who types in another one now."""
        left = self._open_runs.get(attached, set()) - {path}
        if left:
            self._open_runs[attached] -= left
            self._workplace.work.begin(self.end_runs(attached, left))

    async def closed(self, tracked: Tracked) -> None:
        """Record the run of a document that was closed."""
        await tracked.all_recorded.wait()
        if tracked.attached is not None and tracked.place is not None:
            await self.end_runs(tracked.attached, [tracked.place.path])

    async def run_rests(self, attached: Attached, after: AfterSave) -> None:
        """Record a run of automatic saves if it has not gone on since."""
        end = attached.desk.saves.end_run_at_rest
        self._runs_ended(attached, await self._workplace.work.in_thread(end, after))

    async def end_runs(
        self, attached: Attached, paths: Collection[WorkspacePath] | None = None
    ) -> None:
        """Record the runs of automatic saves of some files, or of all."""
        end = attached.desk.saves.end_runs
        self._runs_ended(attached, await self._workplace.work.in_thread(end, paths))

    def _runs_ended(self, attached: Attached, ended: Iterable[AfterSave]) -> None:
        for after in ended:
            self._open_runs.get(attached, set()).discard(after.judgement.path)
            self.saved(attached, after)

    def claimed(self, attached: Attached, paths: Iterable[str]) -> None:
        """Look again at open files that an agent's call claims, now and when it lapses."""
        for tracked in self._workplace.open_at(attached, paths).values():
            self._workplace.work.begin(self._workplace.look_again(tracked))
            lapsed = CLAIMED_FOR.total_seconds() + A_MOMENT
            self.later(lapsed, self._workplace.look_again(tracked))

    async def release(self, attached: Attached) -> None:
        """Record the saves that agents have left to us, and show what follows."""
        release = attached.desk.saves.release
        released = await self._workplace.work.in_thread(release, attached.session)
        for after in released:
            self.saved(attached, after)
        await self._workplace.look_at_root(attached)

    def recorded(
        self, attached: Attached, what: str, record: Record | None, queued: str | None
    ) -> None:
        """Tell that a record is on disk, or that it cannot be written yet (`queued`: why)."""
        if record is not None:
            self._people.notify(DID_TRACE, trace_wire(record))
            self.origins_changed()
        if queued is not None:
            _log.error("the ledger cannot be appended: %s", queued)
            self._people.warn(f"intent-lsp: {what}, its record cannot be written yet: {queued}")
        self.noted(attached)

    def noted(self, attached: Attached) -> None:
        """Have map and history written in a quiet moment, the latter where the team wants that."""
        self.maps.stir(attached)
        if attached not in self._writing:
            self._writing.add(attached)
            self.later(HISTORY_AFTER, self._write_history(attached))

    async def _write_history(self, attached: Attached) -> None:
        history = attached.desk.history
        in_thread = self._workplace.work.in_thread
        try:
            await in_thread(history.write, unsaved_file=self._workplace.unsaved(attached))
            again = await in_thread(history.is_due)
        finally:
            self._writing.discard(attached)
        if again:
            self.noted(attached)
        await self._look(attached)

    def later(self, seconds: float, work: Coroutine[object, object, None]) -> None:
        """Begin work after a while; at the end it is forgotten."""

        async def wait() -> None:
            try:
                await asyncio.sleep(seconds)
            except BaseException:
                work.close()
                raise
            await work

        self._workplace.work.begin(wait())
