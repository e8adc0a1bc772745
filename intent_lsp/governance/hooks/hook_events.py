"""Answers the events of agent hosts' hooks for one governed root.

Invariant: a call is refused with a reason, or it passes. No answer makes the host ask a person.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp import __version__
from intent_lsp.core.agents.hook_answer import INTENT_VARIABLE, PROBE_VARIABLE
from intent_lsp.core.agents.hook_event import PROBE_SESSION, HookDecision, HookEvent, HookKind
from intent_lsp.core.agents.tools import (
    SELECT_TOOL,
    ToolCall,
    may_be_own,
    opens_shell,
    own_tool,
    selected_in_shell,
)
from intent_lsp.core.gate.request import Denied
from intent_lsp.formats.hosts.host import Host
from intent_lsp.governance.calls.approvals import PersonAtEditor
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.hooks.hook_answers import HookCall
from intent_lsp.governance.hooks.hook_calls import HookCalls
from intent_lsp.governance.hooks.hook_sessions import HookAsker, HookSessions
from intent_lsp.store.fs.resolve import resolve_below
from intent_lsp.store.mcp_servers import own_servers

NOTHING: Final = HookDecision()

UNSEEN: Final = (
    "`{command}` opens a shell, and intent-lsp would not see what you type into it. Run each"
    " command by itself instead."
)

MENTIONS_AT_MOST: Final = 100
"""The most mentions of one prompt that are looked up."""

_MENTION: Final = re.compile(r"(?<![\w@])@(?:\"([^\"\n]+)\"|([^\s\"@]+))")
_AFTER: Final = ".,;:!?)]}'`"

PROBED: Final = "intent-lsp {version} answers the probe: {refusal}"

_NOTED_ONLY: Final = frozenset({HookKind.OTHER, HookKind.SUBAGENT_START})


class HookEvents(Struct, frozen=True, kw_only=True):
    """Answers the events of one agent host in one root."""

    governance: Governance
    host: Host
    sessions: HookSessions
    calls: HookCalls

    def answer(self, event: HookEvent) -> HookDecision:
        """Do what follows from an event, and return the answer to it.

        A call is judged or recorded, and a session or a turn begins or ends. The time of the event
        is stored, too; for the kinds OTHER and SUBAGENT_START that is all. For any other kind,
        raise WrongPayloadError if the event has no usable id of its session or subagent, or the
        errors of `HookCalls.before`.
        """
        self.governance.heard.note(
            self.host.name,
            event.name,
            version=event.version,
            ended=event.kind is HookKind.SESSION_END,
        )
        if event.kind in _NOTED_ONLY:
            return NOTHING
        asker = self.sessions.asker(event)
        call = None
        if event.call is not None:
            call = replace(self._located(event.call, event.cwd), host=self.host.name)
        match event.kind:
            case HookKind.BEFORE_TOOL if call is not None:
                said = self.sessions.seen(event, asker)
                return _with(said, self._before(call, asker))
            case HookKind.AFTER_TOOL | HookKind.FAILED_TOOL if call is not None:
                self.sessions.seen(event, asker)
                return self.calls.after(event, call, asker)
            case HookKind.SESSION_START:
                return HookDecision(note=self.sessions.started(event, asker))
            case HookKind.PROMPT:
                return self._prompt(event, asker)
            case HookKind.SESSION_END:
                self.calls.settle(asker)
                self.governance.sessions.end(asker.session_id)
            case _:
                self.calls.settle(asker)
        return NOTHING

    def probe(self, event: HookEvent) -> HookDecision:
        """Return the answer to a probe: to a call that is never made. Nothing is stored.

        The refusal names this program's version. If the call is allowed, nothing is answered.
        """
        if event.call is None or event.kind is not HookKind.BEFORE_TOOL:
            return NOTHING
        call = self._located(event.call, event.cwd)
        denied = self.governance.calls.explain(event.session_id or "", "", call)[1].as_sent
        if not isinstance(denied, Denied):
            return NOTHING
        return HookDecision(refusal=PROBED.format(version=__version__, refusal=denied.message))

    def _before(self, call: ToolCall, asker: HookAsker) -> HookDecision:
        own = own_tool(call, own_servers(self.governance.root)) if may_be_own(call) else None
        if own is not None:
            # Our own server judges its calls itself.
            wanted = call.intent_id if own == SELECT_TOOL else None
        else:
            wanted = selected_in_shell(call.command)
        if wanted is not None:
            self.sessions.select(asker, wanted)
        if own is not None:
            return NOTHING
        if self.host.types_unseen and opens_shell(call.command):
            return HookDecision(refusal=UNSEEN.format(command=call.command))
        return self.calls.before(call, asker)

    def _prompt(self, event: HookEvent, asker: HookAsker) -> HookDecision:
        said = self.sessions.seen(event, asker)
        if not event.prompt.strip() or asker.agent_id:
            # The prompt of a subagent is its parent's, not a person's.
            return HookDecision(note=said)
        self.calls.settle(asker)
        told = HookKind.PROMPT in self.host.told_at
        note = self.sessions.prompted(asker, told=told)
        start = Path(event.cwd or self.governance.root)
        for name in _mentioned(event.prompt):
            self.calls.read(str(start / name), asker)
        return HookDecision(note=note)

    def _located(self, call: ToolCall, cwd: str | None) -> ToolCall:
        """Return the call with `cwd`, relative to the root if below it, as its directory.

        Return it unchanged if `cwd` is the root or None.
        """
        root = self.governance.root
        if cwd is None or Path(cwd).resolve() == root.resolve():
            return call
        place = resolve_below(root, cwd)
        return replace(call, directory=cwd if place is None else place.path)


def decide(
    governance: Governance, call: HookCall, event: HookEvent, person: PersonAtEditor | None = None
) -> HookDecision:
    """Return the answer to an event of one run of a hook, or to the probe of `intent-lsp doctor`.

    `person` can be asked for approval; None: nobody can. Raise as `HookEvents.answer` does.
    """
    host, wanted = call.host, call.environment.get(INTENT_VARIABLE) or None
    sessions = HookSessions(governance, wanted)
    calls = HookCalls(governance=governance, host=host, sessions=sessions, person=person)
    events = HookEvents(governance=governance, host=host, sessions=sessions, calls=calls)
    return events.probe(event) if _is_probe(call, event) else events.answer(event)


def _is_probe(call: HookCall, event: HookEvent) -> bool:
    """Whether `intent-lsp doctor` asks: the variable is set, and the session is the probe's.

    The variable alone is not enough: it would switch the gate off for real sessions.
    """
    asked = call.environment.get(PROBE_VARIABLE) == "1"
    return asked and event.session_id == PROBE_SESSION


def _with(said: str, decision: HookDecision) -> HookDecision:
    """Return a decision whose note begins with `said`, unless the call is refused."""
    if decision.refusal is not None or not said:
        return decision
    return HookDecision(note=f"{said}\n{decision.note}".strip())


def _mentioned(prompt: str) -> Iterator[str]:
    """Yield the names behind the first MENTIONS_AT_MOST `@` of a prompt that begin a word.

    A name may be in double quotes. Else punctuation at its end, and a `#` and what follows, do not
    belong to it.
    """
    for count, found in enumerate(_MENTION.finditer(prompt)):
        if count == MENTIONS_AT_MOST:
            return
        name = found[1] or found[2].rstrip(_AFTER).partition("#")[0]
        if name and "\0" not in name:
            yield name
