"""What became of saves and calls: told, held, and written into the history in a quiet moment.

Invariant: what is told as recorded is on disk; what waits is said to wait.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from typing import Final

from intent_lsp.core.records import Record
from intent_lsp.core.tickets import CLAIMED_FOR
from intent_lsp.doors.lsp.attached import Attached
from intent_lsp.doors.lsp.intent_maps import IntentMaps
from intent_lsp.doors.lsp.people import People
from intent_lsp.doors.lsp.wire import DID_TRACE, trace_wire
from intent_lsp.doors.lsp.workplace import Workplace
from intent_lsp.governance.held_saves import AfterSave

_log: Final = logging.getLogger(__name__)

HISTORY_AFTER: Final = 6.0
"""Seconds after an event in which others may be done with the intents file."""

A_MOMENT: Final = 0.01
"""Seconds after which what has a time limit is over for certain."""


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
        self.maps = IntentMaps(workplace.work)
        self.origins_changed: Callable[[], None] = _nothing

    def saved(self, attached: Attached, after: AfterSave) -> None:
        """Tell what became of a save: recorded, waiting for the ledger, or held for an agent."""
        path = after.judgement.path
        self.recorded(attached, f"{path} is saved", after.record, after.queued)
        if after.held:
            self.later(CLAIMED_FOR.total_seconds() + A_MOMENT, self.release(attached))

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
            self._people.warn(f"intent-lsp: {what}, its record waits: {queued}")
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
