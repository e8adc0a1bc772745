"""Saves of files that an agent's open call claims, and who records them (requirements section 7).

Invariant: a change has at most one record: the agent's if its call is recorded, else the editor's
own once the claim has lapsed.
"""

import logging
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.content import ABSENT, FileContent, content_of
from intent_lsp.core.gate.request import EDITOR_SAVE
from intent_lsp.core.records import UNKNOWN_CONTRIBUTOR, Record
from intent_lsp.governance.calls.call_events import CallEvents
from intent_lsp.governance.calls.ticket_saves import record_ticket_save
from intent_lsp.governance.judging.save_events import Save, record_save
from intent_lsp.governance.judging.save_judge import BaseHash, Judgement, SaveJudge
from intent_lsp.governance.root.sessions import Session
from intent_lsp.governance.views.audit_log import AuditEvent, AuditLog
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.state.tickets import HeldSave

_log: Final = logging.getLogger(__name__)


class AfterSave(Struct, frozen=True, kw_only=True):
    """The outcome of a save: its judgement, and the content before (`old`) and after it (`disk`).

    If the file cannot be read after the save, `disk` is the content before it. `record` is None if
    no record was appended now; `queued` is why the record is queued, or None. `held`: the change
    may be an agent's, so no record is written yet. `run`: the save belongs to an open run of
    automatic saves, whose record will have this id.
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

        `session` is the present editor's; in records of other sessions the contributor is unknown.
        Return the outcomes of the recorded saves; one whose content is no longer kept is dropped.
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
