"""An agent host as data: its events, the names of its fields, its answers and its limits.

Invariant: no host is ever given an explicit permission. Silence means that the call may happen.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct, field

from intent_lsp.core.agents.hook_answer import SILENCE, HookAnswer
from intent_lsp.core.agents.hook_event import HookEvent, HookKind, ShownText
from intent_lsp.core.agents.tools import ToolCall
from intent_lsp.formats.hosts.payload import Names, Payload, WrongPayloadError
from intent_lsp.formats.hosts.tool_input import tool_call

REFUSED: Final = 2
"""The exit status of a hook that refuses."""

_TOOL_KINDS: Final = (HookKind.BEFORE_TOOL, HookKind.AFTER_TOOL, HookKind.FAILED_TOOL)

CLAUDE_EVENTS: Final[Mapping[str, HookKind]] = {
    "PreToolUse": HookKind.BEFORE_TOOL,
    "PostToolUse": HookKind.AFTER_TOOL,
    "PostToolUseFailure": HookKind.FAILED_TOOL,
    "SessionStart": HookKind.SESSION_START,
    "SessionEnd": HookKind.SESSION_END,
    "UserPromptSubmit": HookKind.PROMPT,
    "Stop": HookKind.TURN_END,
    "SubagentStart": HookKind.SUBAGENT_START,
    "SubagentStop": HookKind.SUBAGENT_END,
}
"""The names that Claude Code gave to events, and that many hosts have taken over."""

TOLD_AT: Final = frozenset({*_TOOL_KINDS, HookKind.SESSION_START, HookKind.PROMPT})
"""The kinds of events at which Claude Code's model gets a text from the hook."""


class Fields(Struct, frozen=True, kw_only=True):
    """The names that each field of a payload may have, () if the host has no such field.

    The defaults are those of Claude Code and its followers. `only_subagents`, unless (), is a field
    that only the payloads of subagents have; `agent` is read only beside it.
    """

    event: Names = ("hook_event_name", "hookEventName")
    session: Names = ("session_id", "sessionId")
    agent: Names = ("agent_id",)
    parent: Names = ()
    cwd: Names = ("cwd",)
    tool: Names = ("tool_name", "toolName")
    tool_input: Names = ("tool_input", "toolInput")
    call_id: Names = ("tool_use_id", "toolUseId")
    only_subagents: Names = ()
    model: Names = ("model",)
    version: Names = ()
    prompt: Names = ("prompt",)
    source: Names = ("source",)
    error: Names = ("error",)


Encode = Callable[[str, str], Mapping[str, Any]]
"""A function that returns the JSON with a text, from the host's name of the event and the text."""


def claude_refusal(event: str, reason: str) -> Mapping[str, Any]:
    """Return the refusal of a call as JSON that Claude Code reads. `event` is the event's name."""
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


def claude_note(event: str, text: str) -> Mapping[str, Any]:
    """Return a text for the model as JSON that Claude Code reads. `event` is the event's name."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def top_level_refusal(_event: str, reason: str) -> Mapping[str, Any]:
    """Return the refusal of a call as the JSON `{"decision": "deny", "reason": REASON}`."""
    return {"decision": "deny", "reason": reason}


class Host(Struct, frozen=True, kw_only=True):
    """One agent host.

    `version` is the version whose payloads were recorded, or None for a host known from its
    documentation alone. `events` maps the host's names of events to kinds. The host waits at least
    `limit_seconds` for a hook. `refuse` encodes a refusal, sent with the exit status
    `refusal_status`. `tell` encodes a text for the model, and `told_at` are the kinds of events at
    which the model gets one. From the payload of an event after a call, `failure` returns why the
    call failed, or None; `shown` what a read tool showed, or None; and `by_person` whether a person
    changed the agent's text before it was written. By default, payloads do not say these three
    things. `tools` maps events that name no tool to the tool that they stand for; if the payload of
    such an event has no input, the payload itself is the input. In an environment with the variable
    `silent_under`, another host runs this host's hooks and reads a refusal only with exit status 0.
    `types_unseen` says that the agent can type into a command that still runs, without any hook
    being asked.
    """

    name: str
    version: str | None = None
    events: Mapping[str, HookKind] = field(default_factory=lambda: CLAUDE_EVENTS)
    fields: Fields = Fields()
    limit_seconds: float = 30.0
    refuse: Encode = claude_refusal
    refusal_status: int = REFUSED
    tell: Encode = claude_note
    told_at: frozenset[HookKind] = TOLD_AT
    failure: Callable[[Payload], str | None] = lambda _: None
    by_person: Callable[[Payload], bool] = lambda _: False
    shown: Callable[[Payload], ShownText | None] = lambda _: None
    tools: Mapping[str, str] = field(default_factory=dict)
    silent_under: str | None = None
    types_unseen: bool = False

    def event_name(self, payload: Payload, given: str | None) -> str:
        """Return the host's name of the event: that in the payload, else `given`.

        `given` is the name on the command line, or None. Raise WrongPayloadError if there is
        neither, or if the payload's is not a text.
        """
        name = payload.text(self.fields.event) or given
        if not name:
            raise WrongPayloadError(self.fields.event[0], "is missing; use --event NAME")
        return name

    def read(self, payload: Payload, given: str | None = None) -> HookEvent:
        """Return the event in a payload. An event that the host does not have gets the kind OTHER.

        `given` is the event's name from the command line, for a payload without one, or None. Raise
        WrongPayloadError if the event has no name, if a call has no tool, or if an id, the working
        directory, the call or the text that a read tool showed has a wrong type.
        """
        names, name = self.fields, self.event_name(payload, given)
        kind = self.events.get(name, HookKind.OTHER)
        error = self.failure(payload) if kind is HookKind.AFTER_TOOL else None
        if kind is HookKind.FAILED_TOOL:
            error = payload.prose(names.error) or payload.prose(("error.message",)) or "it failed"
        return HookEvent(
            kind=kind,
            name=name,
            session_id=payload.text(names.session),
            agent_id=self._agent(payload),
            parent_id=payload.text(names.parent) if names.parent else None,
            cwd=payload.text(names.cwd),
            call=self._call(payload, name) if kind in _TOOL_KINDS else None,
            shown=self.shown(payload) if kind is HookKind.AFTER_TOOL else None,
            error=error,
            by_person=kind is HookKind.AFTER_TOOL and self.by_person(payload),
            prompt=payload.prose(names.prompt) if kind is HookKind.PROMPT else "",
            source=payload.prose(names.source),
            model=payload.prose(names.model) or None,
            version=payload.prose(names.version) or None,
        )

    def refusal(self, event: str, reason: str) -> HookAnswer:
        """Return the answer that refuses a call: the host's JSON, and the reason on standard error.

        `event` is the host's name of the event. A general reason takes the place of a blank one.
        """
        said = reason.strip() or "refused by intent-lsp"
        told = json.dumps(self.refuse(event, said), ensure_ascii=True)
        return HookAnswer(stdout=told, stderr=said + "\n", status=self.refusal_status)

    def permission(self, event: HookEvent, note: str = "") -> HookAnswer:
        """Return the answer that lets an event pass, with a note for the model.

        The note is dropped at an event, or a host, where the model cannot get one. The answer never
        permits anything by itself: the host's own rules and questions stay.
        """
        if note and event.kind in self.told_at:
            told = json.dumps(self.tell(event.name, note), ensure_ascii=True)
            return HookAnswer(stdout=told)
        return SILENCE

    def _agent(self, payload: Payload) -> str:
        names = self.fields
        if names.only_subagents and payload.find(names.only_subagents)[1] is None:
            return ""
        return payload.text(names.agent) or ""

    def _call(self, payload: Payload, event: str) -> ToolCall:
        tool = payload.text(self.fields.tool) or self.tools.get(event)
        if not tool:
            raise WrongPayloadError(self.fields.tool[0], "is missing, and a tool event needs it")
        given = payload.part(self.fields.tool_input)
        if event in self.tools and not given.fields:
            given = payload
        return tool_call(tool, given, payload.text(self.fields.call_id))
