"""Calls of agents: judged before they happen, carried out if asked for, and recorded afterwards.

Specified in requirements sections 6 and 9, and in protocol section 2.

Invariant: a call that gets a ticket was judged under the root's lock, and its files are claimed
before the lock is released.
Invariant: while the lock is held, nobody waits for a person.
Invariant: if one file of an agent's change cannot be changed, the changes of the others are undone,
as far as possible. With a ticket, nothing is written if a file no longer has the judged content.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.agents.tools import FileChange, ToolCall
from intent_lsp.core.codes import RequestCode
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.content import ContentHash, decode, hash_if_there
from intent_lsp.core.errors import IntentLspError
from intent_lsp.core.gate.explain import ExplainedRow
from intent_lsp.core.gate.request import NO_ANSWER, Allowed, ApprovalAnswer
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.governance.calls.admission import Applied, CallDecision, Outcome
from intent_lsp.governance.calls.call_judging import (
    Caller,
    CallJudging,
    read_changes,
    read_tool_call,
)
from intent_lsp.governance.calls.unended_commands import UnendedCommands
from intent_lsp.governance.contents.contents import Contents
from intent_lsp.governance.judging.call_facts import Hearing
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.stores import Stores
from intent_lsp.store.fs.files import read_bytes
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.fs.transaction import WorkFile, change_files
from intent_lsp.store.locks.root_lock import holding
from intent_lsp.store.state.sessions_db import ReadHash

_log: Final = logging.getLogger(__name__)

UNMADE: Final = "an internal error kept the server from judging the call; its log names the error"


class AgentCalls(Struct, frozen=True, kw_only=True):
    """Judges, applies and records the calls of one root's agents."""

    stores: Stores
    contents: Contents
    judging: CallJudging
    commands: UnendedCommands

    def admit(
        self, session_id: str, agent_id: str, call: ToolCall, word: ApprovalAnswer = NO_ANSWER
    ) -> CallDecision:
        """Judge a call, and issue a ticket if it is allowed and may change governed files.

        Without a session database there is no ticket. With a command's ticket, a snapshot of the
        work tree is stored. `word` is a person's answer to an approval request. On an internal
        error, the policy decides whether the call is allowed or denied. Raise the errors of
        `read_tool_call`.
        """
        # Parsed before the lock is taken, so that other callers need not wait for it.
        reading = read_tool_call(call, self.stores)
        caller = Caller(session_id, agent_id, word)
        admission = self.judging.judge(caller, call, reading, self.judging.admitting.admit)
        if call.command is None or admission.ticket is None:
            return admission
        # Not under the lock, so that others need not wait while the work tree is read.
        return self.judging.begin(call, admission)

    def admit_change(
        self,
        session_id: str,
        agent_id: str,
        call: ToolCall,
        changes: Sequence[FileChange],
        word: ApprovalAnswer = NO_ANSWER,
    ) -> CallDecision:
        """Judge a change that an editor is going to make; its save is recorded under the ticket.

        `word` is a person's answer to an approval request. Raise the same errors as `admit`.
        """
        caller = Caller(session_id, agent_id, word)
        admit = partial(self.judging.admitting.admit, by_save=True)
        return self.judging.judge(caller, call, read_changes(call, changes), admit)

    def apply(
        self,
        session_id: str,
        agent_id: str,
        call: ToolCall,
        changes: Sequence[FileChange],
        word: ApprovalAnswer = NO_ANSWER,
    ) -> Applied:
        """Judge a change, write it to disk and record it, all under one lock.

        `word` is a person's answer to an approval request. If the call is allowed without a ticket
        (governance is off, or tickets cannot be stored), the change is written without a record. If
        the call is refused, nothing is written. If judging fails, nothing is written either, even
        if the policy then allows the call. Raise the same errors as `admit`.
        """
        made: list[tuple[Outcome | None, str | None]] = []

        def admit(hearing: Hearing) -> CallDecision:
            # This runs under the lock, so that no file can change between the decision and the
            # write.
            admission = self.judging.admitting.admit(hearing)
            if isinstance(admission.decision, Allowed):
                made.append(self._made(admission, changes))
            return admission

        caller = Caller(session_id, agent_id, word)
        admission = self.judging.judge(caller, call, read_changes(call, changes), admit)
        # If judging failed and the policy let the call pass, the change was still not written.
        unmade = UNMADE if isinstance(admission.decision, Allowed) else None
        outcome, problem = made[0] if made else (None, unmade)
        if outcome is not None:
            self.commands.audit.recorded(outcome)
        return Applied(admission, outcome, problem)

    def outcome(self, ticket_id: str) -> Outcome | None:
        """Return the outcome recorded for a ticket; None if the ticket is unknown or unrecorded."""
        with holding(self.stores.gate_lock):
            if not self.commands.recording.is_recorded(ticket_id):
                return None
            return self.commands.recording.record(ticket_id)

    def record(
        self, ticket_id: str, *, error: str | None = None, by_person: bool = False
    ) -> Outcome | None:
        """Record what a ticket's call changed; `error`: why the call failed.

        `by_person`: a person changed the agent's text before it was written. Return None for an
        unknown ticket or without a session database. If the ticket is already recorded, return the
        stored result with `again` set.
        """
        outcome = self.commands.recording.end(ticket_id, error=error, by_person=by_person)
        if outcome is not None:
            self.commands.audit.recorded(outcome)
        return outcome

    def asker_of(self, ticket_id: str) -> tuple[str, str] | None:
        """Return the ids of the session and subagent that made a ticket's call; None if unknown.

        The subagent's id is "" for the main agent.
        """
        state = self.stores.state
        found = None if state is None else state.tickets.ticket(ticket_id, self.stores.clock())
        return None if found is None else (found[0].session_id, found[0].agent_id)

    def explain(
        self, session_id: str, agent_id: str, call: ToolCall
    ) -> tuple[tuple[ExplainedRow, ...], CallDecision]:
        """Return every check of the gate on a call, and the decision. Nothing is stored.

        Raise the same errors as `admit`.
        """
        caller = Caller(session_id, agent_id)
        return self.judging.explain(caller, call, read_tool_call(call, self.stores))

    def read(
        self, session_id: str, agent_id: str, path: WorkspacePath, hash_: ContentHash | None
    ) -> None:
        """Note that an agent has read a file with this hash; `hash_` None: there was no file."""
        state = self.stores.state
        if state is not None:
            row = self.judging.sessions.row(session_id, agent_id)
            turn = 1 if row is None else row.turn
            state.put_read(session_id, agent_id, path, ReadHash(hash_, turn))

    def read_now(self, session_id: str, agent_id: str, path: WorkspacePath) -> ContentHash | None:
        """Note that an agent has read a file as it is on disk now.

        Return its hash, or None if there is no file. Raise OSError if it cannot be read.
        """
        known = self.contents.hash_of(path)
        self.read(session_id, agent_id, path, known)
        return known

    def _made(
        self, admission: CallDecision, changes: Sequence[FileChange]
    ) -> tuple[Outcome | None, str | None]:
        """Write an allowed change and record it.

        Return the outcome, or None if it could not be recorded, and the problem, or None if there
        was none. A repeated call that is recorded already is not written again.
        """
        ticket = admission.ticket
        if ticket is None:
            return None, apply_changes(self.stores.root, changes, ticket)
        made = admission.again and self.commands.recording.is_recorded(ticket.id)
        problem = None if made else apply_changes(self.stores.root, changes, ticket)
        try:
            outcome = self.commands.recording.record(ticket.id, error=problem)
        except Exception:  # noqa: BLE001 - whatever it is, the change was made
            _log.exception("%s was made and could not be recorded", ticket.tool_name)
            return None, problem
        return outcome, problem if outcome is None else outcome.error


def unknown_ticket(ticket_id: str) -> CheckoutRefusal:
    """Return the refusal of a request to record something for a ticket that is unknown."""
    return CheckoutRefusal(
        code=RequestCode.TICKET_UNKNOWN,
        message=(
            f"There is no ticket {ticket_id} from the last 24 hours. Pass the ticket that came with"
            " the decision on the edit."
        ),
        data={"ticket": ticket_id},
    )


def apply_changes(root: Path, changes: Sequence[FileChange], ticket: Ticket | None) -> str | None:
    """Make `changes` to the files of a root. Return None on success, else the problem.

    If one change cannot be made, those already made are undone, as far as possible. With a ticket,
    every file must still have the hash that was judged. Without a ticket (governance is off, or
    tickets cannot be stored), hashes are not compared.
    """
    judged = None if ticket is None else {file.path: file.pre_hash for file in ticket.files}
    try:
        change_files(root, tuple(_work(root, changes, judged)))
    except (OSError, IntentLspError, ValueError) as problem:
        return str(problem)
    return None


def _work(
    root: Path,
    changes: Sequence[FileChange],
    judged: Mapping[WorkspacePath, ContentHash | None] | None,
) -> Iterator[WorkFile]:
    for change in changes:
        path, source = _path(root, change.path), _path(root, change.source or change.path)
        before = read_bytes(root / source)
        if judged is not None and hash_if_there(before) != judged.get(path):
            raise ValueError(
                f"{change.source or change.path} has changed since the call was judged; read it"
                " again and make the edit anew"
            )
        yield WorkFile(
            path=path,
            data=_after(change, before),
            before=before,
            source=None if change.source is None else source,
        )


def _path(root: Path, spelled: str) -> WorkspacePath:
    place = resolve_below(root, spelled)
    if place is None or place.real is None:
        raise ValueError(f"{spelled} is outside of the root")
    return place.path


def _after(change: FileChange, before: bytes | None) -> bytes | None:
    """Return a file's bytes after `change`, in its present encoding; None if it is to be deleted.

    `before` is the file's present content, None if there is no file. Raise ValueError if a file to
    be rewritten is not text.
    """
    if change.effect is Effect.DELETE:
        return None
    if change.rewrite is None:
        return before or b""
    text = decode(before or b"")
    if text is None:
        raise ValueError(f"{change.path} is not a text file, so it cannot be edited")
    new = change.rewrite(text.text)
    # The new text may contain the byte order mark that the agent read with the file; do not write
    # it twice.
    return text.encode(new.removeprefix("\ufeff") if text.mark else new)
