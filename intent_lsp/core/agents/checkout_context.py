"""The context returned at checkout: one intent, its files and its history, within a size budget.

Specified in requirements section 11.

Invariant: the context holds nothing of any other intent. To fit the budget, the intent's scope is
dropped after all other items. The intent's name is cut only if that was not enough.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
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

    `spell` formats a context as text. Items are dropped in this order: records, related files,
    history, acceptance criteria, the intent's constraints, the team's constraints, the scope. Last,
    the end of the intent's name is cut off. The last items of a kind are dropped first; `whole` has
    the records sorted newest first. If the text is larger than BUDGET without all of these, it is
    returned all the same.
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
    """Return the context with as many of its first items of the kind `name` as fit the size budget.

    Items are left out from the end; a sentence in `truncated` says how many. `spell` formats a
    context as text. If the text never fits, no item of the kind remains.
    """
    total = len(_items(whole, name))
    left_out = bisect_left(
        range(total), 1, key=lambda count: _fits(spell(_kept(whole, name, total - count, total)))
    )
    return _kept(whole, name, total - left_out, total)


def _kept(whole: IntentContext, name: str, keep: int, total: int) -> IntentContext:
    if keep == total:
        return whole
    left_out = total - keep
    said = f"{name}: {left_out} of {total} left out to save space"
    return replace(_cut(whole, name, keep), truncated=(*whole.truncated, said))


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= BUDGET


def _items(it: IntentContext, name: str) -> Sequence[object]:
    """Return the items of the kind `name`, which is one of _DROPS.

    The items of the kind `"name"` are the characters of the intent's name.
    """
    items: Sequence[object] = getattr(it if name in _OWN else it.intent, name)
    return items


def _cut(it: IntentContext, name: str, keep: int) -> IntentContext:
    """Return the context with only the first `keep` of its items of the kind `name`."""
    kept = {name: _items(it, name)[:keep]}
    if name in _OWN:
        return replace(it, **kept)
    return replace(it, intent=replace(it.intent, **kept))


_DROPS: Final = (
    "recent_records",
    "related_files",
    "recent_history",
    "acceptance_criteria",
    "constraints",
    "architectural_constraints",
    "owned_scope",
    "name",
)
"""The kinds of items that can be dropped, in this order: fields of the context or else its intent.

"name" is that of the intent.
"""

_OWN: Final = frozenset(IntentContext.__struct_fields__)
