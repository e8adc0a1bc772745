"""What an agent is told by its hook: why a call was refused, and what to do next.

Invariant: a reason is never empty.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.gate.words import title_of
from intent_lsp.core.intents import Intent
from intent_lsp.core.text import some_of

INTENTS_AT_MOST: Final = 10
"""The most intents that a text for an agent lists."""

_UNSELECTED: Final = frozenset(
    {
        GateCode.CHECKOUT_REQUIRED,
        GateCode.NO_ACTIVE_INTENT,
        GateCode.INTENT_NOT_FOUND,
        GateCode.INTENT_CLOSED,
        GateCode.INTENT_IGNORED,
    }
)


class Handshake(Struct, frozen=True, kw_only=True):
    """What an agent needs in order to select an intent.

    `handle` names the agent's session in a command; None: it cannot be named. `intents` are the
    open intents, the most recently selected first.
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


def refusal_reason(denied: Denied, handshake: Handshake) -> str:
    """Return why a call was refused and what the agent can do, in a few lines."""
    return "\n".join([denied.message, *_way_out(denied, handshake)])


def first_words(handshake: Handshake) -> str:
    """Return what an agent without an intent is told: how to select one.

    If there is no open intent, it is to ask a person for one.
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
    if denied.code in _UNSELECTED:
        if not handshake.intents:
            return ["There is no open intent: ask the person to write one."]
        command = handshake.command("ID")
        return [f"Run `{command}`, where ID is one of:", handshake.listed()]
    if denied.code is GateCode.SCOPE_VIOLATION:
        return _scope(denied, handshake)
    if denied.code is GateCode.HITL_REJECTED:
        return [f"Why: {denied.details['feedback']}."]
    return []


def _scope(denied: Denied, handshake: Handshake) -> list[str]:
    owners = denied.details.get("owning_intents")
    owning = owners if isinstance(owners, dict) else {}
    ids = list(dict.fromkeys(each for path in owning for each in owning[path]))
    intent = denied.details.get("intent_id")
    lines = [f"Owned by {intent}: {_globs(denied)}"]
    if len(ids) == 1:
        owner, command = ids[0], handshake.command(ids[0])
        lines.append(f"{owner} owns {_files(owning)}: if your task is that one, run `{command}`.")
    elif ids:
        lines.append(f"These intents own {_files(owning)}: {some_of(ids, INTENTS_AT_MOST)}.")
    leave = "Else leave" if ids else "Leave"
    them = "the file as it is" if len(owning) == 1 else "the files as they are"
    lines.append(f"{leave} {them}, or ask the person for more scope.")
    return lines


def _files(owning: Mapping[str, Sequence[str]]) -> str:
    """Return words for those files of a refusal that have an owner."""
    if len(owning) == 1:
        return "the file"
    return "the files" if all(owning.values()) else "some of the files"


def _globs(denied: Denied) -> str:
    globs = denied.details.get("owned_scope")
    shown = [str(glob) for glob in globs] if isinstance(globs, Sequence) else []
    return some_of(shown, INTENTS_AT_MOST) or "(nothing)"
