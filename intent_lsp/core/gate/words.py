"""Words for messages: intents, owners, paths, globs and hashes, and refusals as people read them.

Specified in requirements sections 6 and 8.

Invariant: a list in a sentence has ten names at most. The list of available intents in `details`
has fifty at most.
Invariant: a fact is one line of printable characters, shorter than 600. A name with an unprintable
character stands in quotes, with that character escaped.
Invariant: the messages of `for_people` are for people only; agents get those of the specification.
Each in _WORDS states the problem in one sentence, without a remedy.
"""

from collections.abc import Container, Iterable, Sequence
from itertools import islice
from typing import Final

from intent_lsp.core.codes import GateCode
from intent_lsp.core.content import ContentHash
from intent_lsp.core.gate.request import Denied
from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import INTENTS_FILE, WorkspacePath
from intent_lsp.core.scope.scope import Owners
from intent_lsp.core.text import some_of, without_middle

_NAMED_AT_MOST: Final = 10
_LISTED_AT_MOST: Final = 50

FACT_AT_MOST: Final = 599

_NAME_AT_MOST: Final = 80
_HASH_AT_MOST: Final = len("sha256:") + 12
# One more than a list shows, so that it can end in an ellipsis.
_LOOKED_AT: Final = 11
_CUT: Final = "…"


def listed(names: Sequence[str]) -> str:
    """Join names with commas for a sentence: ten at most, then `…`. No names give `(none)`."""
    shown = ", ".join(names[:_NAMED_AT_MOST]) or "(none)"
    return shown + (", …" if len(names) > _NAMED_AT_MOST else "")


def first_of(names: Sequence[str]) -> str:
    """Return the first name and how many follow, as `a.py (and 2 more)`. There must be one."""
    return names[0] + (f" (and {len(names) - 1} more)" if len(names) > 1 else "")


def available(intents: Intents, ignored: Container[IntentId]) -> list[Intent]:
    """Return the intents that can be selected, in file order: open, and not in `ignored`."""
    return [each for each in intents if not each.status.closed and each.id not in ignored]


def available_ids(intents: Intents, ignored: Container[IntentId]) -> list[IntentId]:
    """Return the ids of the intents that can be selected, as `available` finds them."""
    return [intent.id for intent in available(intents, ignored)]


def available_json(intents: Intents, ignored: Container[IntentId]) -> list[dict[str, str]]:
    """Return id, name and status of the first fifty intents that `available` returns."""
    return [
        {"id": intent.id, "name": intent.name, "status": intent.status.value}
        for intent in available(intents, ignored)[:_LISTED_AT_MOST]
    ]


def open_owners(intents: Intents, owners: Owners, path: WorkspacePath) -> tuple[IntentId, ...]:
    """Return the ids of the open intents that own a path, in file order, each once.

    `owners` returns all owners of a path, closed ones too.
    """
    owning = {owner.intent_id: intents.get(owner.intent_id) for owner in owners(path)}
    return tuple([name for name, it in owning.items() if it is None or not it.status.closed])


def warnings_of(intent: Intent) -> tuple[str, ...]:
    """Return a warning if the intent is BLOCKED, which allows work on it, else an empty tuple."""
    return (
        (f"Intent {intent.id} is BLOCKED, but may still be worked on.",)
        if intent.status is Status.BLOCKED
        else ()
    )


def fact_of(sentence: str) -> str:
    """Return a sentence, cut to FACT_AT_MOST characters if it is longer."""
    return sentence if len(sentence) <= FACT_AT_MOST else sentence[: FACT_AT_MOST - 1] + _CUT


def shown(name: str) -> str:
    """Return a name as a sentence shows it: the middle of a long name is cut out.

    An empty name, or one with unprintable characters, is quoted and escaped.
    """
    short = without_middle(name, _NAME_AT_MOST)
    return short if short and short.isprintable() else without_middle(repr(short), _NAME_AT_MOST)


def shown_list(names: Iterable[str]) -> str:
    """Join up to ten names with commas, as `shown` shows each, then `…` if there are more.

    Without names, return `(none)`.
    """
    return fact_list(map(shown, names))


def fact_list(told: Iterable[str]) -> str:
    """Join up to ten phrases with commas, then `…` if there are more. Without any, give `(none)`.

    Not more than eleven are taken from the iterable.
    """
    return listed(list(islice(told, _LOOKED_AT)))


def shown_hash(hash_: ContentHash | None) -> str:
    """Return the beginning of a hash, long enough to tell it from others, or `no file` for None."""
    if hash_ is None:
        return "no file"
    return shown(hash_ if len(hash_) <= _HASH_AT_MOST else hash_[:_HASH_AT_MOST] + _CUT)


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
        files=some_of([path.rpartition("/")[2] for path in denied.paths], NAMES_SHOWN),
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
