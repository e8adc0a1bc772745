"""Names in a sentence and in `details`: which intents there are, which own a path.

Specified in requirements section 6.

Invariant: lists end where a reader would stop: ten names in a sentence, fifty in `details`.
"""

from collections.abc import Callable, Sequence
from typing import Final

from intent_lsp.core.intents import Intent, IntentId, Intents, Status
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.scope.index import Ownership

_NAMED_AT_MOST: Final = 10
_LISTED_AT_MOST: Final = 50

Owners = Callable[[WorkspacePath], tuple[Ownership, ...]]
"""Who owns a path, whatever the status, in file order."""


def listed(names: Sequence[str]) -> str:
    """List names for a sentence: ten at most, `(none)` for none."""
    shown = ", ".join(names[:_NAMED_AT_MOST]) or "(none)"
    return shown + (", …" if len(names) > _NAMED_AT_MOST else "")


def first_of(names: Sequence[str]) -> str:
    """Name the first for a sentence, and how many more there are."""
    return names[0] + (f" (and {len(names) - 1} more)" if len(names) > 1 else "")


def open_ids(intents: Intents) -> list[IntentId]:
    """Give the ids of the open intents, in file order."""
    return [intent.id for intent in intents if not intent.status.closed]


def available(intents: Intents) -> list[dict[str, str]]:
    """Spell the open intents for `details`, fifty at most."""
    usable = [intent for intent in intents if not intent.status.closed]
    return [
        {"id": intent.id, "name": intent.name, "status": intent.status.value}
        for intent in usable[:_LISTED_AT_MOST]
    ]


def open_owners(intents: Intents, owners: Owners, path: WorkspacePath) -> tuple[IntentId, ...]:
    """List the open intents that own a path, in file order, each once."""
    owning = dict.fromkeys([owner.intent_id for owner in owners(path)])
    return tuple([name for name in owning if not _closed(intents.get(name))])


def warnings_of(intent: Intent) -> tuple[str, ...]:
    """Warn of an intent that may be worked under all the same."""
    return (f"Intent {intent.id} is BLOCKED.",) if intent.status is Status.BLOCKED else ()


def _closed(intent: Intent | None) -> bool:
    return intent is not None and intent.status.closed
