"""The requests by which agents are held to their intent (protocol section 2).

Invariant: a refusal is an answer; an error is what cannot be judged.
"""

from collections.abc import Awaitable, Callable, Mapping

from intent_lsp.core.codes import RequestCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.question import Denied
from intent_lsp.doors.lsp.attached import Attached
from intent_lsp.doors.lsp.call_wire import (
    ReadParams,
    RecordParams,
    ToolCallParams,
    admission_wire,
    hash_param,
    not_governed_wire,
    outcome_wire,
)
from intent_lsp.doors.lsp.connection import Connection
from intent_lsp.doors.lsp.finder import Finder
from intent_lsp.doors.lsp.params import failed, path_below, read, session_named
from intent_lsp.doors.lsp.types import uri_of
from intent_lsp.doors.lsp.wire import DID_DENY, DID_TRACE, Common, Wire, trace_wire
from intent_lsp.governance.calls import Outcome


class AgentRequests:
    """Answers the requests of the agents on one connection."""

    def __init__(self, connection: Connection, finder: Finder) -> None:
        self._connection = connection
        self._in_thread = connection.workplace.work.in_thread
        self._finder = finder

    def table(self) -> Mapping[str, Callable[[object], Awaitable[Wire]]]:
        """Give each request by its name without `intent/`."""
        return {
            "beginTurn": self.begin_turn,
            "recordRead": self.record_read,
            "validateEdit": self.validate_edit,
            "recordEdit": self.record_edit,
        }

    async def begin_turn(self, given: object) -> Wire:
        """Answer `intent/beginTurn`."""
        params = read(given, Common)
        attached = await self._finder.attached(params)
        session = session_named(params, attached)
        row = await self._in_thread(attached.desk.sessions.begin_turn, session)
        return {"turn": row.turn, "stage": row.stage}

    async def record_read(self, given: object) -> Wire:
        """Answer `intent/recordRead`; without a hash, the disk is read now."""
        params = read(given, ReadParams)
        hash_ = hash_param("hash", params.hash)
        attached = await self._finder.attached(params)
        path = path_below(params, attached)
        session, agent = _asker(params, attached)

        def note() -> ContentHash | None:
            desk = attached.desk
            known = desk.contents.hash_of(path) if params.hash is None else hash_
            desk.calls.read(session, agent, path, known)
            return known

        known = await self._in_thread(note)
        return {"path": path, "uri": uri_of(attached.desk.root / path), "hash": known}

    async def validate_edit(self, given: object) -> Wire:
        """Answer `intent/validateEdit`: judge a call before it happens."""
        params = read(given, ToolCallParams)
        call = params.call()
        attached = await self._finder.find(params)
        if attached is None:
            return not_governed_wire()
        session, agent = _asker(params, attached)
        admission = await self._in_thread(attached.desk.calls.admit, session, agent, call)
        told = admission_wire(admission, attached.desk.root)
        if isinstance(admission.decision, Denied):
            self._connection.people.notify(DID_DENY, {**told, "toolName": call.tool_name})
        return told

    async def record_edit(self, given: object) -> Wire:
        """Answer `intent/recordEdit`: record what has become of a call."""
        params = read(given, RecordParams)
        attached = await self._finder.find(params)
        outcome = None if attached is None else await self._recorded(attached, params)
        if attached is None or outcome is None:
            said = f"No ticket {params.ticket} was given here within the last 24 hours."
            raise failed(RequestCode.TICKET_UNKNOWN, said, {"ticket": params.ticket})
        if outcome.record is not None:
            self._connection.people.notify(DID_TRACE, trace_wire(outcome.record))
        return outcome_wire(outcome, attached.desk.root)

    async def _recorded(self, attached: Attached, params: RecordParams) -> Outcome | None:
        error = None if params.success else params.error or "it failed"
        return await self._in_thread(attached.desk.calls.record, params.ticket, error=error)


def _asker(params: Common, attached: Attached) -> tuple[str, str]:
    return session_named(params, attached), params.agent_id or ""
