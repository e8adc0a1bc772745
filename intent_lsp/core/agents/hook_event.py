"""An event that an agent host reports to its hook, and the answer to it.

Invariant: this module holds values only. How a host spells them is in `formats/hosts`.
"""

from enum import Enum
from typing import Final

from msgspec import Struct

from intent_lsp.core.agents.tools import ToolCall


class HookKind(Enum):
    """What happened in an agent host. OTHER: nothing that governance needs to know."""

    BEFORE_TOOL = "before a tool call"
    AFTER_TOOL = "after a tool call"
    FAILED_TOOL = "after a tool call that failed"
    SESSION_START = "a session begins"
    SESSION_END = "a session ends"
    PROMPT = "a person's prompt"
    TURN_END = "the agent ends its turn"
    SUBAGENT_START = "a subagent begins"
    SUBAGENT_END = "a subagent ends"
    OTHER = "another event"


class ShownText(Struct, frozen=True):
    """The text of a file that a read tool showed to the model, without line numbers.

    It begins at line `first_line` of the file, counted from 1. The host may have cut its end.
    """

    path: str
    text: str
    first_line: int = 1


class HookEvent(Struct, frozen=True, kw_only=True):
    """One event of an agent host.

    `name` is the host's own name of the event. `session_id` and `agent_id` are the host's ids of
    the session and of the subagent in it ("": the main agent). Some hosts run a subagent in a
    session of its own: `parent_id` is then the id of the session that started it. `cwd` is the
    working directory. `call` is the tool call of a tool event, and `shown` what a read tool
    showed. `error` is why a call failed. `by_person`: a person changed the agent's text before it
    was written. `prompt` is the text of a person's prompt. `source` is why a session begins, such
    as `resume`. `model` is the name of the model and `version` that of the host, if the host gives
    them.
    """

    kind: HookKind
    name: str
    session_id: str | None = None
    agent_id: str = ""
    parent_id: str | None = None
    cwd: str | None = None
    call: ToolCall | None = None
    shown: ShownText | None = None
    error: str | None = None
    by_person: bool = False
    prompt: str = ""
    source: str = ""
    model: str | None = None
    version: str | None = None


class HookDecision(Struct, frozen=True):
    """The answer to an event. `refusal` is why a call is refused, or None if it is not.

    Only the answer to an event before a call has a `refusal`. `note` is for the model, or "".
    """

    refusal: str | None = None
    note: str = ""


PROBE_SESSION: Final = "intent-lsp-doctor"
"""The id of the session of every probe. No host names a session so."""
