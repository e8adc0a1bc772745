"""Judging a call: read before the root's lock is taken, then judged under it.

Invariant: a call that cannot be read is never allowed. If judging fails, the policy decides.
Invariant: an internal error never allows a part of a call that can be judged and is denied.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.errors import InvalidCallError, RequestLimitError
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.gate import unavailable
from intent_lsp.core.gate.request import NO_ANSWER, Allowed, ApprovalAnswer, Denied
from intent_lsp.core.paths import is_file_name
from intent_lsp.core.records import ScopeValidation
from intent_lsp.formats.tool_call import CallReading, looking, read_call
from intent_lsp.governance.calls.admission import CallDecision, Outcome, warned
from intent_lsp.governance.calls.authorize import NOT_COMPARED, CallAuthorizer
from intent_lsp.governance.calls.unended_commands import UnendedCommands
from intent_lsp.governance.judging.call_facts import Hearing
from intent_lsp.governance.root.rules import Rules
from intent_lsp.governance.root.sessions import Asker, Sessions
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.git.configured_programs import runs_programs
from intent_lsp.store.locks.root_lock import holding
from intent_lsp.store.packaged_files import command_lists, tool_lists

_log: Final = logging.getLogger(__name__)

FILES_AT_MOST: Final = 10_000
"""The most files that one call may name."""

UNREADABLE: Final = "the intents file cannot be read"


class Caller(Struct, frozen=True):
    """The agent that makes a call, and a person's answer to an approval request (`word`)."""

    session_id: str
    agent_id: str
    word: ApprovalAnswer = NO_ANSWER


class CallJudging(Struct, kw_only=True):
    """Judges the calls of one root's agents.

    On an internal error, the policy decides whether a call is allowed or denied. `failures` counts
    these errors.
    """

    stores: Stores
    sessions: Sessions
    admitting: CallAuthorizer
    commands: UnendedCommands
    failures: int = 0

    def judge(
        self,
        caller: Caller,
        call: ToolCall,
        reading: CallReading,
        admit: Callable[[Hearing], CallDecision],
    ) -> CallDecision:
        """Judge a call under the root's lock. On an internal error, the policy allows or denies it.

        If the call may change governed files, the agent's open commands are compared first
        (`UnendedCommands.compare`). A call that may change files is refused unjudged if the intents
        file cannot be used, or if a session database exists and cannot be used. Under a fail-open
        policy it is judged. `reading` is the parsed call; `admit` decides on it.
        """
        rules = self.stores.rules.current()
        unended: tuple[Outcome, ...] = ()
        if reading.mutating and rules.governed:
            # This takes the lock itself, which is not reentrant, so it must come before the lock is
            # held.
            unended = self.commands.compare(caller.session_id, caller.agent_id)
        try:
            cause = self._cause(reading, rules)
            if cause is None:
                with holding(self.stores.gate_lock) as waited:
                    # The rules may have changed while this call waited for the lock.
                    now = self.stores.rules.current() if waited else rules
                    admission = admit(self._hearing(caller, call, reading, now))
            else:
                _log.error("%s is refused: %s", call.tool_name, cause)
                admission = _unavailable(call, cause)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is not the agent's fault
            _log.exception("%s could not be judged", call.tool_name)
            self.failures += 1
            admission = self._failed(caller, call, reading, problem)
        self.commands.audit.judged(admission, caller.session_id, caller.agent_id)
        return replace(admission, before=unended)

    def begin(self, call: ToolCall, admission: CallDecision) -> CallDecision:
        """Store a snapshot of the work tree before an allowed command runs; return the decision.

        On an internal error, the returned decision allows the call with a warning or denies it, as
        the policy says.
        """
        try:
            return self.admitting.begin_command(admission)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is not the agent's fault
            _log.exception("what %s changes cannot be compared", call.tool_name)
            self.failures += 1
            if not self.stores.rules.current().policy.fail_open:
                return _unavailable(call, str(problem))
            return warned(admission, NOT_COMPARED)

    def explain(
        self, caller: Caller, call: ToolCall, reading: CallReading
    ) -> tuple[tuple[ExplainedRow, ...], CallDecision]:
        """Return every check of the gate on a call, and the decision. Nothing is stored."""
        rules = self.stores.rules.current()
        hearing = self._hearing(caller, call, reading, rules)
        rows, admission = self.admitting.explain(hearing)
        if (cause := self._cause(reading, rules)) is not None:
            admission = _unavailable(call, cause)
        return rows, admission

    def _cause(self, reading: CallReading, rules: Rules) -> str | None:
        """Return why a call has to be refused without judging it.

        Return None if the call can be judged, changes no file, or the policy is fail-open.
        """
        if not reading.mutating or rules.policy.fail_open:
            return None
        return self.stores.problem() if rules.governed else rules.reason or UNREADABLE

    def _hearing(
        self, caller: Caller, call: ToolCall, reading: CallReading, rules: Rules
    ) -> Hearing:
        row = self.sessions.row(caller.session_id, caller.agent_id)
        return Hearing(
            call=call,
            reading=reading,
            asker=Asker(session_id=caller.session_id, agent_id=caller.agent_id, row=row),
            rules=rules,
            word=caller.word,
        )

    def _failed(
        self, caller: Caller, call: ToolCall, reading: CallReading, problem: Exception
    ) -> CallDecision:
        """Return the decision on a call that could not be judged because of the error `problem`.

        With a fail-open policy the call is allowed, unless one of its parts can be judged by itself
        and is denied. With any other policy it is refused.
        """
        if not self.stores.rules.current().policy.fail_open:
            return _unavailable(call, str(problem))
        for part in _parts_of(reading):
            refused = self._refused(caller, call, part)
            if refused is not None:
                return refused
        said = f"Judging the call failed, so it is allowed (fail_open is true): {problem}"
        return CallDecision(
            decision=Allowed(ScopeValidation.EXEMPT, (said,)),
            tool_name=call.tool_name,
            intent_id=call.intent_id,
            governed=False,
            failed=str(problem),
        )

    def _refused(self, caller: Caller, call: ToolCall, part: CallReading) -> CallDecision | None:
        """Judge one part of a call.

        Return its refusal, or None if it is allowed, a person would be asked, or judging fails.
        """
        try:
            hearing = self._hearing(caller, call, part, self.stores.rules.current())
            judged = self.admitting.judge(hearing)
        except Exception:  # noqa: BLE001 - it was logged for the call as a whole
            return None
        if not isinstance(judged.decision, Denied):
            return None
        intent_id = judged.question.active_intent
        return CallDecision(decision=judged.decision, tool_name=call.tool_name, intent_id=intent_id)


def read_tool_call(call: ToolCall, stores: Stores) -> CallReading:
    """Return the reading of a call: the paths that it would or may change, and how.

    A read-only git command counts as one that may change files if git may run other programs, or if
    the root has no git repository, so that git's settings are unknown. Raise InvalidCallError if
    the call cannot be parsed, or has a path that no file can have. Raise RequestLimitError if it
    names too many files.
    """
    try:
        lists = tool_lists() if call.command is None else command_lists()
        reading = read_call(call, stores.rules.current().policy, lists)
        if not reading.mutating and reading.git and runs_programs(stores.git):
            reading = looking(reading)
    except Exception as problem:
        _log.exception("a call could not be read")
        raise InvalidCallError(f"the call cannot be parsed: {problem}") from problem
    return _checked(call, reading)


def read_changes(call: ToolCall, changes: Sequence[FileChange]) -> CallReading:
    """Return the reading of a call that states its file changes itself.

    Raise the same errors as `read_tool_call`.
    """
    touched = dict.fromkeys(path for change in changes for path in change.touched)
    return _checked(call, CallReading(mutating=True, paths=tuple(touched)))


def _unavailable(call: ToolCall, cause: str) -> CallDecision:
    return CallDecision(
        decision=unavailable(cause, ()), tool_name=call.tool_name, intent_id=call.intent_id
    )


def _checked(call: ToolCall, reading: CallReading) -> CallReading:
    """Return the reading of a call, checked.

    Raise InvalidCallError if a path, its command or its patch has a lone surrogate that stands for
    no byte of a file name; RequestLimitError if it names too many files.
    """
    if len(reading.paths) + len(reading.perhaps) > FILES_AT_MOST:
        raise RequestLimitError(problem="the call names too many files", limit=FILES_AT_MOST)
    named = [touched.path for touched in (*reading.paths, *reading.perhaps)]
    for text in (*named, *call.paths, call.command or "", call.patch or ""):
        if not is_file_name(text):
            name = text[:100]
            raise InvalidCallError(
                f"{name!r} has half of a character (a lone surrogate), which no file name has"
            )
    return reading


def _parts_of(reading: CallReading) -> Iterator[CallReading]:
    """Yield the parts of a changing call: the call without paths, then with each path alone.

    A read-only call has no parts.
    """
    if reading.mutating:
        yield replace(reading, paths=(), perhaps=())
        for touched in reading.paths:
            yield replace(reading, paths=(touched,), perhaps=())
        for touched in reading.perhaps:
            yield replace(reading, paths=(), perhaps=(touched,))
