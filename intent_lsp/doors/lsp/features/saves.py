"""Saves as an editor announces them: judged before, recorded after (requirements section 7).

Invariant: `willSaveWaitUntil` is answered in time and never with an error; nobody is asked inside.
Invariant: the saves of a root are recorded in the order in which the editor tells of them.
Invariant: a text that is turned back is on disk as a draft first; its person is asked once the
save is over.
"""

import asyncio
import logging
from dataclasses import replace
from typing import Final

from lsprotocol import types as lsp

from intent_lsp.core.codes import GateCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.gate.request import EDITOR_SAVE, Denied
from intent_lsp.core.policy import Enforcement
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.refresh import see, take_back
from intent_lsp.doors.lsp.diagnostics.text_edits import turning_edits
from intent_lsp.doors.lsp.diagnostics.tracked_document import Tracked
from intent_lsp.doors.lsp.features.refusal_prompts import Offers
from intent_lsp.doors.lsp.runtime.fifo import Turns
from intent_lsp.doors.lsp.runtime.open_root import Attached
from intent_lsp.doors.lsp.wire.common import DID_DENY, decision_wire
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.saves.claimed_saves import AfterSave
from intent_lsp.governance.saves.save_runs import RESTS_AFTER
from intent_lsp.governance.saves.saves import BeforeSave, Buffer, Written
from intent_lsp.store.fs.resolve import Place
from intent_lsp.store.state.drafts import Draft

_log: Final = logging.getLogger(__name__)

PATIENCE: Final = 0.15
"""Seconds after which a save goes on without us."""

SAVE_TIME: Final = 10.0
"""Seconds after which a save that was answered is over, whether or not the editor tells."""


Judged = tuple[BeforeSave, list[lsp.TextEdit]]
"""What was found before a save, and the edits that turn it back."""


class Saving:
    """The save participant of one connection."""

    def __init__(self, connection: Connection, offers: Offers) -> None:
        self._connection = connection
        self._offers = offers

    async def will_save(
        self, tracked: Tracked, reason: lsp.TextDocumentSaveReason
    ) -> list[lsp.TextEdit]:
        """Judge the buffer; the edits turn it back into what is on disk, or there are none."""
        tracked.before, tracked.reason = None, reason
        manual = reason == lsp.TextDocumentSaveReason.Manual
        version = tracked.version
        tracked.writes(list(tracked.lines))
        task = self._connection.workplace.work.begin(self._judge(tracked, manual=manual))
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if task not in done:
            # The editor writes now: what a late judge saw of the disk may be what was written.
            _log.warning("%s: not judged within %.0f ms", tracked.uri, PATIENCE * 1000)
            task.add_done_callback(lambda late: self._drop_draft(tracked, _result(late)))
            return []
        judged = _result(task)
        if judged is None:
            return []
        tracked.before, edits = judged
        if tracked.version != version:
            # A text that moved on meanwhile is not the one that was judged.
            self._drop_draft(tracked, judged)
            tracked.before = replace(tracked.before, draft=None)
            return []
        self._turned_back(tracked)
        return edits

    async def did_save(self, tracked: Tracked, saved: list[str]) -> None:
        """Record a save that has happened, and show what it came to.

        `saved` is the text of the buffer at the editor's word of the save.
        """
        workplace = self._connection.workplace
        tracked.writes(saved)
        # Whoever does not ask before a save gives no reason: it is a manual one.
        reason, tracked.reason = tracked.reason, lsp.TextDocumentSaveReason.Manual
        if tracked.attached is None:
            # Governance may have come since it was opened, by this very save.
            await self._connection.find_again(tracked)
        turns = Turns() if tracked.attached is None else tracked.attached.save_turns
        # Both places are taken at once: nothing that comes later overtakes this save.
        with turns.take() as turn:
            async with tracked.lane:
                await turn.come()
                try:
                    after = await workplace.work.in_thread(self._record, tracked, saved, reason)
                except (OSError, IntentLspError) as error:
                    after = None
                    self._not_recorded(tracked, error)
                turn.over.set()
                if after is not None and tracked.attached is not None:
                    self._connection.outcomes.saved(tracked.attached, after)
                    await self._run_goes_on(tracked.attached, after, reason)
                before, tracked.before = tracked.before, None
                await workplace.look(tracked)
        held = _settle_refusal(tracked, before, after)
        if after is None or tracked.attached is None:
            return
        await self._connection.rules_may_have_changed(tracked.attached)
        if not held and _to_be_offered(tracked, after):
            tracked.offered = True
            automatic = reason != lsp.TextDocumentSaveReason.Manual
            workplace.work.begin(self._offers.put_back(tracked, after, automatic=automatic))

    async def _judge(self, tracked: Tracked, *, manual: bool) -> Judged | None:
        """Judge the buffer as it is now; None where nobody governs it."""
        lines = list(tracked.lines)
        async with tracked.lane:
            if tracked.attached is None or tracked.place is None:
                return None
            buffer = Buffer(lines=lines, read=tracked.disk.read_now, manual=manual)
            return await self._connection.workplace.work.in_thread(
                self._judged, tracked.attached, tracked.place, buffer
            )

    def _judged(self, attached: Attached, place: Place, buffer: Buffer) -> Judged:
        before = attached.desk.saves.before(attached.session, place, buffer)
        if before.draft is None:
            return before, []
        wanted = before.content.lines or []
        return before, turning_edits(buffer.lines, wanted, self._connection.spelling)

    def _turned_back(self, tracked: Tracked) -> None:
        """Say that a save is turned back, and offer ways out once it is done."""
        before = tracked.before
        if before is None or before.draft is None:
            return
        told = decision_wire(before.judgement, tracked.uri)
        self._connection.people.notify(DID_DENY, {**told, "toolName": EDITOR_SAVE})
        tracked.refused = asyncio.get_running_loop().create_future()
        self._connection.workplace.work.begin(
            self._offer(tracked, tracked.refused, before.judgement, before.draft)
        )

    async def _offer(
        self,
        tracked: Tracked,
        refused: asyncio.Future[bool],
        judgement: Judgement,
        draft: Draft,
    ) -> None:
        """Offer ways out of a refusal that held.

        After the save: Neovim's questions are modal, and one that is asked inside a save lets the
        time for turning back run out.
        """
        done, _ = await asyncio.wait({refused}, timeout=SAVE_TIME)
        if not done or refused.result():
            await self._offers.turned_back(tracked, judgement, draft)

    def _drop_draft(self, tracked: Tracked, judged: Judged | None) -> None:
        """Delete the draft of a text that was not turned back after all."""
        attached = tracked.attached
        if judged is None or judged[0].draft is None or attached is None:
            return
        work = self._connection.workplace.work
        work.begin(work.in_thread(attached.desk.stores.drafts.delete, judged[0].draft.id))

    async def _run_goes_on(
        self, attached: Attached, after: AfterSave, reason: lsp.TextDocumentSaveReason
    ) -> None:
        """Have a run of automatic saves recorded when it rests, or at once where a file is left."""
        outcomes = self._connection.outcomes
        if reason == lsp.TextDocumentSaveReason.AfterDelay and after.run is not None:
            outcomes.run_goes_on(attached, after, RESTS_AFTER)
        else:
            await outcomes.end_runs(attached, [after.judgement.path])

    def _record(
        self, tracked: Tracked, saved: list[str], reason: lsp.TextDocumentSaveReason
    ) -> AfterSave | None:
        attached, place, before = tracked.attached, tracked.place, tracked.before
        if attached is None or place is None:
            return None
        try:
            disk = attached.desk.contents.disk(place.path)
        except OSError as problem:
            _log.warning("%s cannot be hashed: %s", place.path, problem)
            return attached.desk.saves.after_unreadable(
                attached.session, place, known=tracked.disk.known
            )
        if tracked.disk.overtaken is not None:
            see(tracked, disk, list(tracked.lines))
        if tracked.disk.overtaken is not None:
            # An editor whose disk is ahead of its word has saved more than once by now.
            take_back(tracked)
        save = tracked.replaced(disk, saved)
        # What was judged before the next save is no word on this one.
        old = save.old if before is None or save.new != disk else before.disk
        # Until a save is recorded, the next one begins where it began: no change is left out.
        old, read = tracked.missed = tracked.missed or (old, save.read)
        automatic = reason != lsp.TextDocumentSaveReason.Manual
        written = Written(disk=save.new, known=old, read=read, automatic=automatic)
        after = attached.desk.saves.after(attached.session, place, written)
        tracked.missed = None
        tracked.recorded(after.disk)
        return after

    def _not_recorded(self, tracked: Tracked, error: Exception) -> None:
        """Say that the edit stands without a record; it is never taken back for that."""
        _log.error("%s was saved and could not be recorded", tracked.uri, exc_info=error)
        path = tracked.uri if tracked.place is None else tracked.place.path
        self._connection.people.tell(
            f"intent-lsp: {path} is saved but not recorded: {error}", lsp.MessageType.Warning
        )


def _result(task: asyncio.Task[Judged | None]) -> Judged | None:
    """Give what a judge found; None where it failed, which is logged, or was ended."""
    return None if task.cancelled() or task.exception() is not None else task.result()


def _settle_refusal(tracked: Tracked, before: BeforeSave | None, after: AfterSave | None) -> bool:
    """Tell whoever waits for the save whether its refusal held: what was refused is not on disk.

    A file that was not there is empty then, since no editor leaves it unwritten.
    """
    if before is None or before.draft is None:
        return False
    held = after is None or (after.disk or b"") == (before.disk or b"")
    if tracked.refused is not None and not tracked.refused.done():
        tracked.refused.set_result(held)
    return held


def _to_be_offered(tracked: Tracked, after: AfterSave) -> bool:
    """Whether to offer putting a file back that was written although a rule refused it."""
    judgement = after.judgement
    return (
        not tracked.offered
        and judgement.rules.policy.enforcement is Enforcement.BLOCK
        and isinstance(judgement.decision, Denied)
        and judgement.decision.code is not GateCode.STALE_FILE
        and after.disk != after.old
    )
