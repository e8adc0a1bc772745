"""Sessions of agent hosts, as their hooks report them, and what their agents are told.

Invariant: only a person's prompt that is not empty begins a turn.
Invariant: an intent is checked out again at a turn's beginning only where the model gets its text,
or where a person chose the intent beforehand.
Invariant: the reason of a refusal is never empty.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from intent_lsp.core.agents.hook_event import HookEvent
from intent_lsp.core.codes import NO_USABLE_INTENT, GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.gate.words import title_of
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import CONTROL_ROOM
from intent_lsp.core.policy import Inheritance
from intent_lsp.core.text import some_of, whole
from intent_lsp.formats.hosts.payload import WrongPayloadError
from intent_lsp.governance.governance import Governance
from intent_lsp.governance.plan.checkout import CheckoutRefusal
from intent_lsp.governance.root.best_effort import step
from intent_lsp.store.state.notes import AgentInfo

LONGEST_ID: Final = 256
CLEARED: Final = "clear"
"""The host's reason for a session's beginning when the person has emptied the conversation."""

INTENTS_AT_MOST: Final = 10
"""The most intents that a text for an agent lists."""


class HookAsker(NamedTuple):
    """The session and the subagent ("": the main agent) that an event belongs to."""

    session_id: str
    agent_id: str


class Handshake(Struct, frozen=True, kw_only=True):
    """What an agent needs in order to select an intent.

    `handle` is the agent's session, as an argument of `--session` in a command; None: the agent has
    no handle. `intents` are the open intents, the most recently selected first.
    """

    handle: str | None
    intents: Sequence[Intent]

    def command(self, intent_id: str) -> str:
        """Return the command that selects an intent."""
        session = "" if self.handle is None else f" --session {self.handle}"
        return f"intent-lsp intents select {shlex.quote(intent_id)}{session}"

    def listed(self) -> str:
        """Return at most INTENTS_AT_MOST open intents, a line each, and how many more there are.

        Return "" if there are none.
        """
        shown = [f"- {intent.label}" for intent in self.intents[:INTENTS_AT_MOST]]
        more = len(self.intents) - len(shown)
        return "\n".join([*shown, *([f"- and {more:,} more"] if more > 0 else [])])


class HookSessions(Struct, frozen=True):
    """The sessions of one host's agents in one root.

    `wanted` is the id of the intent that a person has chosen for new sessions, or None.
    """

    governance: Governance
    wanted: str | None

    def asker(self, event: HookEvent) -> HookAsker:
        """Return whose event it is. Raise WrongPayloadError if the host gives no usable id.

        If the event has a `parent_id`, store that its session belongs to the session with that id.
        """
        for name, given in (("session", event.session_id), ("subagent", event.agent_id)):
            text = given or ""
            if len(text) > LONGEST_ID or whole(text) != text:
                problem = f"the id of the {name} is not a text of 1 to 256 characters"
                raise WrongPayloadError("", problem)
        if not event.session_id:
            raise WrongPayloadError("", "the host gives no id of its session")
        if event.parent_id:
            return HookAsker(*self.governance.handles.belongs_to(event.session_id, event.parent_id))
        known = self.governance.handles.resolve(event.session_id)
        session_id, agent_id = known or (event.session_id, "")
        return HookAsker(session_id, event.agent_id or agent_id)

    def seen(self, event: HookEvent, asker: HookAsker) -> str:
        """Begin the event's session if it is new, and store the name of its model, if given.

        In a new session, the intent that a person chose beforehand is selected. If there is none
        and the policy says so, that of the person's editor is selected. Return what the agent of a
        new session has to be told about that, else "".
        """
        governance = self.governance
        self._hear(event, asker)
        known = governance.sessions.row(asker.session_id) is not None
        governance.sessions.open_agent(asker.session_id)
        return "" if known else self._preselected(asker)

    def started(self, event: HookEvent, asker: HookAsker) -> str:
        """Begin a session, or go on with one that is resumed. Return what the model is to know.

        If a person has emptied the conversation of a known session, its intent is deselected.
        Return "" if there is nothing to know.
        """
        sessions = self.governance.sessions
        known = sessions.row(asker.session_id) is not None
        said = self.seen(event, asker)
        if known and event.source == CLEARED and not asker.agent_id:
            sessions.choose(asker.session_id, None)
        return note_of([said, self.reminder(asker)])

    def prompted(self, asker: HookAsker, *, told: bool) -> str:
        """Begin the next turn of a session. Return what the model is to know, or "".

        Commands whose end was not reported are recorded first. `told`: the host gives the model
        what is returned, so that the session's intent is checked out again. Otherwise it is checked
        out again only if it is the one that a person chose beforehand.
        """
        governance = self.governance
        row, ended = governance.begin_turn(*asker)
        broken = governance.violations.messages(ended)
        # What a person selected beforehand holds in every turn, even if the model reads nothing.
        present_id = governance.rules.current().present_id
        kept = told or present_id(row.active_intent) == present_id(self.wanted)
        if row.active_intent is None or not kept:
            return note_of([*broken, self.reminder(asker)])
        return note_of([*broken, self.select(asker, row.active_intent)[1]])

    def select(self, asker: HookAsker, intent_id: str) -> tuple[bool, str]:
        """Select an intent for the asker.

        Return True and the intent's context with warnings, or False and the refusal.
        """
        governance = self.governance
        session = governance.sessions.open_agent(*asker)
        done = governance.checkout.select(session, intent_id, unsaved_file=False)
        if isinstance(done, CheckoutRefusal):
            return False, done.message
        return True, note_of([done.text, *done.warnings])

    def reminder(self, asker: HookAsker) -> str:
        """Return how to select an intent, or whom to ask for one if none is open.

        Return "" if the session has selected one.
        """
        if self.governance.sessions.active_intent(*asker) is not None:
            return ""
        return first_words(self.handshake(asker))

    def handshake(self, asker: HookAsker) -> Handshake:
        """Return what an agent needs in order to select an intent.

        An agent without a handle gets one. Without a session database there are no handles.
        """
        return Handshake(
            handle=self.governance.handles.handle(*asker), intents=self.governance.open_intents()
        )

    def _preselected(self, asker: HookAsker) -> str:
        """Select the intent that a person chose beforehand, else that of their editor, if any.

        The latter only if the policy lets agents inherit. Return what the model is to know, or "".
        """
        if self.wanted is not None:
            return self.select(asker, self.wanted)[1]
        inherited = self._of_editor()
        intent = self.governance.rules.current().active(inherited)
        if inherited is None or intent is None:
            return ""
        done, said = self.select(asker, intent.id)
        if not done:
            return ""
        self.governance.history.note(intent.id, f"INTENT_INHERITED {asker.session_id}")
        return note_of([inherited_words(intent), said])

    def _of_editor(self) -> str | None:
        """Return the intent of this user's only live editor if agents may inherit it, or None."""
        if self.governance.rules.current().policy.agents_inherit is not Inheritance.EDITOR:
            return None
        editor = self.governance.sessions.asker(None)
        return None if editor is None or editor.row is None else editor.row.active_intent

    def _hear(self, event: HookEvent, asker: HookAsker) -> None:
        state = self.governance.stores.state
        if state is None or not event.model or len(event.model) > LONGEST_ID:
            return
        model = whole(event.model)
        with step("the name of the agent's model"):
            if state.notes.voice(*asker).model != model:
                state.notes.put_voice(*asker, AgentInfo(model=model))


def refusal_reason(denied: Denied, handshake: Handshake) -> str:
    """Return why a call was refused and what the agent can do, in a few lines."""
    return "\n".join([denied.message, *_way_out(denied, handshake)])


def first_words(handshake: Handshake) -> str:
    """Return what an agent without an intent is told: how to select one.

    `handshake` has the agent's handle and the open intents. If no intent is open, the agent is to
    ask a person for one.
    """
    if not handshake.intents:
        return (
            "intent-lsp governs this repository, and it has no open intent. Ask the person to"
            " write one (`intent-lsp intents add`) before you change a file."
        )
    return (
        "intent-lsp governs this repository: each change of a file is judged against the intent"
        " that you work for, and recorded. Before you change a file, select your intent with"
        f" `{handshake.command('ID')}`, where ID is one of:\n{handshake.listed()}"
    )


def inherited_words(intent: Intent) -> str:
    """Return what an agent is told when its session begins with the intent of an editor."""
    return f"Your session begins with {title_of(intent)}, the intent of the person's editor."


def note_of(parts: Iterable[str]) -> str:
    """Join the texts that are not empty, each on a new line. Return "" if there is none."""
    return "\n".join(part for part in parts if part)


def _way_out(denied: Denied, handshake: Handshake) -> list[str]:
    if denied.code in (GateCode.CHECKOUT_REQUIRED, *NO_USABLE_INTENT):
        if not handshake.intents:
            return ["There is no open intent: ask the person to write one."]
        command = handshake.command("ID")
        return [f"Run `{command}`, where ID is one of:", handshake.listed()]
    if denied.code is GateCode.SCOPE_VIOLATION:
        return _scope(denied, handshake)
    if denied.code is GateCode.HITL_REJECTED:
        return [f"Why: {denied.details['feedback']}."]
    if denied.code is GateCode.CONTRACT_DRIFT:
        return [f"Leave {CONTROL_ROOM}/ alone and ask the person to put it right."]
    return []


def _scope(denied: Denied, handshake: Handshake) -> list[str]:
    owners = denied.details.get("owning_intents")
    owning = owners if isinstance(owners, dict) else {}
    ids = list(dict.fromkeys(each for path in owning for each in owning[path]))
    intent = denied.details.get("intent_id")
    lines = [f"Owned by {intent}: {_globs(denied)}"]
    if len(ids) == 1:
        owner, command = ids[0], handshake.command(ids[0])
        said = f"{owner} owns {_files(owning)}: if that intent is your task, run `{command}`."
        lines.append(said)
    elif ids:
        lines.append(f"These intents own {_files(owning)}: {some_of(ids, INTENTS_AT_MOST)}.")
        command = handshake.command("ID")
        lines.append(f"If one of them is your task, run `{command}`, where ID is its id.")
    leave = "Else leave" if ids else "Leave"
    them = "the file as it is" if len(owning) == 1 else "the files as they are"
    lines.append(f"{leave} {them}, or ask the person for more scope.")
    return lines


def _files(owning: Mapping[str, Sequence[str]]) -> str:
    """Return a name of the files that intents own: `the file`, `the files`, `some of the files`.

    `owning` maps each path of a refusal to the intents that own it. Intents own at least one.
    """
    if len(owning) == 1:
        return "the file"
    return "the files" if all(owning.values()) else "some of the files"


def _globs(denied: Denied) -> str:
    globs = denied.details.get("owned_scope")
    shown = [str(glob) for glob in globs] if isinstance(globs, Sequence) else []
    return some_of(shown, INTENTS_AT_MOST) or "(nothing)"
