"""Lists of intents and owners for messages and `details`.

Specified in requirements section 6.

Invariant: lists are bounded: ten names in a sentence, fifty in `details`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.index import Ownership

_NAMED_AT_MOST: Final = 10
_LISTED_AT_MOST: Final = 50

Owners = Callable[[WorkspacePath], tuple[Ownership, ...]]
"""Returns who owns a path, whatever the status of the intent, in the order of the intents file."""


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence, ten at most. No name is `(none)`."""
    shown = ", ".join(names[:_NAMED_AT_MOST]) or "(none)"
    return shown + (", …" if len(names) > _NAMED_AT_MOST else "")


def first_of(names: Sequence[str]) -> str:
    """Return the first name and how many more there are, for a sentence."""
    return names[0] + (f" (and {len(names) - 1} more)" if len(names) > 1 else "")


def open_ids(intents: Intents) -> list[IntentId]:
    """Return the ids of the open intents, in the order of the intents file."""
    return [intent.id for intent in intents if not intent.status.closed]


def available(intents: Intents) -> list[dict[str, str]]:
    """Return the open intents as objects for `details`, fifty at most."""
    usable = [intent for intent in intents if not intent.status.closed]
    return [
        {"id": intent.id, "name": intent.name, "status": intent.status.value}
        for intent in usable[:_LISTED_AT_MOST]
    ]


def open_owners(intents: Intents, owners: Owners, path: WorkspacePath) -> tuple[IntentId, ...]:
    """Return the ids of the open intents that own a path, in file order, without duplicates."""
    owning = dict.fromkeys([owner.intent_id for owner in owners(path)])
    return tuple([name for name in owning if not _closed(intents.get(name))])


def warnings_of(intent: Intent) -> tuple[str, ...]:
    """Return the warnings about an intent under which work is allowed nevertheless."""
    return (
        (f"Intent {intent.id} is BLOCKED, but may still be worked on.",)
        if intent.status is Status.BLOCKED
        else ()
    )


def _closed(intent: Intent | None) -> bool:
    return intent is not None and intent.status.closed
