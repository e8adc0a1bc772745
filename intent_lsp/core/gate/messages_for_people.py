"""Refusals worded for people: the texts of diagnostics, messages and `explain` about a save.

Specified in requirements section 8.

Invariant: these messages are for people only; agents get those of the specification. Each in _WORDS
states the problem in one sentence, without a remedy.
"""

from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import INTENTS_FILE
from intent_lsp.core.text import some_of

NAMES_SHOWN: Final = 3
"""The most files that one sentence names."""

_WORDS: Final = {
    GateCode.NO_ACTIVE_INTENT: "No intent is selected.",
    GateCode.INTENT_NOT_FOUND: f"The selected intent {{id}} is not in {INTENTS_FILE}.",
    GateCode.INTENT_CLOSED: "{intent} is {status}: no more files may be edited for it.",
    GateCode.INTENT_IGNORED: "{intent} is ignored: a line of .intentignore matches it.",
    GateCode.SCOPE_VIOLATION: "{files} {are} outside the scope of {intent}.",
    GateCode.OUTSIDE_WORKSPACE: "{files} {are} outside this workspace, through a symbolic link.",
    GateCode.STALE_FILE: "{files} {have} changed on disk since your editor read {it}.",
}


def for_people(denied: Denied, intent: Intent | None) -> str:
    """Return a sentence that tells a person why an edit was denied.

    `intent` is the one that the edit was judged under, or None if that is not known. For a code
    without a sentence for people, such as one that only agents' calls get, return the refusal's own
    message.
    """
    words = _WORDS.get(denied.code)
    if words is None:
        # The other rows apply to agents' calls only, so no person sees their messages.
        return denied.message
    told, many = denied.details, len(denied.paths) > 1
    return words.format(
        files=_named(denied),
        are="are" if many else "is",
        have="have" if many else "has",
        it="them" if many else "it",
        id=told.get("intent_id"),
        intent=told.get("intent_id") if intent is None else title_of(intent),
        status=told.get("status"),
    )


def title_of(intent: Intent) -> str:
    """Return an intent's id and its name, if it has one: `INT-001 (Login)`."""
    return f"{intent.id} ({intent.name})" if intent.name else intent.id


def _named(denied: Denied) -> str:
    """Return the names of a refusal's first files, without directories, and the others' number."""
    return some_of([path.rpartition("/")[2] for path in denied.paths], NAMES_SHOWN)
