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
from intent_lsp.doors.lsp.diagnostics.refresh import observe_disk, take_back
from intent_lsp.doors.lsp.diagnostics.text_edits import turning_edits
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.runtime.fifo import FifoLock
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.common import DID_DENY, decision_wire
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.saves.claimed_saves import AfterSave
from intent_lsp.governance.saves.save_runs import RESTS_AFTER
from intent_lsp.governance.saves.saves import BeforeSave, Buffer, Written
from intent_lsp.store.fs.resolve import ResolvedPath
from intent_lsp.store.state.drafts import Draft

_log: Final = logging.getLogger(__name__)

PATIENCE: Final = 0.15
"""Seconds after which a save goes on without us."""

SAVE_TIME: Final = 10.0
"""Seconds after which a save that was answered is over, whether or not the editor tells."""


JudgedSave = tuple[BeforeSave, list[lsp.TextEdit]]
"""What was found before a save, and the edits that turn it back."""


class SaveFeature:
    """The save participant of one connection."""

    def __init__(self, connection: Connection, offers: RefusalPrompts) -> None:
        self._connection = connection
        self._offers = offers

    async def will_save(
        self, tracked: TrackedDocument, reason: lsp.TextDocumentSaveReason
    ) -> list[lsp.TextEdit]:
        """Judge the buffer; the edits turn it back into what is on disk, or there are none."""
        tracked.before, tracked.reason = None, reason
        manual = reason == lsp.TextDocumentSaveReason.Manual
        version = tracked.version
        tracked.writes(list(tracked.lines))
        task = self._connection.tracked_documents.work.begin(self._judge(tracked, manual=manual))
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

    async def did_save(self, tracked: TrackedDocument, saved: list[str]) -> None:
        """Record a save that has happened, and show what it came to.

        `saved` is the text of the buffer at the editor's word of the save.
        """
        tracked_documents = self._connection.tracked_documents
        tracked.writes(saved)
        # Whoever does not ask before a save gives no reason: it is a manual one.
        reason, tracked.reason = tracked.reason, lsp.TextDocumentSaveReason.Manual
        if tracked.open_root is None:
            # Governance may have come since it was opened, by this very save.
            await self._connection.find_again(tracked)
        turns = FifoLock() if tracked.open_root is None else tracked.open_root.save_turns
        # Both places are taken at once: nothing that comes later overtakes this save.
        with turns.take() as turn:
            async with tracked.lane:
                await turn.come()
                try:
                    after = await tracked_documents.work.in_thread(
                        self._record, tracked, saved, reason
                    )
                except (OSError, IntentLspError) as error:
                    after = None
                    self._not_recorded(tracked, error)
                turn.over.set()
                if after is not None and tracked.open_root is not None:
                    self._connection.outcomes.saved(tracked.open_root, after)
                    await self._run_goes_on(tracked.open_root, after, reason)
                before, tracked.before = tracked.before, None
                await tracked_documents.look(tracked)
        held = _settle_refusal(tracked, before, after)
        if after is None or tracked.open_root is None:
            return
        await self._connection.rules_may_have_changed(tracked.open_root)
        if not held and _to_be_offered(tracked, after):
            tracked.offered = True
            automatic = reason != lsp.TextDocumentSaveReason.Manual
            tracked_documents.work.begin(self._offers.put_back(tracked, after, automatic=automatic))

    async def _judge(self, tracked: TrackedDocument, *, manual: bool) -> JudgedSave | None:
        """Judge the buffer as it is now; None where nobody governs it."""
        lines = list(tracked.lines)
        async with tracked.lane:
            if tracked.open_root is None or tracked.place is None:
                return None
            buffer = Buffer(lines=lines, read=tracked.disk.read_now, manual=manual)
            return await self._connection.tracked_documents.work.in_thread(
                self._judged, tracked.open_root, tracked.place, buffer
            )

    def _judged(self, open_root: OpenRoot, place: ResolvedPath, buffer: Buffer) -> JudgedSave:
        before = open_root.governance.saves.before(open_root.session, place, buffer)
        if before.draft is None:
            return before, []
        wanted = before.content.lines or []
        return before, turning_edits(buffer.lines, wanted, self._connection.spelling)

    def _turned_back(self, tracked: TrackedDocument) -> None:
        """Say that a save is turned back, and offer ways out once it is done."""
        before = tracked.before
        if before is None or before.draft is None:
            return
        told = decision_wire(before.judgement, tracked.uri)
        self._connection.people.notify(DID_DENY, {**told, "toolName": EDITOR_SAVE})
        tracked.refused = asyncio.get_running_loop().create_future()
        self._connection.tracked_documents.work.begin(
            self._offer(tracked, tracked.refused, before.judgement, before.draft)
        )

    async def _offer(
        self,
        tracked: TrackedDocument,
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

    def _drop_draft(self, tracked: TrackedDocument, judged: JudgedSave | None) -> None:
        """Delete the draft of a text that was not turned back after all."""
        open_root = tracked.open_root
        if judged is None or judged[0].draft is None or open_root is None:
            return
        work = self._connection.tracked_documents.work
        work.begin(work.in_thread(open_root.governance.stores.drafts.delete, judged[0].draft.id))

    async def _run_goes_on(
        self, open_root: OpenRoot, after: AfterSave, reason: lsp.TextDocumentSaveReason
    ) -> None:
        """Have a run of automatic saves recorded when it rests, or at once where a file is left."""
        outcomes = self._connection.outcomes
        if reason == lsp.TextDocumentSaveReason.AfterDelay and after.run is not None:
            outcomes.run_goes_on(open_root, after, RESTS_AFTER)
        else:
            await outcomes.end_runs(open_root, [after.judgement.path])

    def _record(
        self, tracked: TrackedDocument, saved: list[str], reason: lsp.TextDocumentSaveReason
    ) -> AfterSave | None:
        open_root, place, before = tracked.open_root, tracked.place, tracked.before
        if open_root is None or place is None:
            return None
        try:
            disk = open_root.governance.contents.disk(place.path)
        except OSError as problem:
            _log.warning("%s cannot be hashed: %s", place.path, problem)
            return open_root.governance.saves.after_unreadable(
                open_root.session, place, known=tracked.disk.known
            )
        if tracked.disk.overtaken is not None:
            observe_disk(tracked, disk, list(tracked.lines))
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
        after = open_root.governance.saves.after(open_root.session, place, written)
        tracked.missed = None
        tracked.recorded(after.disk)
        return after

    def _not_recorded(self, tracked: TrackedDocument, error: Exception) -> None:
        """Say that the edit stands without a record; it is never taken back for that."""
        _log.error("%s was saved and could not be recorded", tracked.uri, exc_info=error)
        path = tracked.uri if tracked.place is None else tracked.place.path
        self._connection.people.show_message(
            f"intent-lsp: {path} is saved but not recorded: {error}", lsp.MessageType.Warning
        )


def _result(task: asyncio.Task[JudgedSave | None]) -> JudgedSave | None:
    """Give what a judge found; None where it failed, which is logged, or was ended."""
    return None if task.cancelled() or task.exception() is not None else task.result()


def _settle_refusal(
    tracked: TrackedDocument, before: BeforeSave | None, after: AfterSave | None
) -> bool:
    """Tell whoever waits for the save whether its refusal held: what was refused is not on disk.

    A file that was not there is empty then, since no editor leaves it unwritten.
    """
    if before is None or before.draft is None:
        return False
    held = after is None or (after.disk or b"") == (before.disk or b"")
    if tracked.refused is not None and not tracked.refused.done():
        tracked.refused.set_result(held)
    return held


def _to_be_offered(tracked: TrackedDocument, after: AfterSave) -> bool:
    """Whether to offer putting a file back that was written although a rule refused it."""
    judgement = after.judgement
    return (
        not tracked.offered
        and judgement.rules.policy.enforcement is Enforcement.BLOCK
        and isinstance(judgement.decision, Denied)
        and judgement.decision.code is not GateCode.STALE_FILE
        and after.disk != after.old
    )
