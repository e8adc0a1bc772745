"""An agent's call: the gate's decision on it, its ticket, and the outcome of recording it.

Specified in requirements section 6.
"""

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.tickets import Recorded, Ticket, TicketFile, command_hash
from intent_lsp.core.commands.reading import Effect
from intent_lsp.core.gate.request import Allowed, Ask, CallFacts, Decision, Denied, GateRequest
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import MutationClass, Record
from intent_lsp.formats.intents.intent_json import intent_hash
from intent_lsp.governance.judging.call_facts import CallFile, Hearing, announced
from intent_lsp.governance.judging.edit_events import specification_of
from intent_lsp.store.state.drafts import Draft

_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_SHELL_TEXT: Final = re.compile(r"\b(?:sh|bash|dash|zsh|ksh)\s+(?:\S+\s+)*?-\w*c\b")
# A single `&` starts a background job, but not in `2>&1`, `&>`, `|&` and `&&`.
_BEHIND: Final = re.compile(r"(?<![&<>|\\])&(?![&>])")
_LETS_GO: Final = re.compile(
    r"(?:^|[;&|({\n]|\b(?:sudo|time|exec|then|do|else)\s)\s*(?:nohup|setsid|disown|coproc)\b"
)


class Outcome(Struct, frozen=True, kw_only=True):
    """The result of recording a ticket's call, or what an open command has changed so far.

    `recorded` is the result that is stored with the ticket. The files of each verdict, such as
    PASS, give one record. `record` is the first of these records. It is None if there was nothing
    to record, or if the record waits in the queue; then `queued` says why it waits. `beside` are
    the other records that were appended now. `discarded` are drafts of uncommitted texts that the
    call discarded. `again`: the call was recorded before. Then `recorded` is what was stored, and
    `record` is None.
    """

    ticket: Ticket
    recorded: Recorded
    record: Record | None = None
    queued: str | None = None
    discarded: tuple[Draft, ...] = ()
    again: bool = False
    beside: tuple[Record, ...] = ()

    @property
    def error(self) -> str | None:
        """Why the call failed, or None."""
        return self.recorded.error

    @property
    def violating(self) -> tuple[WorkspacePath, ...]:
        """The files that broke a rule: files not named by the call, and named paths led outside.

        A path is led outside if a link in it now leads out of the root. If the call deleted the
        session database, return the directory of the database and every changed file.
        """
        return self.recorded.violating


class JudgedCall(Struct, frozen=True, kw_only=True):
    """A call with the request that the gate judged, its facts, its files, and the decision."""

    hearing: Hearing
    question: GateRequest
    facts: CallFacts
    files: tuple[CallFile, ...]
    decision: Decision

    @property
    def intent(self) -> Intent | None:
        """The intent that the call was judged under, or None if there was none."""
        return self.hearing.rules.active(self.question.active_intent)


class CallDecision(Struct, frozen=True, kw_only=True):
    """The gate's decision on an agent's tool call, with the facts that its record needs.

    If `governed` is false, the call was allowed because it changes nothing, or without being
    judged, for example because governance is off. `ticket` is None unless the call is allowed and
    governed and a ticket can be kept. `again`: the host sent this call before and got the same
    answer. `program` is the program that decided how the call's command was judged, or "" if none
    did; None if there is no command, or if the program is not known. `failed` is the error because
    of which the call was allowed unjudged, or None. `before` are the outcomes of earlier commands
    of the agent whose end the host has not reported; what they had changed was recorded just before
    this call.
    """

    decision: Decision
    tool_name: str
    intent_id: str | None
    mutation_class: MutationClass | None = None
    files: tuple[TicketFile, ...] = ()
    ticket: Ticket | None = None
    program: str | None = None
    governed: bool = True
    again: bool = False
    failed: str | None = None
    before: tuple[Outcome, ...] = ()

    @property
    def as_sent(self) -> Allowed | Denied:
        """The decision as it is sent: a call that awaits approval counts as denied."""
        return self.decision.why if isinstance(self.decision, Ask) else self.decision


class Applied(Struct, frozen=True):
    """The result of a change that an agent asked the server to make.

    `admission` is the decision on it. `outcome` is the result of recording it, or None if it was
    not recorded. `problem` is why a change that was allowed was not made, or None.
    """

    admission: CallDecision
    outcome: Outcome | None = None
    problem: str | None = None


def warned(admission: CallDecision, *warnings: str) -> CallDecision:
    """Return the decision with `warnings` added, or unchanged if it does not allow the call."""
    decision = admission.decision
    if not isinstance(decision, Allowed):
        return admission
    told = tuple(dict.fromkeys((*decision.warnings, *warnings)))
    return replace(admission, decision=Allowed(decision.verdict, told))


def of_ticket(ticket: Ticket, *, again: bool) -> CallDecision:
    """Return the decision that allowed the ticket's call, rebuilt from the ticket.

    `again`: the host has sent the call a second time.
    """
    return CallDecision(
        decision=Allowed(ticket.verdict, ticket.warnings),
        tool_name=ticket.tool_name,
        intent_id=ticket.intent_id,
        mutation_class=ticket.mutation_class,
        files=ticket.files,
        ticket=ticket,
        program=ticket.program,
        again=again,
    )


def ticket_of(
    judged: JudgedCall, decision: Allowed, *, ticket_id: str, at: str, by_save: bool
) -> Ticket:
    """Return a ticket for a call that is allowed by `decision`, issued at the timestamp `at`.

    `by_save`: an editor makes the change.
    """
    call, asker, word = judged.hearing.call, judged.hearing.asker, judged.hearing.word
    intent = judged.intent
    return Ticket(
        id=ticket_id,
        session_id=asker.session_id,
        agent_id=asker.agent_id,
        turn=asker.turn,
        issued_at=at,
        tool_name=call.tool_name,
        tool_use_id=call.tool_use_id,
        fingerprint=None if call.tool_use_id is None else call.fingerprint,
        intent_id=None if intent is None else intent.id,
        intent_hash=None if intent is None else intent_hash(intent),
        specification=None if intent is None else specification_of(intent),
        mutation_class=call.mutation_class or inferred_class(judged.files),
        inferred=call.mutation_class is None,
        verdict=decision.verdict,
        warnings=decision.warnings,
        approval=word.approval,
        approved_by=word.session_id,
        approval_channel=word.channel,
        by_save=by_save,
        program=judged.hearing.reading.program,
        command=None if call.command is None else command_hash(call.command),
        looking=judged.question.only_looks,
        files=ticket_files(judged),
        background=call.background or goes_on(call.command or ""),
    )


def ticket_files(judged: JudgedCall) -> tuple[TicketFile, ...]:
    """Return a call's files inside the root. A rename is one file, at its new path."""
    return tuple(_ticket_files(judged))


def inferred_class(files: tuple[CallFile, ...]) -> MutationClass:
    """Return the mutation class of a call that states none, by what it does to its files.

    It is a deletion if the call only deletes files, a creation if it only creates files, else
    AST_REFACTOR. Whatever a call does to a file that does not exist, even a deletion, counts as
    creation.
    """
    effects = {file.touched.effect if file.there else Effect.CREATE for file in files}
    if effects == {Effect.DELETE}:
        return MutationClass.FILE_DELETION
    return MutationClass.FILE_CREATION if effects == {Effect.CREATE} else MutationClass.AST_REFACTOR


def goes_on(command: str) -> bool:
    """Return whether a shell command's text shows that it may leave a process running.

    The signs are a single `&`, and where a command may begin `nohup`, `setsid`, `disown` or
    `coproc`; not every place is found. Quoted text is ignored, unless the command passes text to
    another shell with `-c`.
    """
    text = command if _SHELL_TEXT.search(command) else _QUOTED.sub("''", command)
    return _BEHIND.search(text) is not None or _LETS_GO.search(text) is not None


def _ticket_files(judged: JudgedCall) -> Iterator[TicketFile]:
    inside = {file.touched.path: file for file in judged.files if file.place is not None}
    moved = {f.touched.source for f in inside.values() if f.touched.effect is Effect.MOVE}
    said = announced(judged.hearing.call, len(inside))
    for name, file in inside.items():
        if name in moved or file.place is None:
            continue
        source = None
        if file.touched.effect is Effect.MOVE:
            source = inside.get(file.touched.source or "")
        yield TicketFile(
            path=file.place.path,
            pre_hash=file.hash if source is None else source.hash,
            effect=file.touched.effect,
            previous=None if source is None or source.place is None else source.place.path,
            announced=said,
            real=None if file.place.real == file.place.path else file.place.real,
        )
