"""Saves of an editor: judged before the write, recorded afterwards (requirements section 7).

Invariant: `willSaveWaitUntil` is answered in time and never with an error. No person is asked
meanwhile.
Invariant: the saves of a root are processed in the order in which the editor reports them.
Invariant: before a save is turned back, its text is on disk as a draft. The person is asked after
the save.
"""

import asyncio
import logging
from typing import Final

from lsprotocol import types as lsp
from msgspec.structs import replace

from intent_lsp.core.codes import GateCode
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.gate.request import EDITOR_SAVE, Denied
from intent_lsp.core.policy import Enforcement
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.doors.lsp.features.refusal_prompts import RefusalPrompts
from intent_lsp.doors.lsp.runtime.executor import FifoLock
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import DID_DENY
from intent_lsp.governance.calls.call_answers import judgement_json
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.saves.open_file import OpenFile
from intent_lsp.governance.saves.saves import BeforeSave
from intent_lsp.governance.saves.unrecorded_saves import RESTS_AFTER, AfterSave
from intent_lsp.store.state.drafts import Draft

_log: Final = logging.getLogger(__name__)

PATIENCE: Final = 0.15
"""Seconds after which a save is let through without a judgement."""

SAVE_TIME: Final = 10.0
"""Seconds after which an answered save counts as over, even if the editor has not reported it."""


JudgedSave = tuple[BeforeSave, list[lsp.TextEdit]]
"""A judged save, and the edits that turn the buffer back to the disk; no edits let it pass."""


class SaveFeature:
    """Judges and records the saves of one connection."""

    def __init__(self, connection: Connection, offers: RefusalPrompts) -> None:
        self._connection = connection
        self._offers = offers

    async def will_save(
        self, tracked: TrackedDocument, reason: lsp.TextDocumentSaveReason
    ) -> list[lsp.TextEdit]:
        """Judge the text that is about to be saved.

        If the save is to be turned back (`Saves.before` says when), keep the text as a draft,
        return edits that restore the text on disk, and ask the person once the save is over.
        Otherwise return no edits. Also return no edits if the judgement fails or takes longer than
        PATIENCE, or if the buffer changes meanwhile.
        """
        tracked.before, tracked.reason = None, reason
        manual = reason == lsp.TextDocumentSaveReason.Manual
        version = tracked.version
        tracked.file.writes(list(tracked.lines))
        task = self._connection.work.begin(self._judge(tracked, manual=manual))
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if task not in done:
            # The editor writes now, so a late judgement may have read the text that is being
            # written. It is ignored, and its draft deleted.
            _log.warning("%s: not judged within %.0f ms", tracked.uri, PATIENCE * 1000)
            task.add_done_callback(lambda late: self._drop_draft(tracked, _result(late)))
            return []
        judged = _result(task)
        if judged is None:
            return []
        tracked.before, edits = judged
        if tracked.version != version:
            # The buffer changed while it was judged, so neither the draft nor the edits fit it.
            self._drop_draft(tracked, judged)
            tracked.before = replace(tracked.before, draft=None)
            return []
        self._turned_back(tracked)
        return edits

    async def did_save(self, tracked: TrackedDocument, saved: list[str]) -> None:
        """Record a save that has happened, and update the diagnostics.

        `saved` are the lines of the buffer when the editor reported the save. Tell the person if
        the save cannot be recorded. Offer to undo the save if `_to_be_offered` says so.
        """
        tracked_documents = self._connection.tracked_documents
        tracked.file.writes(saved)
        # An editor that sends no `willSaveWaitUntil` gives no reason; assume a manual save.
        reason, tracked.reason = tracked.reason, lsp.TextDocumentSaveReason.Manual
        if tracked.open_root is None:
            # This very save may have created the intents file.
            await self._connection.find_again(tracked)
        turns = FifoLock() if tracked.open_root is None else tracked.open_root.save_turns
        # The root's slot and the document's lock are reserved together, so that nothing later
        # overtakes this save.
        with turns.take() as turn:
            async with tracked.lane:
                await turn.come()
                rules, automatic = tracked.rules, reason != lsp.TextDocumentSaveReason.Manual
                record, lines = tracked.file.record, list(tracked.lines)
                try:
                    after = await tracked_documents.work.in_thread(
                        record, lines, saved, tracked.before, automatic=automatic
                    )
                except (OSError, IntentLspError) as error:
                    after = None
                    self._not_recorded(tracked, error)
                turn.over.set()
                if after is not None and tracked.open_root is not None:
                    self._connection.outcomes.saved(tracked.open_root, after)
                    await self._run_goes_on(tracked.open_root, after, reason)
                before, tracked.before = tracked.before, None
                # Judged under these rules already, unless they have changed meanwhile.
                await tracked_documents.look(tracked, after if rules == tracked.rules else None)
        held = _settle_refusal(tracked, before, after)
        if after is None or tracked.open_root is None:
            return
        await self._connection.saved(tracked.open_root, after.judgement)
        if not held and _to_be_offered(tracked, after):
            tracked.offered = True
            tracked_documents.work.begin(self._offers.put_back(tracked, after, automatic=automatic))

    async def _judge(self, tracked: TrackedDocument, *, manual: bool) -> JudgedSave | None:
        """Return the judgement of a document's current text, or None if no root governs it.

        `manual`: a person saves it, not the editor by itself.
        """
        lines = list(tracked.lines)
        async with tracked.lane:
            in_thread = self._connection.work.in_thread
            return await in_thread(self._judged, tracked.file, lines, manual=manual)

    def _judged(self, file: OpenFile, lines: list[str], *, manual: bool) -> JudgedSave | None:
        before = file.judge(lines, manual=manual)
        if before is None or before.draft is None:
            return None if before is None else (before, [])
        return before, self._connection.spelling.turning_edits(lines, before.disk.lines or [])

    def _turned_back(self, tracked: TrackedDocument) -> None:
        """If the save just judged is turned back, notify the client, and ask the person later.

        The notification is `intent/didDeny`. `_offer` asks the person once the save is over.
        """
        before = tracked.before
        if before is None or before.draft is None:
            return
        told = judgement_json(before.judgement, tracked.uri)
        self._connection.people.notify(DID_DENY, {**told, "toolName": EDITOR_SAVE})
        tracked.refused = asyncio.get_running_loop().create_future()
        self._connection.work.begin(
            self._offer(tracked, tracked.refused, before.judgement, before.draft)
        )

    async def _offer(
        self,
        tracked: TrackedDocument,
        refused: asyncio.Future[bool],
        judgement: Judgement,
        draft: Draft,
    ) -> None:
        """Offer the person ways to resolve a save that was turned back, once the save is over.

        Do nothing if its text was written anyway. `refused` resolves to True if the text stayed off
        the disk; after SAVE_TIME seconds without a result, that is assumed.
        The person is not asked during the save: a question in Neovim is modal and would exceed the
        time limit of `willSaveWaitUntil`.
        """
        done, _ = await asyncio.wait({refused}, timeout=SAVE_TIME)
        if not done or refused.result():
            await self._offers.turned_back(tracked, judgement, draft)

    def _drop_draft(self, tracked: TrackedDocument, judged: JudgedSave | None) -> None:
        """Delete the draft of a save that was judged as refused but let through in the end.

        Do nothing if the save has no draft.
        """
        open_root = tracked.open_root
        if judged is None or judged[0].draft is None or open_root is None:
            return
        work = self._connection.work
        work.begin(work.in_thread(open_root.governance.stores.drafts.delete, judged[0].draft.id))

    async def _run_goes_on(
        self, open_root: OpenRoot, after: AfterSave, reason: lsp.TextDocumentSaveReason
    ) -> None:
        """Record the run of automatic saves that a save belongs to, now or once saves pause.

        If `reason` is `AfterDelay`, the run is recorded once saves pause. For any other reason,
        such as that the person left the file, it is recorded now. `after` is the outcome of the
        save.
        """
        outcomes = self._connection.outcomes
        if reason == lsp.TextDocumentSaveReason.AfterDelay and after.run is not None:
            outcomes.run_goes_on(open_root, after, RESTS_AFTER)
        else:
            await outcomes.end_runs(open_root, [after.judgement.path])

    def _not_recorded(self, tracked: TrackedDocument, error: Exception) -> None:
        """Log that a save could not be recorded, and show it to the person. The save stands."""
        _log.error("%s was saved and could not be recorded", tracked.uri, exc_info=error)
        path = tracked.path or tracked.uri
        self._connection.people.warn(
            f"intent-lsp: {path} is saved but not recorded: {error}; the server's log says more"
        )


def _result(task: asyncio.Task[JudgedSave | None]) -> JudgedSave | None:
    """Return the result of a task that judges a save, or None if it failed or was cancelled."""
    return None if task.cancelled() or task.exception() is not None else task.result()


def _settle_refusal(
    tracked: TrackedDocument, before: BeforeSave | None, after: AfterSave | None
) -> bool:
    """Return whether a save was turned back and the disk kept its content.

    `before` is the judgement before the save. Return False if it has no draft, since the save was
    then not to be turned back. Else set the result of the future `tracked.refused`, too. `after` is
    the outcome of the save, or None if it has none: the disk then counts as unchanged. A missing
    file and an empty file count as the same, because an editor creates a new file in any case.
    """
    if before is None or before.draft is None:
        return False
    held = after is None or (after.disk.data or b"") == (before.disk.data or b"")
    if tracked.refused is not None and not tracked.refused.done():
        tracked.refused.set_result(held)
    return held


def _to_be_offered(tracked: TrackedDocument, after: AfterSave) -> bool:
    """Return whether to offer to undo a save that the editor wrote although a rule refused it.

    True if this was not offered before for the document, the policy blocks such saves, the save
    changed the file, and it was refused for another reason than a newer text on disk.
    """
    judgement = after.judgement
    return (
        not tracked.offered
        and judgement.rules.policy.enforcement is Enforcement.BLOCK
        and isinstance(judgement.decision, Denied)
        and judgement.decision.code is not GateCode.STALE_FILE
        and after.disk.hash != after.old.hash
    )
