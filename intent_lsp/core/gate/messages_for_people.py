"""Refusals in a person's words: what diagnostics, messages and `explain` say of a save.

Specified in requirements section 8.

Invariant: agents are told the specification's messages; these are for people alone, say what is
the matter in one sentence, and leave the way out to what is offered beside them.
"""

from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE

NAMES_SHOWN: Final = 3
"""Files that one sentence names."""

_WORDS: Final = {
    GateCode.NO_ACTIVE_INTENT: "No intent is selected.",
    GateCode.INTENT_NOT_FOUND: f"The selected intent {{id}} is not in {INTENTS_FILE}.",
    GateCode.INTENT_CLOSED: "{intent} is {status}: it takes no more edits.",
    GateCode.INTENT_IGNORED: "{intent} is ignored: a line of .intentignore matches it.",
    GateCode.SCOPE_VIOLATION: "{files} {are} outside {intent}.",
    GateCode.OUTSIDE_WORKSPACE: "{files} {are} outside this workspace, through a symbolic link.",
    GateCode.STALE_FILE: "{files} {have} changed on disk since your editor read it.",
}


def for_people(denied: Denied, intent: Intent | None) -> str:
    """Say why an edit was refused; `intent` is the one that it was judged under, if it is known."""
    words = _WORDS.get(denied.code)
    if words is None:
        # The other rows are for agents' calls.
        return denied.message
    told, many = denied.details, len(denied.paths) > 1
    return words.format(
        files=_named(denied),
        are="are" if many else "is",
        have="have" if many else "has",
        id=told.get("intent_id"),
        intent=told.get("intent_id") if intent is None else title_of(intent),
        status=told.get("status"),
    )


def title_of(intent: Intent) -> str:
    """Name an intent: `INT-001 (Login)`."""
    return f"{intent.id} ({intent.name})" if intent.name else intent.id


def _named(denied: Denied) -> str:
    """Name the files of a refusal, without their directories."""
    names = [path.rpartition("/")[2] for path in denied.paths[:NAMES_SHOWN]]
    more = len(denied.paths) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
