"""Whether a change of the intents file is only what the server writes in an agent's name.

That is a status that goes on, history, `updated_at`, and scope that people granted.

Specified in requirements sections 3.6 and 14.

Invariant: a closed intent that is open again never counts as such a change.
"""

from collections.abc import Callable, Collection

from msgspec.structs import replace

from intent_lsp.core.intents import Intent, Intents, Status

GrantedGlobs = Callable[[Intent], Collection[str]]
"""Returns the globs that people have granted an intent for good."""


def only_by_server(before: Intents, after: Intents, granted: GrantedGlobs) -> bool:
    """Whether the intents differ only by what the server writes in an agent's name.

    That is a status that goes from PLANNED to IN_PROGRESS or from an open one to COMPLETED,
    `recent_history`, `updated_at`, and granted globs at the end of an owned scope. Equal intents
    give True; intents in another order do not.
    """
    pairs = list(zip(before, after, strict=False))
    return len(before) == len(after) and all(
        _goes_on(old.status, new.status)
        and _same_rules(old, new)
        and _only_granted(old, new, granted)
        for old, new in pairs
    )


def _goes_on(old: Status, new: Status) -> bool:
    if old is new:
        return True
    if new is Status.IN_PROGRESS:
        return old is Status.PLANNED
    return new is Status.COMPLETED and not old.closed


def _same_rules(old: Intent, new: Intent) -> bool:
    return old == replace(
        new,
        status=old.status,
        owned_scope=old.owned_scope,
        recent_history=old.recent_history,
        updated_at=old.updated_at,
    )


def _only_granted(old: Intent, new: Intent, granted: GrantedGlobs) -> bool:
    count = len(old.owned_scope)
    added = new.owned_scope[count:]
    if new.owned_scope[:count] != old.owned_scope:
        return False
    return not added or set(added) <= set(granted(new))
