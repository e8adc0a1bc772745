"""The requests about agents' tool calls: turns, reads, validation, records (protocol section 2).

Invariant: a refused call is a normal result, not an error response.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.core.errors import InvalidCallError
from intent_lsp.core.findings import Position
from intent_lsp.core.gate.request import ApprovalAnswer, Denied
from intent_lsp.core.text import some_of
from intent_lsp.doors.lsp.connection.connection import Connection
from intent_lsp.doors.lsp.diagnostics.lsp_convert import uri_of
from intent_lsp.doors.lsp.protocol.positions import ClientPosition, from_client
from intent_lsp.doors.lsp.requests.approval import ApprovalPrompt
from intent_lsp.doors.lsp.requests.editor_edits import EditorEdits, paths_of
from intent_lsp.doors.lsp.requests.workspace_lookup import RootLookup, session_of
from intent_lsp.doors.lsp.runtime.open_root import OpenRoot
from intent_lsp.doors.lsp.wire.answers import DID_DENY, JsonObject, refused
from intent_lsp.doors.lsp.wire.names import RequestName
from intent_lsp.formats.params.calls import (
    ApplyParams,
    ExplainParams,
    ReadParams,
    RecordParams,
    ToolCallParams,
)
from intent_lsp.formats.params.read import read_params
from intent_lsp.formats.params.requests import CommonParams, WirePosition
from intent_lsp.formats.result_json import explained_json
from intent_lsp.governance.calls.admission import Applied, CallDecision, Outcome
from intent_lsp.governance.calls.call_answers import (
    applied_json,
    call_json,
    judgement_json,
    not_governed_json,
    outcome_json,
)
from intent_lsp.governance.calls.calls import unknown_ticket
from intent_lsp.governance.root.asking_agents import LSP

_NAMED: Final = 3
"""At most so many files are named in a message; the others are counted."""

COULD_NOT_JUDGE: Final = (
    "intent-lsp: an agent's call of {tool} could not be checked and was allowed: {problem}. Further"
    " ones are only counted, in the status. To refuse them, set `fail_open: false` in the policy."
)

TOLD_WITHIN: Final = 0.5
"""The longest wait for an idle moment, in seconds, before queued audit events are written."""


class AgentRequests:
    """Answers agents' requests on one connection."""

    def __init__(self, connection: Connection, finder: RootLookup, asking: ApprovalPrompt) -> None:
        self._connection = connection
        self._in_thread = connection.work.in_thread
        self._finder = finder
        self._asking = asking
        self._finish = connection.finish
        self._deferred: set[Path] = set()
        self._failed: set[Path] = set()

    async def begin_turn(self, open_root: OpenRoot, params: CommonParams) -> JsonObject:
        """Answer `intent/beginTurn`: begin the next turn of the asking agent.

        The answer has the turn's number and its stage, such as `checkout_required`.

        The agent's claims end: the saves that these delayed are recorded. If the end of a command
        of the agent was not reported, what the command changed is recorded, too.
        """
        begin = open_root.governance.begin_turn
        await self._in_thread(open_root.governance.heard.note, LSP, RequestName.BEGIN_TURN)
        session = session_of(params, open_root)
        row, ended = await self._in_thread(begin, session.id, session.agent_id)
        for outcome in ended:
            self._tell_record(open_root, outcome)
        # The agent's claims have ended: the saves that they held back are recorded as the editor's.
        await self._connection.outcomes.release(open_root)
        return {"turn": row.turn, "stage": row.stage}

    async def record_read(self, given: object) -> JsonObject:
        """Answer `intent/recordRead`: note which content of a file an agent has read.

        The content is given by its hash. If the params have none, hash the file on disk now; the
        answer's hash is null if there is no file. Raise InvalidCallError if the file cannot be
        read.
        """
        params = read_params(given, ReadParams)
        hash_ = params.hash_read()
        open_root = await self._finder.open_root(params)
        path = await self._in_thread(open_root.governance.path_named, params)
        session, calls = session_of(params, open_root), open_root.governance.calls
        if hash_ is None:
            try:
                hash_ = await self._in_thread(calls.read_now, session.id, session.agent_id, path)
            except OSError as problem:
                why = f"{path} cannot be read ({problem.strerror}): send the hash of what was read"
                raise InvalidCallError(why) from problem
        else:
            await self._in_thread(calls.read, session.id, session.agent_id, path, hash_)
        return {"path": path, "uri": uri_of(open_root.governance.root / path), "hash": hash_}

    async def validate_edit(self, given: object) -> JsonObject:
        """Answer `intent/validateEdit`: judge a tool call before it happens.

        If the decision is Ask, ask a person, and judge with the answer. If no root governs the
        workspace, answer not governed.
        """
        params = read_params(given, ToolCallParams)
        call = params.call()
        found = await self._finish(self._judged_at_once(params, call))
        if found is None:
            return not_governed_json()
        open_root, admission = found
        session, admit = session_of(params, open_root), open_root.governance.calls.admit

        async def judge(word: ApprovalAnswer) -> CallDecision:
            admission = await self._in_thread(admit, session.id, session.agent_id, call, word)
            self._tell(open_root, admission)
            return admission

        admission = await self._asking.settled(open_root, session.id, admission, judge)
        return call_json(admission, open_root.governance.root)

    async def record_edit(self, given: object) -> JsonObject:
        """Answer `intent/recordEdit`: record what a call changed.

        Raise JsonRpcException for an unknown ticket, or if no root governs the workspace.
        """
        params = read_params(given, RecordParams)
        open_root = await self._finder.find(params)
        if open_root is None:
            raise refused(unknown_ticket(params.ticket))
        record = open_root.governance.calls.record
        outcome = await self._in_thread(record, params.ticket, error=params.failure())
        if outcome is None:
            raise refused(unknown_ticket(params.ticket))
        self._tell_record(open_root, outcome)
        violations = await self._in_thread(open_root.governance.violations.of, outcome)
        return outcome_json(outcome, violations, open_root.governance.root)

    async def apply_edit(self, given: object) -> JsonObject:
        """Answer `intent/applyEdit`: judge a change and, if allowed, make it.

        If the decision is Ask, ask a person, and judge with the answer. A change that gets a ticket
        is recorded. If one of the files is open, the editor makes the whole change, and the change
        is recorded when the editor saves.
        """
        params = read_params(given, ApplyParams)
        call, changes = params.call(), params.changes(self._place_of)
        open_root = await self._finder.of_edit(params, changes[0].path)
        session = session_of(params, open_root)
        asker = session.id, session.agent_id
        apply = open_root.governance.calls.apply
        await self._in_thread(open_root.governance.heard.note, LSP, RequestName.APPLY_EDIT)

        async def judge(word: ApprovalAnswer) -> Applied:
            # Looked up at each attempt: documents open and close while a person is being asked.
            opened = self._connection.tracked_documents.open_at(open_root, paths_of(changes))
            if opened:
                editing = EditorEdits(self._connection, open_root, opened)
                done = await editing.apply(asker, call, changes, word)
                self._tell(open_root, done.admission)
            else:
                done = await self._in_thread(apply, *asker, call, changes, word)
                self._tell_refusal(open_root, done.admission)
            if done.outcome is not None:
                self._tell_record(open_root, done.outcome)
            return done

        applied = await self._finish(judge(self._asking.first_word()))
        applied = await self._asking.settled(open_root, session.id, applied, judge)
        return applied_json(applied, open_root.governance.root)

    async def explain(self, open_root: OpenRoot, params: ExplainParams) -> JsonObject:
        """Answer `intent/explain`: every check of the gate, for a tool call or for a path.

        A path without a tool name is judged as a save if the connection's own session asks, else as
        a write by the agent. Nothing is stored.
        """
        session, root = session_of(params, open_root), open_root.governance.root
        if params.tool_name is None:
            path = await self._in_thread(open_root.governance.path_named, params)
            if session == open_root.session:
                explain_save = open_root.governance.explain_save
                rows, judgement = await self._in_thread(explain_save, session.id, path)
                return explained_json(rows, judgement_json(judgement, uri_of(root / path)))
        call = params.call()
        explain = open_root.governance.calls.explain
        rows, admission = await self._in_thread(explain, session.id, session.agent_id, call)
        return explained_json(rows, call_json(admission, root))

    def _place_of(self, lines: Sequence[str], at: WirePosition) -> Position:
        encoding = self._connection.spelling.encoding
        return from_client(lines, ClientPosition(at.line, at.character), encoding)

    async def _judged_at_once(
        self, params: CommonParams, call: ToolCall
    ) -> tuple[OpenRoot, CallDecision] | None:
        """Judge a call. Return the root that governs it and the decision, or None if no root does.

        Report a denial or a failed judgement to the client. Root and decision are computed in a
        single thread job, because handing work to a thread takes as long as judging.
        """
        word = self._asking.first_word()

        def judged() -> tuple[OpenRoot, CallDecision] | None:
            open_root = self._finder.governance(params)
            if open_root is None:
                return None
            open_root.governance.heard.note(LSP, RequestName.VALIDATE_EDIT)
            session = session_of(params, open_root)
            admit = open_root.governance.calls.admit
            return open_root, admit(session.id, session.agent_id, call, word)

        found = await self._in_thread(judged)
        if found is not None:
            await self._connection.announce_root(found[0])
            self._tell(*found)
        return found

    def _tell(self, open_root: OpenRoot, admission: CallDecision) -> None:
        """Report to the client a denial or a failed judgement.

        Also report the records that were made before the decision `admission`. Take new snapshots
        of the open files that a new ticket claims.
        """
        self._tell_refusal(open_root, admission)
        if admission.ticket is not None and not admission.again:
            self._connection.outcomes.claimed(open_root, [file.path for file in admission.files])

    def _tell_refusal(self, open_root: OpenRoot, admission: CallDecision) -> None:
        self._tell_the_rest(open_root)
        for outcome in admission.before:
            self._tell_record(open_root, outcome)
        people = self._connection.people
        if admission.failed is not None and open_root.governance.root not in self._failed:
            self._failed.add(open_root.governance.root)
            people.warn(COULD_NOT_JUDGE.format(tool=admission.tool_name, problem=admission.failed))
        if (
            people.takes_notifications
            and isinstance(admission.decision, Denied)
            and not admission.again
        ):
            told = call_json(admission, open_root.governance.root)
            people.notify(DID_DENY, {**told, "toolName": admission.tool_name})

    def _tell_the_rest(self, open_root: OpenRoot) -> None:
        """Schedule the writing of a root's queued audit events, and then a check for changed rules.

        Both happen at an idle moment, or after half a second, so that no answer waits for them.
        """
        root, work = open_root.governance.root, self._connection.work
        if root in self._deferred:
            return
        self._deferred.add(root)

        async def write_later() -> None:
            await work.idle_scheduler.wait_until_idle(TOLD_WITHIN)
            self._deferred.discard(root)
            await work.in_thread(open_root.governance.unreported.write)
            await self._connection.rules_may_have_changed(open_root)

        work.begin(write_later())

    def _tell_record(self, open_root: OpenRoot, outcome: Outcome) -> None:
        """Report a call's records to the client, and schedule an examination of changed files.

        Warn the person of uncommitted changes of files that the call has discarded.
        """
        what = f"an agent called the tool {outcome.ticket.tool_name}"
        self._connection.outcomes.recorded(open_root, what, outcome.record, outcome.queued)
        for record in outcome.beside:
            self._connection.outcomes.recorded(open_root, what, record, None)
        if outcome.discarded and not outcome.again:
            named = some_of([draft.path for draft in outcome.discarded], _NAMED)
            self._connection.people.warn(
                f"intent-lsp: {outcome.ticket.tool_name} discarded uncommitted changes in {named}."
                " To get them back, choose the quick fix “Restore draft of …” there, or run"
                " “Intent: Restore a Refused Text…” in VS Code."
            )
        paths = [open_root.governance.root / path for path, _, _ in outcome.recorded.files]
        self._connection.files_written(frozenset(map(str, paths)))
