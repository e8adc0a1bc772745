"""Agents' calls: judged before they happen, recorded after (requirements sections 6 and 9).

Invariant: judged inside the root's lock, and claimed before it is let go: no verdict is on an
older hash than the one that it names.
Invariant: what is recorded is what is found on disk, under the verdict that the ticket holds.
"""

import logging
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.gate import judge_call, rejected, unavailable
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.question import Allowed, Ask, Denied, Question, SaveDecision
from intent_lsp.core.records import MutationClass, Record, ScopeValidation
from intent_lsp.core.tickets import Recorded, Ticket, TicketFile
from intent_lsp.core.timestamps import timestamp
from intent_lsp.core.tools import ToolCall
from intent_lsp.formats.call_reading import CallReading, read_call
from intent_lsp.governance.call_events import CallEvents
from intent_lsp.governance.call_facts import Asker, CallFactsOf
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.rules import Rules, RulesCache
from intent_lsp.governance.sessions import Sessions
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.ticketing import Asked, ticket_files, ticket_of
from intent_lsp.store.ledger import Appended, Queued
from intent_lsp.store.root_lock import RootLock
from intent_lsp.store.state import ReadHash

_log: Final = logging.getLogger(__name__)

NOBODY_TO_ASK: Final = "no person can be asked through this door"
NO_MEMORY: Final = ".orchestration/.local cannot be written: this edit will have no record."


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What the gate said of a call; `ticket` is what it is recorded under, where it may happen."""

    decision: SaveDecision
    intent_id: str | None
    mutation_class: MutationClass | None = None
    files: tuple[TicketFile, ...] = ()
    ticket: Ticket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a ticket; `record` is None where none was made, or it was made before."""

    recorded: Recorded
    record: Record | None = None
    queued: str | None = None


class Calls:
    """Judges and records the calls of one root's agents."""

    def __init__(
        self,
        *,
        stores: Stores,
        rules: RulesCache,
        sessions: Sessions,
        contents: Contents,
        lock: RootLock | None,
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._sessions = sessions
        self._contents = contents
        self._lock = lock
        self._facts = CallFactsOf(stores=stores, contents=contents)
        self._events = CallEvents(stores=stores, contents=contents)

    def admit(self, session_id: str, agent_id: str, call: ToolCall) -> Admission:
        """Judge a call, and give it a ticket if it may happen.

        What goes wrong on our side lets it pass, or refuses it where the team says so (section 10).
        """
        rules = self._rules.current()
        row = self._sessions.row(session_id)
        asker = Asker(session_id=session_id, agent_id=agent_id, row=row)
        if not rules.governed and not rules.policy.fail_open:
            question = self._facts.question(call, asker, rules, ())
            cause = rules.reason or "the intents file cannot be read"
            return _refusing(question, unavailable(question, cause))
        try:
            # Read before the lock is taken: others need not wait for a command to be parsed.
            reading = read_call(call, rules.policy)
            with self._held():
                return self._given_before(asker, call) or self._admit(call, reading, asker, rules)
        except (IntentLspError, OSError) as problem:
            _log.exception("%s could not be judged", call.tool_name)
            question = self._facts.question(call, asker, rules, ())
            if rules.policy.fail_open:
                said = f"The call could not be judged: {problem}"
                allowed = Allowed(ScopeValidation.EXEMPT, (said,))
                return Admission(decision=allowed, intent_id=question.active_intent)
            return _refusing(question, unavailable(question, str(problem)))

    def record(self, ticket_id: str, *, error: str | None = None) -> Outcome | None:
        """Record what has become of a ticket's files; `error`: the call failed. None: unknown.

        A ticket that was recorded gives the same answer again.
        """
        state, now = self._stores.state, self._stores.clock()
        with self._held():
            known = None if state is None else state.tickets.ticket(ticket_id, now)
            if state is None or known is None:
                return None
            ticket, before = known
            if before is not None:
                return Outcome(recorded=before)
            found = self._events.found(ticket)
            event = self._events.event(ticket, found, error=error)
            appended = None
            if event is not None:
                appended = self._stores.ledger.append_or_queue(event)
            record = appended.record if isinstance(appended, Appended) else None
            recorded = Recorded(
                record_id=None if record is None else record.id,
                files=tuple((file.path, file.old, file.new) for file in found),
            )
            for file in found:
                self._note_read(ticket, file.path, file.new)
            recorded = state.tickets.end(ticket_id, recorded)
        queued = appended.reason if isinstance(appended, Queued) else None
        return Outcome(recorded=recorded, record=record, queued=queued)

    def read(
        self, session_id: str, agent_id: str, path: WorkspacePath, hash_: ContentHash | None
    ) -> None:
        """Note what an agent has read of a file (None: that there is none)."""
        row, state = self._sessions.row(session_id), self._stores.state
        if state is not None:
            turn = 1 if row is None else row.turn
            state.put_read(session_id, agent_id, path, ReadHash(hash_, turn))

    def close(self) -> None:
        """Let go of the lock's file."""
        if self._lock is not None:
            self._lock.close()

    def _held(self) -> AbstractContextManager[None]:
        return nullcontext() if self._lock is None else self._lock.held()

    def _given_before(self, asker: Asker, call: ToolCall) -> Admission | None:
        """Give the same answer to a call that its host has named before."""
        state = self._stores.state
        if state is None or call.tool_use_id is None:
            return None
        ticket = state.tickets.of_use(asker.session_id, asker.agent_id, call.tool_use_id)
        return None if ticket is None else _admission(ticket)

    def _admit(self, call: ToolCall, reading: CallReading, asker: Asker, rules: Rules) -> Admission:
        judged = reading.mutating and rules.governed
        files = self._facts.files(reading) if judged else ()
        question = self._facts.question(call, asker, rules, files)
        facts = self._facts.of_call(call, reading, asker, rules, files)
        decision = judge_call(question, facts)
        if isinstance(decision, Ask):
            decision = rejected(question, NOBODY_TO_ASK)
        asked = Asked(
            call=call, asker=asker, intent=rules.active(question.active_intent), files=files
        )
        if judged and isinstance(decision, Allowed):
            return self._issue(asked, decision)
        return Admission(
            decision=decision, intent_id=question.active_intent, files=ticket_files(asked)
        )

    def _issue(self, asked: Asked, decision: Allowed) -> Admission:
        now = self._stores.clock()
        ticket = ticket_of(asked, decision, ticket_id=self._stores.new_id(), at=timestamp(now))
        for file in asked.files:
            if file.data is not None:
                self._contents.keep(file.data)
        if self._stores.state is not None:
            self._stores.state.tickets.issue(ticket, now)
            return _admission(ticket)
        # Without a memory nothing can be recorded later: it is allowed, and that is said.
        forgetful = Allowed(decision.verdict, (*decision.warnings, NO_MEMORY))
        return replace(_admission(ticket), ticket=None, decision=forgetful)

    def _note_read(self, ticket: Ticket, path: WorkspacePath, hash_: ContentHash | None) -> None:
        if self._stores.state is not None:
            read = ReadHash(hash_, ticket.turn)
            self._stores.state.put_read(ticket.session_id, ticket.agent_id, path, read)


def _admission(ticket: Ticket) -> Admission:
    return Admission(
        decision=Allowed(ticket.verdict, ticket.warnings),
        intent_id=ticket.intent_id,
        mutation_class=ticket.mutation_class,
        files=ticket.files,
        ticket=ticket,
    )


def _refusing(question: Question, decision: Denied) -> Admission:
    return Admission(decision=decision, intent_id=question.active_intent)
