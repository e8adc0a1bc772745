"""Tool calls of agent hosts, as their hooks report them: judged before, recorded afterwards.

Invariant: a person who has to approve a call has less time than the host gives a hook, so that the
refusal arrives.
Invariant: an edit whose end the host does not report is recorded when the host reports the turn's
end or the next prompt, by what the disk holds then.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.agents.hook_answer import SHARE_OF_LIMIT
from intent_lsp.core.agents.hook_event import HookDecision, HookEvent, HookKind, ShownText
from intent_lsp.core.agents.tickets import Ticket
from intent_lsp.core.agents.tools import ToolCall, ToolKind, tool_kind
from intent_lsp.core.commands.reading import entered
from intent_lsp.core.content import decode, hash_content
from intent_lsp.core.errors import InvalidCallError
from intent_lsp.core.gate.request import ASKABLE, NO_ANSWER, ApprovalAnswer, Ask, Denied
from intent_lsp.core.policy import Enforcement
from intent_lsp.core.records import ScopeValidation
from intent_lsp.core.timestamps import timestamp
from intent_lsp.formats.hosts.host import Host
from intent_lsp.governance.calls.admission import CallDecision
from intent_lsp.governance.calls.approvals import (
    ApprovalQuestion,
    ApprovalSteps,
    ApprovalTime,
    PersonAtEditor,
    settled,
)
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_sessions import (
    HookAsker,
    HookSessions,
    note_of,
    refusal_reason,
)
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.plan.planning import Granted, Wish
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.packaged_files import tool_lists

_log: Final = logging.getLogger(__name__)

SAME_CALL_WITHIN: Final = timedelta(seconds=10)
"""How long after a call without an id an equal one is the same call, if it is not recorded yet."""

RESERVED: Final = 2.0
"""Seconds of a hook's time that are left for everything but the person."""

_CUT: Final = ", the longest that a hook of {host} may wait (hitl_timeout_seconds is {seconds})"


class HookCalls(Struct, frozen=True, kw_only=True):
    """The calls of one host's agents in one root.

    `person` can be asked for approval; None: nobody can. If the host shows the model notes before a
    call, the model gets the call's warnings then, else after the call.
    """

    governance: Governance
    host: Host
    sessions: HookSessions
    person: PersonAtEditor | None

    def before(self, call: ToolCall, asker: HookAsker) -> HookDecision:
        """Judge a call that is about to be made. Return a refusal, or a note that may be empty.

        If the tool only reads, the call's files count as read. Raise InvalidCallError if the call
        cannot be parsed, or is an edit that names no file, patch or command; RequestLimitError if
        it names too many files.
        """
        governance = self.governance
        kind = tool_kind(call, governance.rules.current().policy, tool_lists())
        if kind is ToolKind.EDIT and not call.paths and call.patch is None and not call.command:
            raise InvalidCallError(f"{call.tool_name} changes a file, but the call names none")
        if kind is ToolKind.READ_ONLY:
            for path in call.paths:
                self.read(entered(call.directory, path) or path, asker)
        call = self._named(call, asker)
        admission = self._decided(asker, partial(governance.calls.admit, *asker, call))
        sent = admission.as_sent
        broken = governance.violations.messages(admission.before)
        if isinstance(sent, Denied):
            said = refusal_reason(sent, self.sessions.handshake(asker))
            return HookDecision(refusal=note_of([said, *broken]))
        return HookDecision(note=note_of([*self._warned(sent.verdict, sent.warnings), *broken]))

    def after(self, event: HookEvent, call: ToolCall, asker: HookAsker) -> HookDecision:
        """Record a call that was made, or that failed. Return a note on its violations.

        The note begins with the call's warnings, unless the model got them before. A file whose
        text was shown to the model counts as read, if the disk still holds that text. Without a
        ticket, or if the call was recorded before, nothing is recorded and the note is empty.
        """
        if event.shown is not None:
            self._shown(event.shown, asker)
        ticket = self._ticket(call, asker)
        if ticket is None:
            return HookDecision()
        governance = self.governance
        outcome = governance.calls.record(ticket.id, error=event.error, by_person=event.by_person)
        if outcome is None or outcome.again:
            return HookDecision()
        told_before = HookKind.BEFORE_TOOL in self.host.told_at
        late = () if told_before else self._warned(ticket.verdict, ticket.warnings)
        return HookDecision(note=note_of([*late, *governance.violations.messages([outcome])]))

    def read(self, spelled: str, asker: HookAsker) -> None:
        """Note a file as read, since the model is about to be shown it.

        `spelled` is its path, absolute or relative to the root. Do nothing if the root has no such
        file, or if it cannot be read.
        """
        place = resolve_below(self.governance.root, spelled)
        if place is not None and (self.governance.root / place.path).is_file():
            with suppress(OSError):
                self.governance.calls.read_now(*asker, place.path)

    def settle(self, asker: HookAsker) -> None:
        """Record the asker's calls whose end the host has not reported, by what the disk holds now.

        Edits that an editor applies and saves are left out: the save records them.
        """
        for ticket in self._open(asker):
            if ticket.command is None and not ticket.by_save:
                self.governance.calls.record(ticket.id)
        self.governance.commands.end(*asker)

    def _decided(
        self, asker: HookAsker, judge: Callable[[ApprovalAnswer], CallDecision]
    ) -> CallDecision:
        """Judge a call of `asker`; if a person has to decide, ask `person`, and judge again.

        `person` is the attribute; without it, judge once, with NO_ANSWER. Return the last decision.
        """
        person = self.person
        if person is None:
            return judge(NO_ANSWER)

        async def judged(word: ApprovalAnswer) -> CallDecision:
            return judge(word)

        async def ask(question: ApprovalQuestion) -> ApprovalAnswer:
            return person.ask(question, self._time())

        async def grant(wish: Wish, _: ApprovalAnswer) -> Granted | CheckoutRefusal:
            return person.grant(wish, self.governance.sessions.open_agent(*asker))

        first = judge(ASKABLE)
        if not isinstance(first.decision, Ask):
            return first
        steps = ApprovalSteps(judge=judged, ask=ask, grant=grant, warn=_log.warning)
        # Loaded when somebody is asked: most hooks are answered without.
        import asyncio  # noqa: PLC0415

        return asyncio.run(settled(asker.session_id, first, steps))

    def _time(self) -> ApprovalTime:
        wanted = self.governance.rules.current().policy.hitl_timeout_seconds
        most = self.host.limit_seconds * SHARE_OF_LIMIT - RESERVED
        if wanted <= most:
            return ApprovalTime(wanted)
        return ApprovalTime(most, _CUT.format(host=self.host.name, seconds=wanted))

    def _named(self, call: ToolCall, asker: HookAsker) -> ToolCall:
        """Return the call with an id. If its host gives none, make one.

        If an equal call was made within SAME_CALL_WITHIN and is open, take its id: a host that also
        runs the hooks in another host's file reports a call twice.
        """
        if call.tool_use_id is not None:
            return call
        since = timestamp(self.governance.stores.clock() - SAME_CALL_WITHIN)
        known = next((t for t in self._same(call, asker) if t.issued_at >= since), None)
        id_ = f"hook-{self.governance.stores.new_id()}" if known is None else known.tool_use_id
        return replace(call, tool_use_id=id_)

    def _ticket(self, call: ToolCall, asker: HookAsker) -> Ticket | None:
        """Return the ticket with the id of a call, else the oldest open one of an equal call.

        Return None if there is neither. An equal call has the same tool and input.
        """
        state, use = self.governance.stores.state, call.tool_use_id
        if state is None:
            return None
        found = None if use is None else state.tickets.of_use(*asker, use)
        return found or next(self._same(call, asker), None)

    def _same(self, call: ToolCall, asker: HookAsker) -> Iterator[Ticket]:
        """Yield the open tickets of calls with the same tool and input, oldest first."""
        for ticket in self._open(asker):
            if ticket.fingerprint == call.fingerprint:
                yield ticket

    def _open(self, asker: HookAsker) -> tuple[Ticket, ...]:
        state = self.governance.stores.state
        if state is None:
            return ()
        return state.tickets.open_of(*asker, self.governance.stores.clock())

    def _warned(self, verdict: ScopeValidation, warnings: tuple[str, ...]) -> tuple[str, ...]:
        """Return `warnings` if the verdict is FAIL and the policy only warns agents, else ()."""
        warned = self.governance.rules.current().policy.agents is Enforcement.WARN
        return warnings if warned and verdict is ScopeValidation.FAIL else ()

    def _shown(self, shown: ShownText, asker: HookAsker) -> None:
        """Note a file as read if the disk still holds the text that the model was shown."""
        place = resolve_below(self.governance.root, shown.path)
        data = None if place is None else self.governance.contents.disk_if_readable(place.path)
        text = None if data is None else decode(data)
        if place is None or data is None or text is None:
            return
        if _holds(text.text, shown):
            hash_ = hash_content(data)
            self.governance.calls.read(*asker, place.path, hash_)


def _holds(text: str, shown: ShownText) -> bool:
    """Whether a text has the shown lines at the shown place, whatever their line ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    wanted = shown.text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    first = shown.first_line - 1
    return first >= 0 and lines[first : first + len(wanted)] == wanted
