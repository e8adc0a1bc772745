"""The messages to the person after a refused save, and the actions of their buttons.

Specified in requirements section 7.

Invariant: no person is asked during a save. A message that is ignored changes nothing.
"""

from collections.abc import Sequence
from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import split_lines
from intent_lsp.core.gate.words import for_people
from intent_lsp.core.intents import IntentId
from intent_lsp.core.scope.language import escape
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.tracked_document import TrackedDocument
from intent_lsp.governance.judging.save_judge import Judgement
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Wish
from intent_lsp.governance.saves.unrecorded_saves import AfterSave
from intent_lsp.store.state.drafts import Draft

EXPAND: Final = "Restore and expand scope"
KEEP: Final = "Keep draft"
PUT_BACK: Final = "Undo save"
LEAVE: Final = "Keep"
DELETE: Final = "Delete the empty file"
_OWNERS_AT_MOST: Final = 3


class RefusalPrompts:
    """Reports refused saves to the person at one connection, with buttons to resolve them.

    It also does what the person chooses.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def turned_back(
        self, tracked: TrackedDocument, judgement: Judgement, draft: Draft
    ) -> None:
        """Report a refused save and its draft to the person, and do what the person chooses.

        The save's text is in the draft and not on the disk. The person may keep the draft. If the
        file is out of scope, the person may expand the scope. If open intents own the file, the
        person may select one. After either, the draft's text is put back into the editor. A new
        file, which the editor has created empty, may be deleted.
        """
        reason, denied, owners = _said(judgement), judgement.denied, _owners(judgement)
        narrow = denied is not None and denied.code is GateCode.SCOPE_VIOLATION
        new = draft.base_hash is None
        file_now = "The new file was left empty" if new else "The file on disk is unchanged"
        chosen = await self._connection.people.offer(
            f"Save refused. {reason} {file_now}; your text is kept as a draft.",
            [*((EXPAND,) if narrow else ()), *owners, *((DELETE,) if new else ()), KEEP],
        )
        if chosen == EXPAND:
            led_out = await self._expand(tracked, judgement)
        else:
            led_out = chosen in owners and await self._select(tracked, owners[chosen])
        if led_out:
            await self.restore(tracked, draft)
        elif chosen == DELETE:
            await self._delete(tracked)

    async def put_back(
        self, tracked: TrackedDocument, after: AfterSave, *, automatic: bool
    ) -> None:
        """Offer to undo a save that the editor wrote although a rule refused it.

        Also offer to select an intent that owns the file. Do what the person chooses. `after` is
        the outcome of the save. If `automatic`, the message says that the editor saved by itself.
        """
        by_itself = " (auto-save)" if automatic else ""
        owners = _owners(after.judgement)
        reason = _said(after.judgement)
        chosen = await self._connection.people.offer(
            f"{reason} The file was saved anyway{by_itself} and recorded as a violation.",
            [PUT_BACK, *owners, LEAVE],
        )
        if chosen in owners:
            await self._select(tracked, owners[chosen])
        elif chosen == PUT_BACK:
            await self._put_back(tracked, after)

    async def restore(self, tracked: TrackedDocument, draft: Draft) -> bool:
        """Put a draft's text into the editor's buffer, and then delete the draft.

        Return whether the buffer has the text now; if not, the draft is kept.
        """
        wanted = split_lines(draft.text)
        restored = await self._turn_into(tracked, wanted, "Restore draft")
        if restored and tracked.open_root is not None:
            delete = tracked.open_root.governance.stores.drafts.delete
            await self._connection.work.in_thread(delete, draft.id)
        return restored

    async def _delete(self, tracked: TrackedDocument) -> None:
        """Delete a new file if it is still empty.

        Ask the editor to do it. If the editor does not, delete the file here, and tell the person
        whether it was deleted.
        """
        open_root, place = tracked.open_root, tracked.place
        people, in_thread = self._connection.people, self._connection.work.in_thread
        if open_root is None or place is None:
            return
        saves = open_root.governance.saves
        if await in_thread(saves.is_empty, place) and await people.delete(tracked.uri, DELETE):
            return
        gone = await in_thread(saves.remove_empty, place)
        said = "was deleted" if gone else "was not deleted: it is not empty or cannot be deleted"
        people.show_message(f"intent-lsp: {place.path} {said}")

    async def _put_back(self, tracked: TrackedDocument, after: AfterSave) -> None:
        old, open_root = after.old, tracked.open_root
        if old.lines is None or open_root is None:
            self._connection.people.show_message(
                f"intent-lsp: {after.judgement.path} was not text before the save, so the save"
                " cannot be undone here. Use git to get the old content back."
            )
            return
        keep, text = open_root.governance.saves.keep_draft, "".join(tracked.lines)
        await self._connection.work.in_thread(
            keep, open_root.session, after.judgement, old.hash, text
        )
        await self._turn_into(tracked, old.lines, "Undo save")

    async def _turn_into(self, tracked: TrackedDocument, wanted: Sequence[str], label: str) -> bool:
        edits = self._connection.spelling.turning_edits(tracked.lines, wanted)
        people = self._connection.people
        return not edits or await people.apply(tracked.uri, tracked.version, edits, label)

    async def _expand(self, tracked: TrackedDocument, judgement: Judgement) -> bool:
        """Grant the active intent the refused paths, for which the person's click is the approval.

        Return whether they were granted; if governance refuses, warn the person.
        """
        open_root, denied = tracked.open_root, judgement.denied
        if open_root is None or denied is None or judgement.intent is None:
            return False
        wish = Wish(
            intent_id=judgement.intent.id,
            patterns=tuple(escape(path) for path in denied.paths),
            reason="a person expanded the scope after a refused save",
        )
        return self._is_done(
            await self._connection.choices.grant(open_root, wish, open_root.session)
        )

    async def _select(self, tracked: TrackedDocument, intent_id: str) -> bool:
        open_root = tracked.open_root
        if open_root is None:
            return False
        return self._is_done(
            await self._connection.choices.select(open_root, open_root.session, intent_id)
        )

    def _is_done(self, done: object) -> bool:
        """Return whether `done`, the result of what a person chose, is no refusal.

        If it is a refusal, warn the person.
        """
        if not isinstance(done, CheckoutRefusal):
            return True
        self._connection.people.warn(f"intent-lsp: {done.message}")
        return False


def _said(judgement: Judgement) -> str:
    denied = judgement.denied
    return "" if denied is None else for_people(denied, judgement.intent)


def _owners(judgement: Judgement) -> dict[str, IntentId]:
    """Return the ids of intents under which the save would pass, by the titles of their buttons.

    A title is, for example, `Select INT-002`. There are at most three.
    """
    return {f"Select {name}": name for name in judgement.owners[:_OWNERS_AT_MOST]}
