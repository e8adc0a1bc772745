"""The context returned at checkout: one intent, its files and its history, within a size budget.

Specified in requirements section 11.

Invariant: the context holds nothing of any other intent. To fit the budget, the intent's scope is
dropped after all other items. The intent's name is cut only if that was not enough.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from intent_lsp.core.content import ContentHash
from intent_lsp.core.intents import Intent
from intent_lsp.core.paths import WorkspacePath
from intent_lsp.core.records import Record

BUDGET: Final = 16_384
"""The maximum size of a context as text, in UTF-8 bytes."""

RECENT_RECORDS: Final = 20


class RelatedFile(Struct, frozen=True):
    """A file in the intent's `related_files` that exists and is in the intent's scope.

    `last_hash` is the hash of its content, None if it cannot be read. `last_modified` is the time
    of its last change on disk, as `core.timestamps` formats it.
    """

    path: WorkspacePath
    last_hash: ContentHash | None
    last_modified: str


class IntentContext(Struct, frozen=True, kw_only=True):
    """What a checkout returns about one intent.

    `architectural_constraints` are the team's. Each of `truncated` says what was dropped to save
    space.
    """

    intent: Intent
    architectural_constraints: tuple[str, ...] = ()
    related_files: tuple[RelatedFile, ...] = ()
    recent_records: tuple[Record, ...] = ()
    truncated: tuple[str, ...] = ()


def within_budget(
    whole: IntentContext, spell: Callable[[IntentContext], str]
) -> tuple[IntentContext, str]:
    """Drop parts of the context `whole` until its text fits. Return what is left, and its text.

    `spell` formats a context as text. Items are dropped in this order, each kind from its end:
    records (sorted newest first), related files, history, acceptance criteria, the intent's
    constraints, the team's constraints, the scope and the characters of the intent's name. With
    all of them dropped, the text is returned even if it is still larger than BUDGET.
    """
    for name in _DROPS:
        text = spell(whole)
        if _fits(text):
            return whole, text
        whole = _most_that_fits(whole, name, spell)
    return whole, spell(whole)


def _most_that_fits(
    whole: IntentContext, name: str, spell: Callable[[IntentContext], str]
) -> IntentContext:
    """Return the context with as many of its items of the kind `name` as fit the size budget.

    `spell` formats a context as text. If the text never fits, no item of the kind remains. If
    items are left out, a sentence with their number is added to `truncated`.
    """
    total = _DROPS[name](whole)
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(spell(_kept(whole, name, middle, total))):
            low = middle
        else:
            high = middle - 1
    return _kept(whole, name, low, total)


def _kept(whole: IntentContext, name: str, keep: int, total: int) -> IntentContext:
    if keep == total:
        return whole
    left_out = total - keep
    said = f"{name}: {left_out} of {total} left out to save space"
    return replace(_cut(whole, name, keep), truncated=(*whole.truncated, said))


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= BUDGET


def _cut(it: IntentContext, name: str, keep: int) -> IntentContext:
    """Return the context with only the first `keep` of its items of the kind `name`.

    The items of the kind "name" are the characters of the intent's name.
    """
    intent = it.intent
    match name:
        case "recent_records":
            return replace(it, recent_records=it.recent_records[:keep])
        case "related_files":
            return replace(it, related_files=it.related_files[:keep])
        case "architectural_constraints":
            kept = it.architectural_constraints[:keep]
            return replace(it, architectural_constraints=kept)
        case "recent_history":
            intent = replace(intent, recent_history=intent.recent_history[:keep])
        case "acceptance_criteria":
            kept = intent.acceptance_criteria[:keep]
            intent = replace(intent, acceptance_criteria=kept)
        case "constraints":
            intent = replace(intent, constraints=intent.constraints[:keep])
        case "owned_scope":
            intent = replace(intent, owned_scope=intent.owned_scope[:keep])
        case _:
            intent = replace(intent, name=intent.name[:keep])
    return replace(it, intent=intent)


_DROPS: Final[Mapping[str, Callable[[IntentContext], int]]] = {
    "recent_records": lambda it: len(it.recent_records),
    "related_files": lambda it: len(it.related_files),
    "recent_history": lambda it: len(it.intent.recent_history),
    "acceptance_criteria": lambda it: len(it.intent.acceptance_criteria),
    "constraints": lambda it: len(it.intent.constraints),
    "architectural_constraints": lambda it: len(it.architectural_constraints),
    "owned_scope": lambda it: len(it.intent.owned_scope),
    "name": lambda it: len(it.intent.name),
}
"""The kinds of items that can be dropped, in this order, each with a function that counts them."""
