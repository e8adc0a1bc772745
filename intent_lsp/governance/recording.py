"""Recording what has become of an agent's call (requirements section 9, ledger section 1).

Invariant: what is recorded is what is found on disk, under the verdict that the ticket holds.
Invariant: whoever calls this holds the root's lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from intent_lsp.core.records import Record, ScopeValidation
from intent_lsp.core.tickets import Recorded, Ticket
from intent_lsp.governance.call_events import CallEvents, FoundFile
from intent_lsp.governance.call_facts import denied_path
from intent_lsp.governance.contents import Contents
from intent_lsp.governance.grants import Grants
from intent_lsp.governance.rules import RulesCache
from intent_lsp.governance.stores import Stores
from intent_lsp.governance.work_tree import WorkTree
from intent_lsp.store.ledger import Appended, Queued
from intent_lsp.store.state import ReadHash


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a ticket; `record` is None where none was made, or it was made before.

    `queued` says why a record waits. `again`: it was told of before.
    """

    ticket: Ticket
    recorded: Recorded
    record: Record | None = None
    queued: str | None = None
    error: str | None = None
    again: bool = False


class Recording:
    """Records the calls of one root's agents."""

    def __init__(
        self,
        *,
        stores: Stores,
        rules: RulesCache,
        contents: Contents,
        grants: Grants,
        work_tree: WorkTree,
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._grants = grants
        self._work_tree = work_tree
        self._events = CallEvents(stores=stores, contents=contents)

    def record(self, ticket_id: str, *, error: str | None = None) -> Outcome | None:
        """Record what has become of a ticket's files; `error`: the call failed. None: unknown.

        A ticket that was recorded gives the same answer again.
        """
        state, now = self._stores.state, self._stores.clock()
        known = None if state is None else state.tickets.ticket(ticket_id, now)
        if state is None or known is None:
            return None
        ticket, before = known
        if before is not None:
            return Outcome(ticket=ticket, recorded=before, again=True)
        found, compared = self._found(ticket)
        event = None
        if not compared or found or error is not None:
            verdict = self._verdict(ticket, found)
            event = self._events.event(ticket, found, error=error, verdict=verdict)
        appended = None if event is None else self._stores.ledger.append_or_queue(event)
        record = appended.record if isinstance(appended, Appended) else None
        recorded = Recorded(
            record_id=None if record is None else record.id,
            files=tuple((file.path, file.old, file.new) for file in found),
        )
        for file in found:
            read = ReadHash(file.new, ticket.turn)
            state.put_read(ticket.session_id, ticket.agent_id, file.path, read)
        return Outcome(
            ticket=ticket,
            recorded=state.tickets.end(ticket_id, recorded),
            record=record,
            queued=appended.reason if isinstance(appended, Queued) else None,
            error=error,
        )

    def is_recorded(self, ticket_id: str) -> bool:
        """Whether a ticket has come to its end."""
        state = self._stores.state
        known = None if state is None else state.tickets.ticket(ticket_id, self._stores.clock())
        return known is not None and known[1] is not None

    def _found(self, ticket: Ticket) -> tuple[tuple[FoundFile, ...], bool]:
        """Read the ticket's files, and find those that it could not name.

        Whether all that it changed is among them: else none is no sign that nothing changed.
        """
        named = self._events.found(ticket)
        changed = None if ticket.tree is None else self._work_tree.changes(ticket.tree)
        if changed is None:
            return named, bool(named)
        known = {file.path for file in named} | {file.ticket.previous for file in named}
        others = (self._events.found_besides(file) for file in changed if file.path not in known)
        return (*named, *others), True

    def _verdict(self, ticket: Ticket, found: Sequence[FoundFile]) -> ScopeValidation:
        """Judge what nobody named by the files that were found changed (section 6)."""
        besides = [file.path for file in found if file.besides]
        if not besides:
            return ticket.verdict
        rules = self._rules.current()
        scope = self._grants.scope_of(rules, rules.active(ticket.intent_id))
        fine = all(
            scope.covers(path) and not any(denied_path(rules.policy, path)) for path in besides
        )
        return ScopeValidation.PASS if fine else ScopeValidation.FAIL
