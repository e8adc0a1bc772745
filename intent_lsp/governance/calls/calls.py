"""Agents' calls: judged before they happen, recorded after (requirements sections 6 and 9).

Invariant: judged inside the root's lock, and claimed before it is let go.
Invariant: no person is waited for, and nothing but the ledger is written, while the lock is held.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from intent_lsp.core.agents.file_changes import FileChange
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.content import ContentHash
from intent_lsp.core.errors import IntentLspError, InvalidCallError, RequestLimitError
from intent_lsp.core.gate.approval import NO_ANSWER, ApprovalAnswer
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.gate import unavailable
from intent_lsp.core.gate.request import Allowed, Denied
from intent_lsp.core.paths import WorkspacePath, is_file_name
from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.tool_call import CallReading, looking, read_call
from intent_lsp.governance.calls.admission import CallDecision, warned
from intent_lsp.governance.calls.apply import CallApplier
from intent_lsp.governance.calls.authorize import NOT_COMPARED, CallAuthorizer
from intent_lsp.governance.calls.call_audit import CallAudit
from intent_lsp.governance.calls.outcome import Outcome
from intent_lsp.governance.calls.recorder import CallRecorder
from intent_lsp.governance.calls.unended_commands import UnendedCommands
from intent_lsp.governance.judging.call_request import Asker, Hearing
from intent_lsp.governance.rules import Rules, RulesCache
from intent_lsp.governance.sessions import Sessions
from intent_lsp.governance.stores import Stores
from intent_lsp.store.command_lists import command_lists
from intent_lsp.store.git.configured_programs import runs_programs
from intent_lsp.store.locks.root_lock import RootLock, holding
from intent_lsp.store.state.sessions_db import ReadHash

_log: Final = logging.getLogger(__name__)

UNREADABLE: Final = "the intents file cannot be read"
UNMADE: Final = "it could not be judged"
FILES_AT_MOST: Final = 10_000
"""Files of one record."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A change that was asked for: judged, and made if it may be; `problem`: why it was not."""

    admission: CallDecision
    outcome: Outcome | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call, and what a person has said of it."""

    session_id: str
    agent_id: str
    word: ApprovalAnswer = NO_ANSWER


class AgentCalls:
    """Judges, makes and records the calls of one root's agents.

    `failures` counts the calls that could not be judged, by a failure of ours.
    """

    def __init__(  # noqa: PLR0913 - each is a part of the desk that it needs
        self,
        *,
        stores: Stores,
        rules: RulesCache,
        sessions: Sessions,
        admitting: CallAuthorizer,
        recording: CallRecorder,
        applying: CallApplier,
        unended: UnendedCommands,
        news: CallAudit,
        lock: RootLock | None,
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._sessions = sessions
        self._admitting = admitting
        self._recording = recording
        self._applying = applying
        self._unended = unended
        self._news = news
        self._lock = lock
        self.failures = 0

    def admit(
        self, session_id: str, agent_id: str, call: ToolCall, word: ApprovalAnswer = NO_ANSWER
    ) -> CallDecision:
        """Judge a call, and give it a ticket if it may happen.

        What goes wrong on our side lets it pass, or refuses it where the team says so.
        """
        caller = Caller(session_id, agent_id, word)
        admission = self._judged(caller, call, partial(self._read, call), self._admitting.admit)
        if call.command is None or admission.ticket is None:
            return admission
        # Not under the lock: others need not wait for the work tree to be looked through.
        return self._begun(call, admission)

    def admit_change(
        self,
        session_id: str,
        agent_id: str,
        call: ToolCall,
        changes: Sequence[FileChange],
        word: ApprovalAnswer = NO_ANSWER,
    ) -> CallDecision:
        """Judge a change that an editor is to make, which is recorded when that is saved."""
        caller = Caller(session_id, agent_id, word)
        admit = partial(self._admitting.admit, by_save=True)
        return self._judged(caller, call, lambda _rules: _reading(changes), admit)

    def apply(
        self,
        session_id: str,
        agent_id: str,
        call: ToolCall,
        changes: Sequence[FileChange],
        word: ApprovalAnswer = NO_ANSWER,
    ) -> Applied:
        """Judge a change, make it and record it, all under one lock.

        Where governance is off and that blocks nothing, it is made without a record.
        """
        made: list[tuple[Outcome | None, str | None]] = []

        def admit(hearing: Hearing) -> CallDecision:
            admission = self._admitting.admit(hearing)
            if isinstance(admission.decision, Allowed):
                made.append(self._made(admission, changes))
            return admission

        caller = Caller(session_id, agent_id, word)
        admission = self._judged(caller, call, lambda _rules: _reading(changes), admit)
        # Where judging failed and that blocks nothing, it was not made all the same.
        unmade = UNMADE if isinstance(admission.decision, Allowed) else None
        outcome, problem = made[0] if made else (None, unmade)
        if outcome is not None:
            self._news.recorded(outcome)
        return Applied(admission, outcome, problem)

    def outcome(self, ticket_id: str) -> Outcome | None:
        """Give what has become of a ticket, once it has come to its end; None: it has not."""
        with holding(self._lock):
            if not self._recording.is_recorded(ticket_id):
                return None
            return self._recording.record(ticket_id)

    def record(self, ticket_id: str, *, error: str | None = None) -> Outcome | None:
        """Record what has become of a ticket's files; `error`: the call failed. None: unknown.

        A ticket that was recorded gives the same answer again.
        """
        compared = self._recording.compare(ticket_id)
        with holding(self._lock):
            outcome = self._recording.record(ticket_id, error=error, compared=compared)
        if outcome is not None:
            self._news.recorded(outcome)
        return outcome

    def explain(
        self, session_id: str, agent_id: str, call: ToolCall
    ) -> tuple[tuple[ExplainedRow, ...], CallDecision]:
        """Tell every row of the gate on a call, and what it would say; nothing is kept of it."""
        rules = self._rules.current()
        reading = _readable(call, partial(self._read, call, rules))
        hearing = self._hearing(Caller(session_id, agent_id), call, reading, rules)
        rows, admission = self._admitting.explain(hearing)
        if (cause := self._cause(reading, rules)) is not None:
            admission = _unavailable(call, cause)
        return rows, admission

    def read(
        self, session_id: str, agent_id: str, path: WorkspacePath, hash_: ContentHash | None
    ) -> None:
        """Note what an agent has read of a file (None: that there is none)."""
        state = self._stores.state
        if state is not None:
            row = self._sessions.row(session_id, agent_id)
            turn = 1 if row is None else row.turn
            state.put_read(session_id, agent_id, path, ReadHash(hash_, turn))

    def close(self) -> None:
        """Let go of the lock's file."""
        if self._lock is not None:
            self._lock.close()

    def _read(self, call: ToolCall, rules: Rules) -> CallReading:
        """Read a call; git that was configured to run programs may do more than to look."""
        reading = read_call(call, rules.policy, command_lists())
        if reading.mutating or not reading.git or not runs_programs(self._stores.git):
            return reading
        return looking(reading)

    def _cause(self, reading: CallReading, rules: Rules) -> str | None:
        """Tell what a call is refused for where the team wants no failure to pass."""
        if not reading.mutating or rules.policy.fail_open:
            return None
        return self._stores.problem() if rules.governed else rules.reason or UNREADABLE

    def _hearing(
        self, caller: Caller, call: ToolCall, reading: CallReading, rules: Rules
    ) -> Hearing:
        row = self._sessions.row(caller.session_id, caller.agent_id)
        return Hearing(
            call=call,
            reading=reading,
            asker=Asker(session_id=caller.session_id, agent_id=caller.agent_id, row=row),
            rules=rules,
            word=caller.word,
        )

    def _judged(
        self,
        caller: Caller,
        call: ToolCall,
        read: Callable[[Rules], CallReading],
        admit: Callable[[Hearing], CallDecision],
    ) -> CallDecision:
        """Judge under the lock; what goes wrong on our side is answered as the team wants it."""
        rules = self._rules.current()
        # Read before the lock is taken: others need not wait for a command to be parsed.
        reading = _readable(call, partial(read, rules))
        unended: tuple[Outcome, ...] = ()
        if reading.mutating and rules.governed:
            unended = self._unended.compare(caller.session_id, caller.agent_id)
        try:
            cause = self._cause(reading, rules)
            if cause is None:
                with holding(self._lock) as waited:
                    # Who had to wait judges by what governs now, and not by what did before.
                    now = self._rules.current() if waited else rules
                    admission = admit(self._hearing(caller, call, reading, now))
            else:
                _log.error("%s is refused: %s", call.tool_name, cause)
                admission = _unavailable(call, cause)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is not the agent's fault
            _log.exception("%s could not be judged", call.tool_name)
            self.failures += 1
            admission = self._failed(caller, call, reading, problem)
        self._news.judged(admission, caller.session_id, caller.agent_id)
        return replace(admission, before=unended)

    def _begun(self, call: ToolCall, admission: CallDecision) -> CallDecision:
        """Begin an admitted command; what goes wrong is answered as the team wants it."""
        try:
            return self._admitting.begin_command(admission)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is not the agent's fault
            _log.exception("what %s changes cannot be compared", call.tool_name)
            self.failures += 1
            if not self._rules.current().policy.fail_open:
                return _unavailable(call, str(problem))
            return warned(admission, NOT_COMPARED)

    def _failed(
        self, caller: Caller, call: ToolCall, reading: CallReading, problem: Exception
    ) -> CallDecision:
        """Answer a call that could not be judged as a whole.

        A part of it that can be judged, and may not happen, is refused whatever failed.
        """
        if not self._rules.current().policy.fail_open:
            return _unavailable(call, str(problem))
        for part in _parts(reading):
            refused = self._refused(caller, call, part)
            if refused is not None:
                return refused
        said = f"The call could not be judged: {problem}"
        return CallDecision(
            decision=Allowed(ScopeValidation.EXEMPT, (said,)),
            tool_name=call.tool_name,
            intent_id=call.intent_id,
            governed=False,
            failed=str(problem),
        )

    def _refused(self, caller: Caller, call: ToolCall, part: CallReading) -> CallDecision | None:
        """Judge a part of a call by itself; None: it may happen, or cannot be judged either."""
        try:
            hearing = self._hearing(caller, call, part, self._rules.current())
            judged = self._admitting.judge(hearing)
        except Exception:  # noqa: BLE001 - it was logged for the call as a whole
            return None
        if not isinstance(judged.decision, Denied):
            return None
        intent_id = judged.question.active_intent
        return CallDecision(decision=judged.decision, tool_name=call.tool_name, intent_id=intent_id)

    def _made(
        self, admission: CallDecision, changes: Sequence[FileChange]
    ) -> tuple[Outcome | None, str | None]:
        """Make a change that may be made, and record it; a call that came twice is made once."""
        ticket = admission.ticket
        if ticket is None:
            return None, self._applying.make(changes, ticket)
        made = admission.again and self._recording.is_recorded(ticket.id)
        problem = None if made else self._applying.make(changes, ticket)
        try:
            outcome = self._recording.record(ticket.id, error=problem)
        except IntentLspError:
            _log.exception("%s was made and could not be recorded", ticket.tool_name)
            return None, problem
        return outcome, problem if outcome is None else outcome.error


def _reading(changes: Sequence[FileChange]) -> CallReading:
    touched = dict.fromkeys(path for change in changes for path in change.touched)
    return CallReading(mutating=True, paths=tuple(touched))


def _readable(call: ToolCall, read: Callable[[], CallReading]) -> CallReading:
    """Read a call. Raises InvalidCallError, OverLimitError: nothing is let through unread."""
    try:
        reading = _within_limit(read())
    except RequestLimitError:
        raise
    except Exception as problem:
        _log.exception("a call could not be read")
        raise InvalidCallError(f"the call cannot be read: {problem}") from problem
    named = [touched.path for touched in (*reading.paths, *reading.perhaps)]
    for text in (*named, *call.paths, call.command or "", call.patch or ""):
        if not is_file_name(text):
            raise InvalidCallError(f"{text[:100]!r}: half a character, which no file's name has")
    return reading


def _parts(reading: CallReading) -> Iterator[CallReading]:
    """Give a call once for what holds whatever it changes, and once for each of its paths."""
    if reading.mutating:
        yield replace(reading, paths=(), perhaps=())
        for touched in reading.paths:
            yield replace(reading, paths=(touched,), perhaps=())
        for touched in reading.perhaps:
            yield replace(reading, paths=(), perhaps=(touched,))


def _within_limit(reading: CallReading) -> CallReading:
    if len(reading.paths) + len(reading.perhaps) > FILES_AT_MOST:
        raise RequestLimitError(what="the files that the call names", limit=FILES_AT_MOST)
    return reading


def _unavailable(call: ToolCall, cause: str) -> CallDecision:
    return CallDecision(
        decision=unavailable(cause, ()), tool_name=call.tool_name, intent_id=call.intent_id
    )
