"""Recording what an agent's call changed (requirements section 9, ledger section 1).

Invariant: the record says what is found on disk.
Invariant: whoever records holds the root's lock.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Recorded, Ticket
from intent_lsp.core.content import decode
from intent_lsp.core.paths import LOCAL_ROOM, WorkspacePath
from intent_lsp.core.privacy import veiled
from intent_lsp.core.records import Event, ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.governance.calls.admission import Outcome
from intent_lsp.governance.calls.call_changes import CallChanges, FoundChanges
from intent_lsp.governance.calls.call_events import FoundFile
from intent_lsp.governance.disk.disk_changes import DiskChanges
from intent_lsp.governance.disk.work_tree import TreeChanges
from intent_lsp.governance.root.best_effort import step
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.ledger.ledger import Appended, Queued
from intent_lsp.store.locks.root_lock import holding
from intent_lsp.store.state.drafts import Draft
from intent_lsp.store.state.sessions_db import ReadHash

DISCARDED: Final = "DISCARDED"
"""The code of a draft whose text was not refused: a command discarded it."""


class CallRecorder(Struct):
    """Records the calls of one root's agents."""

    stores: Stores
    changes: CallChanges
    disk: DiskChanges

    def compare(self, ticket_id: str) -> TreeChanges | None:
        """Return what an unrecorded command has changed so far, for `record`.

        Return None if the ticket is unknown, recorded already or without a snapshot, or if the work
        tree cannot be compared. This may take seconds, and needs no lock.
        """
        state, now, known = self.stores.state, self.stores.clock(), self._known(ticket_id)
        lost = None if state is None else state.tickets.commands.remembered(ticket_id, now)
        ticket = lost if known is None else known[0]
        if ticket is None or ticket.tree is None or (known and known[1] is not None):
            return None
        return self.changes.work_tree.changes(ticket.tree)

    def end(
        self,
        ticket_id: str,
        *,
        error: str | None = None,
        told: bool = True,
        by_person: bool = False,
    ) -> Outcome | None:
        """Record a call that has ended, under the root's lock. See `record`, also for the result.

        The work tree is compared before the lock is taken, since that may take seconds.
        """
        compared = self.compare(ticket_id)
        with holding(self.stores.gate_lock):
            return self.record(
                ticket_id, error=error, compared=compared, told=told, by_person=by_person
            )

    def record(
        self,
        ticket_id: str,
        *,
        error: str | None = None,
        compared: TreeChanges | None = None,
        told: bool = True,
        by_person: bool = False,
    ) -> Outcome | None:
        """Record what a ticket's call changed; `error`: why the call failed, or None.

        Return None without a session database, or if the ticket is unknown. If a command deleted
        the database, and this process has the command's ticket in memory, the command's changes are
        recorded as violations. If the ticket is recorded already, return the stored result.
        `compared` is the result of `compare`. `told`: the host reported the call's end. If it did
        not, and the agent has made another call since, the record is marked as a guess (`assumed`).
        `by_person`: a person changed the agent's text before it was written.
        """
        state, now, known = self.stores.state, self.stores.clock(), self._known(ticket_id)
        if state is None:
            return None
        if known is None:
            lost = state.tickets.commands.remembered(ticket_id, now)
            return None if lost is None else self._reconstructed(lost, compared)
        ticket, before = known
        if before is not None:
            return Outcome(ticket=ticket, recorded=before, again=True)
        found = self.changes.find(ticket, compared)
        if ticket.gone_on and not told:
            # The session has gone on, and the host never reported the command's end: changes since
            # the last comparison are probably somebody else's.
            found = replace(found, doubts=replace(found.doubts, assumed=True))
        if by_person:
            files = tuple(replace(file, by_person=True) for file in found.files)
            found = replace(found, files=files)
        outcome = self._recorded(ticket, found, error, ticket.id)
        outcome = replace(outcome, recorded=state.tickets.end(ticket_id, outcome.recorded))
        if ticket.background and not ticket.late and compared is not None:
            state.tickets.issue(self._second_look(ticket, compared), now)
        return outcome

    def _reconstructed(self, ticket: Ticket, compared: TreeChanges | None) -> Outcome:
        """Record a command that deleted the session database and so its own ticket.

        `compared` is the result of `compare`. Deleting the database is a violation, so every
        changed file is recorded as FAIL.
        """
        found = self.changes.find(ticket, compared)
        files = tuple(file for file in found.files if file.changed)
        doubts = replace(found.doubts, reconstructed=True)
        event = self.changes.events.event(
            ticket, files, error=None, verdict=ScopeValidation.FAIL, doubts=doubts
        )
        appended = self._append(event, ticket.id)
        self._keep(ticket, files)
        violating = (WorkspacePath(LOCAL_ROOM), *(file.path for file in files))
        outcome = _outcome(ticket, appended, files, violating, None)
        if self.stores.state is None:
            return outcome
        self.stores.state.tickets.issue(ticket, self.stores.clock())
        recorded = self.stores.state.tickets.end(ticket.id, outcome.recorded)
        return replace(outcome, recorded=recorded)

    def record_so_far(self, ticket: Ticket, compared: TreeChanges) -> Outcome | None:
        """Record the files that an open command has changed and that its ticket does not name.

        Protected files are left out. Later comparisons start from `compared`. Return None if there
        are no such files. Do nothing and return None if the ticket has changed in the meantime.
        """
        state = self.stores.state
        if state is None or self._known(ticket.id) != (ticket, None):
            return None
        # The state of the protected files is not renewed here, so they are compared only at the
        # end.
        named = {end for file in ticket.files for end in (file.path, file.previous)}
        besides, doubts = self.changes.besides(replace(ticket, guarded=None), compared, named)
        doubts = replace(doubts, assumed=doubts.assumed or ticket.gone_on)
        outcome = None
        if besides:
            found = FoundChanges(files=tuple(besides), whole=True, outside=(), doubts=doubts)
            # The id is derived from the changes, so that a repeated call after a crash finds the
            # existing record.
            held = sorted((file.path, file.new or "") for file in besides)
            record_id = _named_after(ticket.id, str(held))
            outcome = self._recorded(replace(ticket, gone_on=True), found, None, record_id)
        state.tickets.commands.go_on(ticket.id, compared.now)
        return outcome

    def _recorded(
        self, ticket: Ticket, all_found: FoundChanges, error: str | None, record_id: str
    ) -> Outcome:
        """Write one record for each verdict on the files of `all_found`; return the outcome.

        `error` is why the call failed, or None. There is no record of a call that succeeded and
        changed nothing, nor of a read-only command without a known change. A call that failed, or
        of which it is not known what it changed, has a record even without files. The first record
        gets the id `record_id`.
        """
        found, violating = all_found.files, self.changes.violating(ticket, all_found)
        if ticket.looking and not found:
            # A search that finds nothing exits with an error, but that is no failed change.
            error = None
        nothing = not found and error is None and (all_found.whole or ticket.looking)
        parts = {} if nothing else self.changes.by_verdict(ticket, all_found, violating)
        made, events = list[Event](), self.changes.events
        for verdict, files in parts.items():
            # Somebody else may have changed a file that the call did not name.
            shared = any(file.besides and file.overtaken for file in files)
            doubts = replace(all_found.doubts, assumed=all_found.doubts.assumed or shared)
            event = events.event(ticket, files, error=error, verdict=verdict, doubts=doubts)
            if event is not None:
                made.append(event)
        ids = (record_id, *(_named_after(record_id, it.scope_validation) for it in made[1:]))
        done = list(map(self._append, made, ids))
        appended = done[0] if done else None
        self._keep(ticket, found)
        return replace(
            _outcome(ticket, appended, found, violating, error),
            discarded=tuple(self._kept_drafts(ticket, found)),
            beside=tuple(one.record for one in done[1:] if isinstance(one, Appended)),
        )

    def _keep(self, ticket: Ticket, found: Sequence[FoundFile]) -> None:
        """Keep the files' contents after a call, and note that its agent has read them.

        They do not count as read if the agent has made another call since.
        """
        for file in found:
            self.disk.note_left(file.path, file.new)
            # Later comparisons need this content, even after this process has ended.
            self.changes.events.contents.keep(file.data, file.new)
        # What was found after the agent's next call is not what the agent has read since.
        if self.stores.state is not None and not ticket.gone_on:
            reads = {file.path: ReadHash(file.new, ticket.turn) for file in found}
            self.stores.state.put_reads(ticket.session_id, ticket.agent_id, reads)

    def _second_look(self, ticket: Ticket, compared: TreeChanges) -> Ticket:
        """Return a follow-up ticket for changes by processes that a command left running.

        It is compared with the work tree as `compared` found it.
        """
        return replace(
            ticket,
            id=self.stores.new_id(),
            issued_at=compared.at,
            tool_use_id=None,
            fingerprint=None,
            files=(),
            tree=compared.now,
            guarded=None,
            late=True,
        )

    def _append(self, event: Event | None, record_id: str) -> Appended | Queued | None:
        if event is None:
            return None
        # The id is derived from the ticket's: a repeated call after a crash finds the record.
        return self.stores.ledger.append_or_queue(
            veiled(event, self.stores.rules.current().policy), record_id
        )

    def _kept_drafts(self, ticket: Ticket, found: Sequence[FoundFile]) -> Iterator[Draft]:
        """Write a draft of each uncommitted text that a call discarded, and yield it."""
        for file in found:
            lost = file.old if file.discarded else None
            data = None if lost is None else self.stores.content(lost)
            text = None if data is None else decode(data)
            if text is None:
                continue
            with step(f"the draft of the discarded text of {file.path}"):
                draft = Draft(
                    path=file.path,
                    base_hash=file.new,
                    text=text.text,
                    session_id=ticket.session_id,
                    code=DISCARDED,
                    intent_id=ticket.intent_id,
                    created_at=timestamp(self.stores.clock()),
                )
                yield self.stores.drafts.write(draft)

    def is_recorded(self, ticket_id: str) -> bool:
        """Return whether a ticket is recorded already."""
        known = self._known(ticket_id)
        return known is not None and known[1] is not None

    def _known(self, ticket_id: str) -> tuple[Ticket, Recorded | None] | None:
        state = self.stores.state
        return None if state is None else state.tickets.ticket(ticket_id, self.stores.clock())


def _outcome(
    ticket: Ticket,
    appended: Appended | Queued | None,
    files: Sequence[FoundFile],
    violating: tuple[WorkspacePath, ...],
    error: str | None,
) -> Outcome:
    record = appended.record if isinstance(appended, Appended) else None
    recorded = Recorded(
        record_id=None if record is None else record.id,
        files=tuple((file.path, file.old, file.new) for file in files),
        error=error,
        violating=violating,
        unknown=tuple(file.path for file in files if not file.old_known),
    )
    queued = appended.reason if isinstance(appended, Queued) else None
    return Outcome(ticket=ticket, recorded=recorded, record=record, queued=queued)


def _named_after(record_id: str, what: str) -> str:
    """Return an id for one more record of a call, made from `record_id` and from `what`.

    `record_id` is the id of the call's ticket or of another record of the call. `what` tells the
    new record from the others: its verdict or its changes.
    """
    named = f"{record_id} {what}".encode("utf-8", "surrogateescape")
    return str(UUID(bytes=sha256(named).digest()[:16], version=4))
